import { Button, useComputedColorScheme } from '@mantine/core'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import WaveSurfer from 'wavesurfer.js'
import RegionsPlugin from 'wavesurfer.js/dist/plugins/regions.esm.js'
import styles from './speech.module.css'
import { SPEECH_WORDS } from './speech-words.ts'

const WORDS = SPEECH_WORDS.waveform

interface Props {
  sound: Blob
  label: string
  /** Called with the selected range in seconds, at first the whole; without it nothing can be selected. */
  onTrim?: (start: number, end: number) => void
  /** Called with the playback position in seconds. */
  onTime?: (seconds: number) => void
  /** Jumps there; a new object for each jump. */
  seek?: { to: number } | null
  /** Plays as soon as it can: for a sound that was requested just now. */
  playsAtOnce?: boolean
}

/** A sound as a wave that plays, with two handles to trim it where that is wanted. One that the browser cannot read has neither. */
export function Waveform({ sound, label, onTrim, onTime, seek, playsAtOnce = false }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const wave = useRef<WaveSurfer | null>(null)
  const listeners = useRef({ onTrim, onTime })
  useLayoutEffect(() => {
    listeners.current = { onTrim, onTime }
  })
  const [state, setState] = useState<'reading' | 'ready' | 'unreadable'>('reading')
  const [playing, setPlaying] = useState(false)
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const trims = onTrim !== undefined
  useEffect(() => {
    const regions = RegionsPlugin.create()
    const made = WaveSurfer.create({ container: box.current!, height: 72, ...waveColours(), plugins: [regions] })
    wave.current = made
    setState('reading')
    setPlaying(false)
    made.on('play', () => setPlaying(true))
    made.on('pause', () => setPlaying(false))
    made.on('timeupdate', (seconds) => listeners.current.onTime?.(seconds))
    made.on('error', () => setState('unreadable'))
    made.on('ready', (duration) => {
      setState('ready')
      // A browser may refuse to play by itself; the button is there then.
      if (playsAtOnce) made.play().catch(() => undefined)
      if (!trims) return
      regions.addRegion({ start: 0, end: duration, drag: false, resize: true })
      listeners.current.onTrim?.(0, duration)
    })
    regions.on('region-updated', (region) => listeners.current.onTrim?.(region.start, region.end))
    // It reports a failure by its event; a newer recording may have arrived while this one was read.
    made.loadBlob(sound).catch(() => undefined)
    return () => made.destroy()
  }, [sound, trims, playsAtOnce])
  useEffect(() => wave.current?.setOptions(waveColours()), [scheme])
  useEffect(() => {
    if (seek === null || seek === undefined || wave.current === null) return
    wave.current.setTime(seek.to)
    // A recognizer may read what the browser cannot.
    wave.current.play().catch(() => undefined)
  }, [seek])
  const isUnreadable = state === 'unreadable'
  return (
    <>
      {isUnreadable && <p role="status">{WORDS.cannotPlay(label)}</p>}
      {/* Stays for the next sound, which is drawn into it. */}
      <div className={styles.wave} hidden={isUnreadable}>
        <Button
          className={styles.play}
          data-ready={state === 'ready'}
          aria-label={`${playing ? WORDS.pause : WORDS.play} ${label}`}
          onClick={() => void wave.current?.playPause()}
        >
          {playing ? WORDS.pause : WORDS.play}
        </Button>
        <div ref={box} className={styles.waveBox} role="img" aria-label={WORDS.waveformOf(label)} />
      </div>
    </>
  )
}

/** Of the scheme that the page has now: a canvas does not follow it by itself. */
function waveColours() {
  const colours = getComputedStyle(document.documentElement)
  return {
    // Lines are too faint for what is to be looked at.
    waveColor: colours.getPropertyValue('--mantine-color-placeholder'),
    progressColor: colours.getPropertyValue('--accent'),
    cursorColor: colours.getPropertyValue('--text'),
  }
}
