import { hash, randomUUID } from 'node:crypto'
import { HttpError } from '../../../kit/http-error.ts'
import type { TaskStore } from '../../jobs/task-store.ts'
import { BudgetRefusedError } from './budget-ledger.ts'
import type { MediaOperation, NewOperation, OperationStore } from './operation-store.ts'
import { MEDIA, MEDIA_ATTEMPTS } from './run-operation.ts'
import type { MediaTask } from './run-operation.ts'

/** A checked request for an operation. */
export type OperationRequest = Omit<NewOperation, 'id' | 'provenance' | 'deadlineMs'> & {
  input: Record<string, unknown>
  /** From now on. */
  timeoutMs: number
}

/** Stores an operation with its reservation and its background job. Throws 402 over a cap, 400 for an unknown cost that the budget refuses. */
export type BeginOperation = (request: OperationRequest) => Promise<MediaOperation>

/** `wake` starts looking for operations to run. */
export function operationStarter(operations: OperationStore, tasks: TaskStore, wake: () => void): BeginOperation {
  return async ({ input, timeoutMs, ...request }) => {
    const id = randomUUID()
    const now = new Date()
    const operation: NewOperation = {
      ...request,
      id,
      provenance: {
        provider: request.provider,
        model: request.model,
        input_sha256: hash('sha256', JSON.stringify(input)),
        requested_at: now.toISOString(),
      },
      deadlineMs: now.getTime() + timeoutMs,
    }
    const payload: MediaTask = { input }
    const job = { id, kind: MEDIA, subject: request.subject, payload, maxAttempts: MEDIA_ATTEMPTS }
    try {
      await operations.add(operation, (tx) => tasks.add(job, tx))
    } catch (error) {
      if (!(error instanceof BudgetRefusedError)) throw error
      throw new HttpError(error.code === 'over_cap' ? 402 : 400, error.message, { cause: error })
    }
    const added = (await operations.get(id))!
    wake()
    return added
  }
}
