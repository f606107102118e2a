import type { Recognizer } from '../../providers/stt/backends/recognizer.ts'

/** A recognizer that returns what a test gives it. */
export function scriptedRecognizer(changes: Partial<Recognizer>): Recognizer {
  return {
    backend: 'pocketsphinx',
    model: 'scripted',
    license: 'none',
    device: 'cpu',
    languages: ['en'],
    isAligned: true,
    windowSeconds: 60,
    recognize: async () => [],
    close: async () => undefined,
    ...changes,
  }
}
