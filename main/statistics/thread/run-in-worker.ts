import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { MetricComparison } from '../../../contract/evidence/statistics.ts'
import type { ComparisonOptions } from '../options.ts'
import type { ScoreTable } from '../score-table.ts'
import { StatisticsError } from '../statistics-error.ts'
import type { StatisticsTask, TaskArguments, TaskReply, TaskRequest, TaskResult } from './tasks.ts'
import { moduleEntry, threadOptions } from '../../lib/module-entry.ts'

const ENTRY = moduleEntry('./statistics-worker', import.meta.url)

/** A thread that has nothing to do for this long ends. To start one takes longer than most tables do. */
const IDLE_MS = 10_000

/** Threads that wait for a task, with the timers that end them; neither keeps the process alive. */
const idle = new Map<Worker, NodeJS.Timeout>()

function takeThread(): Worker {
  const [waiting] = idle
  if (waiting === undefined) return new Worker(ENTRY, threadOptions(null))
  const [worker, timer] = waiting
  clearTimeout(timer)
  idle.delete(worker)
  worker.ref()
  return worker
}

function keepThread(worker: Worker): void {
  const end = (): void => {
    idle.delete(worker)
    void worker.terminate()
  }
  idle.set(worker, setTimeout(end, IDLE_MS).unref())
  worker.unref()
}

/**
 * Runs one task in a thread, so that the caller's event loop stays free; the same result as the direct call. Rejects with a
 * `StatisticsError`: bad_input as the task reports, aborted by the signal (the thread is stopped), worker_failed for anything else.
 */
export function runInWorker<Task extends StatisticsTask>(
  task: Task,
  args: TaskArguments<Task>,
  signal?: AbortSignal,
): Promise<TaskResult<Task>> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new StatisticsError('aborted', `${task} was not started`, signal.reason))
      return
    }
    const worker = takeThread()
    let failure: StatisticsError | null = null
    const stop = (): void => {
      failure = new StatisticsError('aborted', `${task} was stopped`, signal?.reason)
      void worker.terminate()
    }
    const onMessage = (reply: TaskReply): void => {
      // A thread that was stopped has no further task; its end settles the call.
      if (failure !== null) return
      release()
      keepThread(worker)
      if (reply.ok) resolve(reply.result as TaskResult<Task>)
      else reject(new StatisticsError('bad_input', reply.message))
    }
    const onError = (error: unknown): void => {
      failure ??= new StatisticsError('worker_failed', `${task} failed in its thread`, error)
    }
    const onExit = (code: number): void => {
      release()
      reject(failure ?? new StatisticsError('worker_failed', `${task} ended with ${code} and no result`))
    }
    const release = (): void => {
      signal?.removeEventListener('abort', stop)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
    }
    signal?.addEventListener('abort', stop, { once: true })
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    const asked: TaskRequest = { task, args }
    worker.postMessage(asked)
  })
}

export interface WorkerOptions {
  signal?: AbortSignal
  /** Threads to share the metrics between; two, or one on a single processor: models may want the others. */
  threads?: number
}

/** `compareTables` off the event loop, the metrics shared out to threads; the results do not depend on their number. */
export async function compareInWorker(
  tables: readonly ScoreTable[],
  options: ComparisonOptions,
  { signal, threads = Math.min(2, availableParallelism()) }: WorkerOptions = {},
): Promise<MetricComparison[]> {
  const share = Math.ceil(tables.length / Math.max(1, threads))
  const parts: ScoreTable[][] = []
  for (let from = 0; from < tables.length; from += share) parts.push(tables.slice(from, from + share))
  const failed = new AbortController()
  const stop = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal])
  const runs = parts.map((part) => runInWorker('compareTables', [part, options], stop))
  try {
    return (await Promise.all(runs)).flat()
  } catch (error) {
    // One part failed: the others' results would be thrown away, so their threads stop before the caller gets the error.
    failed.abort()
    await Promise.allSettled(runs)
    throw error
  }
}
