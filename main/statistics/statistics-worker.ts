// Entry of the worker thread: computes the one task that it was started with, and ends.
import { parentPort, workerData } from 'node:worker_threads'
import { StatisticsError } from './statistics-error.ts'
import { type StatisticsTask, statisticsTasks, type TaskReply } from './tasks.ts'

const { task, args } = workerData as { task: StatisticsTask; args: unknown[] }

function answer(): TaskReply {
  const compute = statisticsTasks[task] as (...args: unknown[]) => unknown
  try {
    return { ok: true, result: compute(...args) }
  } catch (error) {
    if (error instanceof StatisticsError) return { ok: false, message: error.message }
    throw error
  }
}

parentPort!.postMessage(answer())
