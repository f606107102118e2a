import type { Recogniser } from '../../providers/stt/backends/recogniser.ts'

/** A recogniser that returns what a test gives it. */
export function scriptedRecogniser(changes: Partial<Recogniser>): Recogniser {
  return {
    backend: 'pocketsphinx',
    model: 'scripted',
    license: 'none',
    device: 'cpu',
    languages: ['en'],
    isAligned: true,
    windowSeconds: 60,
    recognise: async () => [],
    close: async () => undefined,
    ...changes,
  }
}
