import type { TranscriptionHealth } from '../../contract/http/speech.ts'
import { messageOf } from '../../core/json.ts'
import packageFile from '../../package.json' with { type: 'json' }
import { HttpError } from '../kit/http-error.ts'
import type { Recognizer } from './backends/recognizer.ts'

/** Reports the progress of a download. */
export interface Progress {
  receivedBytes: number
  totalBytes: number
  /** Describes what is fetched, and under which licence. */
  what?: string
}

/** Opens a recognizer; may take minutes while its model is fetched. */
export type OpenRecognizer = (
  progress: (progress: Progress) => void,
  signal: AbortSignal,
) => Promise<{ recognizer: Recognizer; note: string | null }>

/** A recognizer reports this before it is open. */
export interface Expected {
  backend: string
  model: string
  device: string
}

type State =
  | { name: 'loading'; progress: Progress | null }
  | { name: 'ready'; recognizer: Recognizer; note: string | null }
  | { name: 'failed'; reason: string }

/** The service's one recognizer, from the start of its loading to the end of the process. */
export class ModelHolder {
  readonly #stop = new AbortController()
  readonly #expected: Expected
  readonly loaded: Promise<void>
  #state: State = { name: 'loading', progress: null }

  constructor(open: OpenRecognizer, expected: Expected) {
    this.#expected = expected
    const onProgress = (progress: Progress) => (this.#state = { name: 'loading', progress })
    this.loaded = open(onProgress, this.#stop.signal).then(
      ({ recognizer, note }) => void (this.#state = { name: 'ready', recognizer, note }),
      (error: unknown) => void (this.#state = { name: 'failed', reason: messageOf(error) }),
    )
  }

  /** The recognizer; null while it loads and when it could not be loaded. */
  current(): Recognizer | null {
    return this.#state.name === 'ready' ? this.#state.recognizer : null
  }

  /** The recognizer. Throws 503 while it loads, and with the reason when it could not be loaded. */
  get(): Recognizer {
    const state = this.#state
    if (state.name === 'ready') return state.recognizer
    if (state.name === 'loading') throw new HttpError(503, 'Service is loading', { headers: { 'retry-after': '5' } })
    // This process does not load again, so no time is named at which another try would help.
    throw new HttpError(503, `Service is unhealthy: ${state.reason}`)
  }

  health(): TranscriptionHealth {
    const state = this.#state
    if (state.name === 'ready') {
      const { backend, device, model, license } = state.recognizer
      return {
        status: 'healthy',
        backend,
        device,
        model,
        model_loaded: true,
        detail: state.note,
        license,
        progress: null,
        uses_prompt: false,
        revision: [packageFile.version, backend, model].join(' '),
      }
    }
    const progress = state.name === 'loading' ? state.progress : null
    return {
      status: state.name === 'loading' ? 'loading' : 'unhealthy',
      ...this.#expected,
      model_loaded: false,
      detail: state.name === 'failed' ? state.reason : (progress?.what ?? null),
      license: null,
      uses_prompt: false,
      progress: progress === null ? null : { received_bytes: progress.receivedBytes, total_bytes: progress.totalBytes },
    }
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the service is stopping'))
    await this.loaded
    if (this.#state.name === 'ready') await this.#state.recognizer.close()
  }
}
