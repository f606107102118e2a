import type { SttConfig } from '../config.ts'
import type { Expected, OpenRecogniser } from '../model-holder.ts'
import { openPocketsphinx } from './pocketsphinx.ts'
import type { BackendName, Recogniser } from './recogniser.ts'

const OPENERS: Readonly<Record<BackendName, () => Promise<Recogniser>>> = { pocketsphinx: openPocketsphinx }

/** What health tells before anything is loaded. */
export function expectedOf(config: SttConfig): Expected {
  return { backend: config.backend, model: 'pocketsphinx-en-us', device: 'cpu' }
}

/** The recogniser that the configuration asks for. */
export function chooseBackend(config: SttConfig): OpenRecogniser {
  return async () => ({ recogniser: await OPENERS[config.backend](), note: null })
}
