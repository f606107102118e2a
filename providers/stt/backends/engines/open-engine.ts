import type { Engine, EngineOrder } from './engine.ts'

/** The engine for the order's kind of model; only its own libraries are loaded. */
export async function openEngine(order: EngineOrder): Promise<Engine> {
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
