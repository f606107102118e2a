/** Describes what a recording reports meanwhile, and what ends it. */
export interface Session {
  /** Ends the recording; before it has begun, calls it off. */
  signal: AbortSignal
  /** Ends by itself then. */
  maxSeconds: number
  countdownSeconds: number
  onCountdown: (secondsLeft: number) => void
  /** Seconds recorded so far, and the loudest sample of the last moment, 0 to 1. */
  onProgress: (seconds: number, level: number) => void
}

/** The recording; null when it was cancelled before it began. */
export async function recordMicrophone({
  signal,
  maxSeconds,
  countdownSeconds,
  onCountdown,
  onProgress,
}: Session): Promise<Blob | null> {
  // Processing meant for calls would change the voice that is to be kept.
  const constraints = { echoCancellation: false, noiseSuppression: false, autoGainControl: false }
  const isOver = (): boolean => signal.aborted
  const stream = await navigator.mediaDevices.getUserMedia({ audio: constraints })
  const context = new AudioContext()
  try {
    // Asking for the microphone may have taken longer than the person waited.
    if (isOver()) return null
    for (let left = countdownSeconds; left > 0; left -= 1) {
      onCountdown(left)
      await pause(1000, signal)
      if (isOver()) return null
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
    while (!isOver() && performance.now() - begun < maxSeconds * 1000) {
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
