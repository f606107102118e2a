import { afterEach, expect, test, vi } from 'vitest'
import { LONGEST_CLIP_SECONDS, RECORDED_SECONDS } from '../voices/new-voice.tsx'
import { recordMicrophone } from './record-microphone.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A microphone that reports how long its recorder ran. */
function fakeMicrophone() {
  const ran = { seconds: NaN }
  class Recorder {
    mimeType = 'audio/webm'
    ondataavailable: ((event: { data: Blob }) => void) | null = null
    onstop: (() => void) | null = null
    #begun = 0
    start(): void {
      this.#begun = performance.now()
    }
    stop(): void {
      ran.seconds = (performance.now() - this.#begun) / 1000
      this.ondataavailable?.({ data: new Blob(['sound']) })
      this.onstop?.()
    }
  }
  class Context {
    createAnalyser = () => ({ fftSize: 32, getFloatTimeDomainData: () => undefined })
    createMediaStreamSource = () => ({ connect: () => undefined })
    close = async () => undefined
  }
  vi.stubGlobal('MediaRecorder', Recorder)
  vi.stubGlobal('AudioContext', Context)
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia: async () => ({ getTracks: () => [] }) } })
  return ran
}

test('a take of a voice that runs to its limit is no longer than a clip may be', async () => {
  vi.useFakeTimers()
  const ran = fakeMicrophone()
  const noEvents = { onCountdown: () => undefined, onProgress: () => undefined }
  const take = recordMicrophone({
    signal: new AbortController().signal,
    maxSeconds: RECORDED_SECONDS,
    countdownSeconds: 3,
    ...noEvents,
  })
  await vi.advanceTimersByTimeAsync((3 + LONGEST_CLIP_SECONDS) * 1000)
  expect((await take)?.size).toBe(5)
  expect(ran.seconds).toBeGreaterThanOrEqual(RECORDED_SECONDS)
  expect(ran.seconds).toBeLessThan(LONGEST_CLIP_SECONDS - 0.3)
})
