import { messageOf } from '../../../core/json.ts'
import { desktop } from '../../data/desktop.ts'
import type { Session } from './record-microphone.ts'

export interface RecorderView {
  /** `opening`: the microphone was asked for and is not there yet. */
  state: 'idle' | 'opening' | 'counting' | 'recording'
  /** Seconds until it begins; 0 unless counting. */
  countdown: number
  /** Seconds recorded so far. */
  seconds: number
  /** Loudest sample of the last moment, 0 to 1. */
  level: number
  failure: string | null
}

export const NOT_RECORDING: RecorderView = { state: 'idle', countdown: 0, seconds: 0, level: 0, failure: null }

export type RecorderOptions = Pick<Session, 'maxSeconds' | 'countdownSeconds'>

/** Runs one recording at a time. `record` makes it, and gives null when it was cancelled; each change is reported to `onView`. */
export class OneRecording {
  readonly #record: (session: Session) => Promise<Blob | null>
  readonly #onView: (view: RecorderView) => void
  #view = NOT_RECORDING
  #live: AbortController | null = null

  constructor(record: (session: Session) => Promise<Blob | null>, onView: (view: RecorderView) => void) {
    this.#record = record
    this.#onView = onView
  }

  /** Does nothing while a recording is under way. `onRecorded` gets this one and no other. */
  start(options: RecorderOptions, onRecorded: (recording: Blob) => void): void {
    if (this.#live !== null) return
    const live = new AbortController()
    this.#live = live
    const isLive = (): boolean => this.#live === live
    const show = (part: Partial<RecorderView>): void => {
      if (isLive()) this.#show({ ...this.#view, ...part })
    }
    show({ ...NOT_RECORDING, state: 'opening' })
    this.#record({
      ...options,
      signal: live.signal,
      onCountdown: (countdown) => show({ state: 'counting', countdown }),
      onProgress: (seconds, level) => show({ state: 'recording', countdown: 0, seconds, level }),
    }).then(
      (recording) => {
        if (!isLive()) return
        this.#end(null)
        if (recording !== null) onRecorded(recording)
      },
      (error: unknown) => {
        if (isLive()) this.#end(microphoneFault(error))
      },
    )
  }

  /** Ends the recording and hands it over; before it has begun, calls it off at once. */
  stop(): void {
    if (this.#view.state === 'recording') this.#live?.abort()
    else this.drop()
  }

  /** A recording in progress is discarded. */
  drop(): void {
    if (this.#live === null) return
    this.#live.abort()
    this.#end(null)
  }

  #end(failure: string | null): void {
    this.#live = null
    this.#show({ ...NOT_RECORDING, failure })
  }

  #show(view: RecorderView): void {
    this.#view = view
    this.#onView(view)
  }
}

function microphoneFault(error: unknown): string {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError')
    return desktop === null
      ? 'The microphone is not allowed for this page; allow it in the browser’s address bar.'
      : 'The microphone is not allowed for this app; allow it in the system settings under privacy, microphone.'
  if (name === 'NotFoundError') return 'No microphone was found; connect one, or drop a file.'
  return `The recording failed: ${messageOf(error)}`
}
