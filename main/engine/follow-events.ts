import { setTimeout as delay } from 'node:timers/promises'
import type { SequencedEvent } from '../../contract/control/events.ts'
import { ServiceFailedError } from '../supervisor/supervised-service.ts'
import type { LaunchedEngine } from './launch-engine.ts'

const AGAIN_AFTER_MS = 300

/**
 * Everything that an engine tells, in order and once, across broken connections and restarts of the engine; what a restarted engine does not
 * have any more it says itself, as a gap. Ends when the engine is stopped or given up.
 */
export async function* followEvents({ service, client }: LaunchedEngine): AsyncGenerator<SequencedEvent> {
  let from: { after: number; engine_id?: string } = { after: 0 }
  for (;;) {
    try {
      await service.whenReady()
      for await (const entry of await client(service.url!).system.events(from)) {
        const { seq, event } = entry
        from = event.type === 'stream.opened' ? { ...from, engine_id: event.engine_id } : { ...from, after: seq }
        yield entry
      }
    } catch (error) {
      if (error instanceof ServiceFailedError) return
      // The connection broke: the state of the engine tells why, and its stream goes on from the number.
    }
    await delay(AGAIN_AFTER_MS)
  }
}
