import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { MetricComparison } from '../../contract/index.ts'
import type { ComparisonOptions } from './compare-pairs.ts'
import type { ScoreTable } from './score-table.ts'
import { StatisticsError } from './statistics-error.ts'
import type { StatisticsTask, TaskArguments, TaskReply, TaskResult } from './tasks.ts'
import { moduleEntry, threadOptions } from '../lib/module-entry.ts'

const ENTRY = moduleEntry('./statistics-worker', import.meta.url)

/**
 * Runs one task in a thread of its own, so that the caller's event loop stays free; the same result as the direct call. Rejects with a
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
    const worker = new Worker(ENTRY, threadOptions({ task, args }))
    let outcome: TaskReply | StatisticsError | null = null
    const stop = (): void => {
      outcome = new StatisticsError('aborted', `${task} was stopped`, signal?.reason)
      void worker.terminate()
    }
    signal?.addEventListener('abort', stop, { once: true })
    worker.once('message', (reply: TaskReply) => (outcome ??= reply))
    worker.once('error', (error: unknown) => {
      outcome ??= new StatisticsError('worker_failed', `${task} failed in its thread`, error)
    })
    // Settled only when the thread has ended, so that no caller leaves one running.
    worker.once('exit', (code) => {
      signal?.removeEventListener('abort', stop)
      if (outcome === null) reject(new StatisticsError('worker_failed', `${task} ended with ${code} and no result`))
      else if (outcome instanceof StatisticsError) reject(outcome)
      else if (outcome.ok) resolve(outcome.result as TaskResult<Task>)
      else reject(new StatisticsError('bad_input', outcome.message))
    })
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
