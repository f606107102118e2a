import { useCallback, useEffect, useRef, useState } from 'react'

export type RecorderState = 'idle' | 'counting' | 'recording'

export interface Recorder {
  state: RecorderState
  /** Seconds until it begins; 0 unless counting. */
  countdown: number
  /** Seconds recorded so far. */
  seconds: number
  /** Loudest sample of the last moment, 0 to 1. */
  level: number
  failure: string | null
  start: () => void
  /** Ends the recording and hands it over; while counting, calls it off. */
  stop: () => void
}

const COUNTDOWN_SECONDS = 3

/** Records from the microphone after a countdown; ends by itself after `maxSeconds`. */
export function useRecorder(maxSeconds: number, onRecorded: (recording: Blob) => void): Recorder {
  const [state, setState] = useState<RecorderState>('idle')
  const [countdown, setCountdown] = useState(0)
  const [seconds, setSeconds] = useState(0)
  const [level, setLevel] = useState(0)
  const [failure, setFailure] = useState<string | null>(null)
  const end = useRef<() => void>(() => undefined)
  const recorded = useRef(onRecorded)
  recorded.current = onRecorded

  const start = useCallback(() => {
    const session = new AbortController()
    end.current = () => session.abort()
    setFailure(null)
    setSeconds(0)
    record({
      signal: session.signal,
      maxSeconds,
      onCountdown: (left) => {
        setState('counting')
        setCountdown(left)
      },
      onProgress: (elapsed, loudest) => {
        setState('recording')
        setCountdown(0)
        setSeconds(elapsed)
        setLevel(loudest)
      },
    })
      .then((recording) => recording !== null && recorded.current(recording))
      .catch((error: unknown) => setFailure(microphoneFault(error)))
      .finally(() => {
        setState('idle')
        setCountdown(0)
        setLevel(0)
      })
  }, [maxSeconds])

  useEffect(() => () => end.current(), [])
  return { state, countdown, seconds, level, failure, start, stop: () => end.current() }
}

interface Session {
  signal: AbortSignal
  maxSeconds: number
  onCountdown: (secondsLeft: number) => void
  onProgress: (seconds: number, level: number) => void
}

/** The recording; null when it was called off before it began. */
async function record({ signal, maxSeconds, onCountdown, onProgress }: Session): Promise<Blob | null> {
  // Processing meant for calls would change the voice that is to be kept.
  const constraints = { echoCancellation: false, noiseSuppression: false, autoGainControl: false }
  const stream = await navigator.mediaDevices.getUserMedia({ audio: constraints })
  const context = new AudioContext()
  try {
    for (let left = COUNTDOWN_SECONDS; left > 0; left -= 1) {
      onCountdown(left)
      await pause(1000, signal)
      if (signal.aborted) return null
    }
    const meter = context.createAnalyser()
    context.createMediaStreamSource(stream).connect(meter)
    const moment = new Float32Array(meter.fftSize)
    const recorder = new MediaRecorder(stream)
    const parts: Blob[] = []
    recorder.ondataavailable = ({ data }) => parts.push(data)
    const stopped = new Promise((resolve) => (recorder.onstop = resolve))
    recorder.start()
    const begun = performance.now()
    while (!signal.aborted && performance.now() - begun < maxSeconds * 1000) {
      meter.getFloatTimeDomainData(moment)
      onProgress(
        (performance.now() - begun) / 1000,
        moment.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
      )
      await pause(60, signal)
    }
    recorder.stop()
    await stopped
    return new Blob(parts, { type: recorder.mimeType })
  } finally {
    for (const track of stream.getTracks()) track.stop()
    await context.close()
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const leave = (): void => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', leave, { once: true })
  })
}

function microphoneFault(error: unknown): string {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError')
    return 'The microphone is not allowed for this page; allow it in the browser’s address bar.'
  if (name === 'NotFoundError') return 'No microphone was found; connect one, or drop a file.'
  return `The recording failed: ${error instanceof Error ? error.message : String(error)}`
}
