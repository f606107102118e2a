import { moduleEntry } from '../../kit/module-entry.ts'
import { askWork, isHeapFull, WorkEndedError } from '../../kit/work/ask-work.ts'
import { startWork, type WorkEnd, type WorkProcess } from '../../kit/work/work-process.ts'
import { ConversionError } from '../model/conversion-error.ts'
import { OUT_OF_MEMORY_EXIT, type ConversionOutcome, type ConversionRequest, type WorkerAnswer } from './protocol.ts'

/** Runs conversions in processes of their own. */
export interface Converter {
  /** Throws `ConversionError`, or an error of ours. An abort kills the process that works on it. */
  convert(request: ConversionRequest, signal: AbortSignal): Promise<ConversionOutcome>
  /** Kills every process. */
  close(): void
}

export interface ConverterOptions {
  /** Memory that one working process may have. */
  maxMemoryBytes: number
  /** Lines that working processes print. */
  onNoise: (line: string) => void
}

/** A process that has grown this large is replaced after its conversion. */
const RECYCLE_BYTES_SHARE = 0.5
const HEAP_SHARE = 0.5
const ENTRY = moduleEntry('./worker', import.meta.url)

/** One process per conversion under way; an idle one is kept, as loading the libraries takes most of a small conversion's time. */
export function createConverter({ maxMemoryBytes, onNoise }: ConverterOptions): Converter {
  const all = new Set<WorkProcess>()
  const idle: WorkProcess[] = []
  let closed = false

  const start = (): WorkProcess => {
    const work = startWork({
      entry: ENTRY,
      args: [String(maxMemoryBytes)],
      heapMib: Math.round((maxMemoryBytes * HEAP_SHARE) / 1024 / 1024),
      // LibreOffice goes with it.
      startsPrograms: true,
      onPrint: (text) => onNoise(text.trimEnd().slice(0, 2000)),
    })
    all.add(work)
    work.onEnd(() => {
      all.delete(work)
      const at = idle.indexOf(work)
      if (at >= 0) idle.splice(at, 1)
    })
    return work
  }

  return {
    async convert(request, signal) {
      signal.throwIfAborted()
      if (closed) throw new Error('the converter is closed')
      const work = idle.pop() ?? start()
      const abort = (): void => work.kill()
      signal.addEventListener('abort', abort, { once: true })
      try {
        const answer = await ask(work, request)
        if (work.isAlive && answer.rssBytes < maxMemoryBytes * RECYCLE_BYTES_SHARE) idle.push(work)
        else work.kill()
        if (answer.ok) return answer.outcome
        if (answer.code === 'fault') throw new Error(answer.message)
        throw new ConversionError(answer.code, answer.message)
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
    close() {
      closed = true
      for (const work of all) work.kill()
    },
  }
}

type Answer = WorkerAnswer & { rssBytes: number }

async function ask(work: WorkProcess, request: ConversionRequest): Promise<Answer> {
  return askWork<Answer>(work, request).catch((error: unknown) => {
    throw error instanceof WorkEndedError && isOutOfMemory(error.end)
      ? new ConversionError('too_large', 'the document needs more memory than a conversion may have')
      : error
  })
}

/** It exited by its own memory check, or its heap was full. */
const isOutOfMemory = (end: WorkEnd): boolean => end.code === OUT_OF_MEMORY_EXIT || isHeapFull(end)
