import type { GraphDocStatus } from '../../../contract/index.ts'
import { GraphTargetError } from '../ingestion/graph-phases.ts'
import type { DrainResult, GraphTargetClient } from '../ingestion/graph-phases.ts'
import type { GraphEngine } from './graph-engine.ts'

/** The engine as ingestion's target, which can also remove what the corpus no longer has. */
export type EmbeddedGraphTarget = Required<GraphTargetClient>

/** An engine in the same process as ingestion's graph target. */
export function graphTargetClient(engine: GraphEngine): EmbeddedGraphTarget {
  return {
    async upload({ id, title, text }, signal) {
      signal.throwIfAborted()
      const {
        status,
        message,
        track_id: trackId,
      } = engine.insert([{ text, filePath: id, title, replace: true }], 'upload')
      if (status === 'failure') throw new GraphTargetError(message, { transient: false })
      return { trackId }
    },
    async drain(trackIds, deadline, signal) {
      const timeout = AbortSignal.timeout(Math.max(0, deadline - Date.now()))
      try {
        await engine.idle(AbortSignal.any([signal, timeout]))
      } catch (cause) {
        signal.throwIfAborted()
        if (!timeout.aborted) throw cause
        const { docs, cur_batch: done } = engine.pipelineStatus()
        throw new GraphTargetError(`not finished at the deadline: ${done ?? 0} of ${docs ?? 0} documents`, {
          transient: true,
          cause,
        })
      }
      return summarise(trackIds.flatMap((trackId) => engine.track(trackId).documents))
    },
    retain: (ids) => engine.retain(ids),
    clear: () => engine.clear(),
  }
}

/** Counts documents once each; those neither processed nor failed count as failed, since nothing processes them any more. */
export function summarise(documents: readonly GraphDocStatus[]): DrainResult {
  const byId = new Map(documents.map((document) => [document.id, document]))
  const failed: DrainResult['failed'] = []
  let processed = 0
  for (const { status, file_path: document, error_msg: error } of byId.values()) {
    if (/^(?:pre)?processed$/i.test(status)) processed += 1
    else failed.push({ document, error: error ?? `left in state ${status}` })
  }
  return { processed, failed }
}
