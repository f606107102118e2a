import type { GraphDocStatus } from '../../../../contract/http/graph-documents.ts'
import { GraphTargetError } from '../../ingestion/graph-phases.ts'
import type { DrainResult, GraphDocument, GraphTargetClient } from '../../ingestion/graph-phases.ts'
import { splitLongTexts } from './documents.ts'
import type { GraphEngine } from './graph-engine.ts'
import { createPauses } from './sliced-work.ts'

/** The engine as ingestion's target, which can also remove what the corpus no longer has. */
export type EmbeddedGraphTarget = Required<GraphTargetClient>

/** An engine in the same process as ingestion's graph target. */
export function graphTargetClient(engine: GraphEngine): EmbeddedGraphTarget {
  const uploadMany = async (documents: readonly GraphDocument[], signal: AbortSignal) => {
    signal.throwIfAborted()
    const inputs = documents.map(({ id, title, text }) => ({ text, filePath: id, title }))
    const { trackIds, refused } = engine.upload(await splitLongTexts(inputs, engine.limits))
    if (refused.length > 0) throw new GraphTargetError(`refused: ${refused.join('; ')}`, { transient: false })
    return { trackIds }
  }
  return {
    uploadMany,
    async upload(document, signal) {
      const { trackIds } = await uploadMany([document], signal)
      return { trackId: trackIds[0]! }
    },
    async drain(trackIds, deadline, signal, onProgress) {
      const timeout = AbortSignal.timeout(Math.max(0, deadline - Date.now()))
      const report = () => {
        const { docs, cur_batch: done } = engine.pipelineStatus()
        onProgress?.({ done: done ?? 0, total: docs ?? 0 })
      }
      const reporting = setInterval(report, PROGRESS_EVERY_MS)
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
      } finally {
        clearInterval(reporting)
      }
      const pause = createPauses(signal)
      const documents: DocumentOutcome[] = []
      for (const trackId of new Set(trackIds)) {
        for (const { id, status, file_path, error_msg } of engine.track(trackId).documents)
          documents.push({ id, status, file_path, error_msg })
        await pause()
      }
      return summarize(documents)
    },
    retain: (ids) => engine.retain(ids),
    isCurrent: (documents) => engine.isCurrent(documents),
    repair: (signal) => engine.repair(signal),
    health: () => engine.extraction(),
    clear: () => engine.clear(),
  }
}

const PROGRESS_EVERY_MS = 500

type DocumentOutcome = Pick<GraphDocStatus, 'id' | 'status' | 'file_path' | 'error_msg'>

/** Counts documents once each; those neither processed nor failed count as failed, since nothing processes them any more. */
export function summarize(documents: readonly DocumentOutcome[]): DrainResult {
  const byId = new Map(documents.map((document) => [document.id, document]))
  const failed: DrainResult['failed'] = []
  let processed = 0
  for (const { status, file_path: document, error_msg: error } of byId.values()) {
    if (/^(?:pre)?processed$/i.test(status)) processed += 1
    else failed.push({ document, error: error ?? `left in state ${status}` })
  }
  return { processed, failed }
}
