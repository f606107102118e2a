import { parentPort } from 'node:worker_threads'
import type { ThreadReply } from './engine-thread.ts'

/** The thread's side of `EngineThread`: answers each task with what `work` makes of it, or with why it failed. */
export function serveThread(work: (task: never) => Promise<unknown>): void {
  const port = parentPort!
  port.on('message', ({ id, task }: { id: number; task: never }) => {
    work(task).then(
      (answer) => port.postMessage({ id, answer } satisfies ThreadReply<unknown>),
      (error: unknown) => {
        const { code } = error as { code?: unknown }
        const failed = error instanceof Error ? error.message : String(error)
        port.postMessage({ id, failed, code: typeof code === 'string' ? code : null } satisfies ThreadReply<unknown>)
      },
    )
  })
}
