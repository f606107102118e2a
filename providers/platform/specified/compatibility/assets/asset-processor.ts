import { HttpError } from '../../../../kit/http-error.ts'
import type { Logger } from '../../../../kit/logger.ts'
import { moduleEntry } from '../../../../kit/module-entry.ts'
import { askWork, isHeapFull, WorkEndedError } from '../../../../kit/work/ask-work.ts'
import { startWork } from '../../../../kit/work/work-process.ts'
import type { WorkProcess } from '../../../../kit/work/work-process.ts'
import type { AssetAnswer, AssetRequest } from './protocol.ts'

/** Processes models in processes of their own, one for each: a hostile file cannot hold, fill or end the platform. */
export interface AssetProcessor {
  /** Writes the processed model. Throws 422 for one that cannot be processed; an abort kills the process. */
  run(request: AssetRequest, signal: AbortSignal): Promise<Extract<AssetAnswer, { ok: true }>>
  /** Kills every process. */
  close(): void
}

/** Most that the JavaScript of one process may hold, which does not include vertices and pixels. */
const HEAP_MIB = 2048
const ENTRY = moduleEntry('./asset-child', import.meta.url)

export function createAssetProcessor(logger: Logger): AssetProcessor {
  const all = new Set<WorkProcess>()
  return {
    async run(request, signal) {
      signal.throwIfAborted()
      const onPrint = (text: string): void =>
        logger.debug({ printed: text.slice(0, 2000) }, 'the asset process printed')
      const work = startWork({ entry: ENTRY, heapMib: HEAP_MIB, onPrint })
      all.add(work)
      const abort = (): void => work.kill()
      signal.addEventListener('abort', abort, { once: true })
      try {
        const answer = await askWork<AssetAnswer>(work, request)
        if (answer.ok) return answer
        if (answer.code === 'invalid') throw new HttpError(422, answer.message)
        if (answer.code === 'failed') throw new Error(answer.message)
        logger.warn({ fault: answer.message }, 'a model cannot be processed')
        throw new HttpError(422, 'The model cannot be processed: it is damaged, or of a form that is not supported')
      } catch (error) {
        if (error instanceof WorkEndedError && isHeapFull(error.end))
          throw new HttpError(422, 'The model needs more memory than one may have', { cause: error })
        throw error
      } finally {
        signal.removeEventListener('abort', abort)
        all.delete(work)
        work.kill()
      }
    },
    close() {
      for (const work of all) work.kill()
    },
  }
}
