import { parentPort } from 'node:worker_threads'
import { messageOf } from '../../../core/json.ts'
import type { EngineReply } from './engine-program.ts'

/** Weights that are there and cannot be used: cut off, altered, or of another version. */
export class ModelDamagedError extends Error {
  override readonly name = 'ModelDamagedError'
  readonly code = 'model_damaged'
}

/** The side of `EngineProgram` that works, in a thread or in a process: answers each task with what `work` makes of it, or with why it failed. */
export function serveEngine(work: (task: never) => Promise<unknown>): void {
  const reply = (message: EngineReply<unknown>): void => {
    if (parentPort === null) process.send!(message)
    else parentPort.postMessage(message)
  }
  const onTask = ({ id, task }: { id: number; task: never }): void => {
    work(task).then(
      (answer) => reply({ id, answer }),
      (error: unknown) => {
        const { code } = error as { code?: unknown }
        const failed = messageOf(error)
        reply({ id, failed, code: typeof code === 'string' ? code : null })
      },
    )
  }
  if (parentPort !== null) parentPort.on('message', onTask)
  else {
    process.on('message', onTask)
    // The parent has ended, so the sound has no recipient.
    process.once('disconnect', () => process.exit(0))
  }
}
