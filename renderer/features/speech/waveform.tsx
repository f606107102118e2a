import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import WaveSurfer from 'wavesurfer.js'
import RegionsPlugin from 'wavesurfer.js/dist/plugins/regions.esm.js'
import styles from './speech.module.css'

interface Props {
  sound: Blob
  label: string
  /** Told the chosen part, in seconds, at first the whole; without it nothing can be chosen. */
  onTrim?: (start: number, end: number) => void
  /** Told the place of the playing sound, in seconds. */
  onTime?: (seconds: number) => void
  /** Jumps there; a new object for each jump. */
  seek?: { to: number } | null
  /** Plays as soon as it can: for a sound that somebody has just asked to hear. */
  playsAtOnce?: boolean
}

/** A sound as a wave that plays, with two handles to trim it where that is wanted. */
export function Waveform({ sound, label, onTrim, onTime, seek, playsAtOnce = false }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const wave = useRef<WaveSurfer | null>(null)
  const told = useRef({ onTrim, onTime })
  told.current = { onTrim, onTime }
  const [playing, setPlaying] = useState(false)
  const trims = onTrim !== undefined
  useEffect(() => {
    const colours = getComputedStyle(document.documentElement)
    const regions = RegionsPlugin.create()
    const made = WaveSurfer.create({
      container: box.current!,
      height: 72,
      waveColor: colours.getPropertyValue('--line-strong'),
      progressColor: colours.getPropertyValue('--accent'),
      cursorColor: colours.getPropertyValue('--text'),
      plugins: [regions],
    })
    wave.current = made
    made.on('play', () => setPlaying(true))
    made.on('pause', () => setPlaying(false))
    made.on('timeupdate', (seconds) => told.current.onTime?.(seconds))
    made.on('ready', (duration) => {
      // A browser may refuse to play by itself; the button is there then.
      if (playsAtOnce) made.play().catch(() => undefined)
      if (!trims) return
      regions.addRegion({ start: 0, end: duration, drag: false, resize: true })
      told.current.onTrim?.(0, duration)
    })
    regions.on('region-updated', (region) => told.current.onTrim?.(region.start, region.end))
    // A newer sound may have come while this one was read.
    made.loadBlob(sound).catch(() => undefined)
    return () => made.destroy()
  }, [sound, trims, playsAtOnce])
  useEffect(() => {
    if (seek === null || seek === undefined || wave.current === null) return
    wave.current.setTime(seek.to)
    void wave.current.play()
  }, [seek])
  return (
    <div className={styles.wave}>
      <Button
        variant="default"
        aria-label={`${playing ? 'Pause' : 'Play'} ${label}`}
        onClick={() => void wave.current?.playPause()}
      >
        {playing ? 'Pause' : 'Play'}
      </Button>
      <div ref={box} className={styles.waveBox} role="img" aria-label={`Waveform of ${label}`} />
    </div>
  )
}
