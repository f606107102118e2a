import { useEffect, useRef, useState } from 'react'
import { decodeSound } from './sound-buffer.ts'
import { spectrogramLevels } from './spectrogram-levels.ts'
import styles from './speech.module.css'

const WIDTH = 480
const HEIGHT = 96
const TOP_HERTZ = 8000

/** Frequencies of a sound over time, 0 to 8 kHz, louder is darker. */
export function Spectrogram({ sound, label }: { sound: Blob; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    let isCurrent = true
    decodeSound(sound).then(
      (decoded) => isCurrent && draw(canvas.current!, spectrogramLevels(decoded, WIDTH, HEIGHT, TOP_HERTZ)),
      (error: unknown) => isCurrent && setFailure(String(error)),
    )
    return () => {
      isCurrent = false
    }
  }, [sound])
  if (failure !== null) return <p role="alert">▲ {failure}</p>
  return (
    <figure className={styles.spectrogram}>
      <canvas ref={canvas} width={WIDTH} height={HEIGHT} role="img" aria-label={`Spectrogram of ${label}`} />
      <figcaption className="dim">{label}: 0 to 8 kHz, loud parts dark</figcaption>
    </figure>
  )
}

function draw(canvas: HTMLCanvasElement, columns: readonly Float32Array[]): void {
  const context = canvas.getContext('2d')!
  const image = context.createImageData(WIDTH, HEIGHT)
  columns.forEach((column, x) => {
    column.forEach((level, row) => {
      const at = ((HEIGHT - 1 - row) * WIDTH + x) * 4
      // From white to dark blue: one even scale, and no colour of an approach.
      image.data[at] = 255 - 235 * level
      image.data[at + 1] = 255 - 205 * level
      image.data[at + 2] = 255 - 145 * level
      image.data[at + 3] = 255
    })
  })
  context.putImageData(image, 0, 0)
}
