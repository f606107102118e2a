import { describeEnd } from './work-process.ts'
import type { WorkEnd, WorkProcess } from './work-process.ts'

/** A working process ended without an answer. */
export class WorkEndedError extends Error {
  override readonly name = 'WorkEndedError'
  readonly end: WorkEnd

  constructor(end: WorkEnd) {
    super(`the working process ended (${describeEnd(end)})`)
    this.end = end
  }
}

/** The next message of a working process, which keeps this one alive until then. Rejects with `WorkEndedError`. */
export async function askWork<Answer>(work: WorkProcess, request: object): Promise<Answer> {
  work.hold()
  return new Promise<Answer>((resolve, reject) => {
    const unsubscribe = work.onMessage((answer) => {
      unsubscribeEnd()
      unsubscribe()
      resolve(answer as Answer)
    })
    const unsubscribeEnd = work.onEnd((end) => {
      unsubscribe()
      reject(new WorkEndedError(end))
    })
    work.send(request)
  }).finally(() => work.release())
}

/** V8 aborted on a full heap (reported as exit code 134 on Windows). */
export const isHeapFull = ({ code, signal }: WorkEnd): boolean => code === 134 || signal === 'SIGABRT'
