import { messageOf } from '../../../core/json.ts'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { decodeSound } from './sound-buffer.ts'
import { loudnessColour } from './spectrogram-colours.ts'
import { spectrogramLevels } from './spectrogram-levels.ts'
import styles from './speech.module.css'
import { SPEECH_WORDS } from './speech-words.ts'

const WORDS = SPEECH_WORDS.spectrogram

const WIDTH = 480
const HEIGHT = 96
const TOP_HERTZ = 8000

/** Frequencies of a sound over time, 0 to 8 kHz; the louder, the further from the colour of the page. */
export function Spectrogram({ sound, label }: { sound: Blob; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const [levels, setLevels] = useState<readonly Float32Array[]>([])
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    let isCurrent = true
    setFailure(null)
    decodeSound(sound).then(
      (decoded) => isCurrent && setLevels(spectrogramLevels(decoded, WIDTH, HEIGHT, TOP_HERTZ)),
      (error: unknown) => isCurrent && setFailure(messageOf(error)),
    )
    return () => {
      isCurrent = false
    }
  }, [sound])
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, levels, scheme)
  }, [levels, scheme, failure])
  if (failure !== null) return <p role="alert">▲ {failure}</p>
  return (
    <figure className={styles.spectrogram}>
      <canvas ref={canvas} width={WIDTH} height={HEIGHT} role="img" aria-label={WORDS.spectrogramOf(label)} />
      <figcaption className="dim">{WORDS.scale(label, scheme === 'dark' ? 'bright' : 'dark')}</figcaption>
    </figure>
  )
}

function draw(canvas: HTMLCanvasElement, columns: readonly Float32Array[], scheme: 'light' | 'dark'): void {
  const context = canvas.getContext('2d')!
  const image = context.createImageData(WIDTH, HEIGHT)
  columns.forEach((column, x) => {
    column.forEach((level, row) => {
      const at = ((HEIGHT - 1 - row) * WIDTH + x) * 4
      image.data.set([...loudnessColour(level, scheme), 255], at)
    })
  })
  context.putImageData(image, 0, 0)
}
