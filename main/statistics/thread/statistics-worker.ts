// Entry of the worker thread: computes the tasks that it is sent, one after the other.
import { parentPort } from 'node:worker_threads'
import { StatisticsError } from '../statistics-error.ts'
import { statisticsTasks, type TaskReply, type TaskRequest } from './tasks.ts'

function answer({ task, args }: TaskRequest): TaskReply {
  const compute = statisticsTasks[task] as (...args: unknown[]) => unknown
  try {
    return { ok: true, result: compute(...args) }
  } catch (error) {
    if (error instanceof StatisticsError) return { ok: false, message: error.message }
    throw error
  }
}

parentPort!.on('message', (request: TaskRequest) => parentPort!.postMessage(answer(request)))
