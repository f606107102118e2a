import { messageOf } from '../../../../core/json.ts'
import type { TimedWord } from '../recognizer.ts'
import { type Engine, type EngineFacts, type EngineOrder, EngineMissingError } from './engine.ts'

export type EngineRequest = { load: EngineOrder } | { samples: Float32Array; language: string }
export type EngineReply = { facts: EngineFacts } | { words: TimedWord[] } | { failed: string; isMissing: boolean }

/** The process that a model lives in: one request at a time. Its parent kills it when a window takes too long; the native code cannot be asked. */
let engine: Engine | null = null

process.on('message', (request: EngineRequest) => {
  void answer(request).then(
    (reply) => process.send!(reply),
    (error: unknown) =>
      process.send!({
        failed: messageOf(error),
        isMissing: error instanceof EngineMissingError,
      } satisfies EngineReply),
  )
})
// The parent has ended, so the words have no recipient.
process.once('disconnect', () => process.exit(0))

async function answer(request: EngineRequest): Promise<EngineReply> {
  if ('load' in request) {
    engine = await openEngine(request.load)
    const { device, isAligned, note } = engine
    return { facts: { device, isAligned, note } }
  }
  if (engine === null) throw new Error('no model is loaded')
  return { words: await engine.recognize(request.samples, request.language) }
}

/** The engine for the order's kind of model; only its own libraries are loaded. */
async function openEngine(order: EngineOrder): Promise<Engine> {
  switch (order.kind) {
    case 'transducer':
      return (await import('./transducer-engine.ts')).openTransducer(order)
    case 'transformers':
      return (await import('./transformers-engine.ts')).openTransformers(order)
    case 'sherpa-transducer':
    case 'sherpa-ctc':
    case 'sherpa-whisper':
    case 'sherpa-moonshine':
      return (await import('./sherpa-engine.ts')).openSherpa(order)
  }
}
