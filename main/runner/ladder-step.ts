import type { MissingColumn } from '../../contract/evidence/missing-column.ts'
import type { LadderStep, RunEvent } from '../../contract/evidence/run-event.ts'
import { messageOf } from '../../core/json.ts'

/** Why a dataset's ladder stopped at a step; `code` is the cause's own code where it has one. */
export class StepFailedError extends Error {
  override readonly name = 'StepFailedError'
  readonly step: LadderStep
  readonly code: string

  constructor(step: LadderStep, cause: unknown) {
    super(messageOf(cause), { cause })
    this.step = step
    this.code = codeOf(cause)
  }
}

/** The `code` of a typed error, else `unexpected`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unexpected'
}

/** States what a step returns. `missing` names graded metrics or judges without a single value: the run goes on without them. */
interface Done<Result> {
  result: Result
  note?: string | undefined
  missing?: MissingColumn[] | undefined
}

/** Runs one step of the procedure and reports its start, its end with a note, or its failure. Throws `StepFailedError`. */
export async function step<Result>(
  emit: (event: RunEvent) => void,
  datasetId: string,
  name: LadderStep,
  action: () => Promise<Done<Result>>,
): Promise<Result> {
  const started = performance.now()
  emit({ type: 'step.started', dataset_id: datasetId, step: name })
  try {
    const { result, note, missing = [] } = await action()
    const duration_ms = performance.now() - started
    const columns = missing.length === 0 ? {} : { missing }
    emit({ type: 'step.finished', dataset_id: datasetId, step: name, duration_ms, note: note ?? null, ...columns })
    return result
  } catch (cause) {
    const failure = new StepFailedError(name, cause)
    emit({ type: 'step.failed', dataset_id: datasetId, step: name, code: failure.code, message: failure.message })
    throw failure
  }
}

/** A step's failure as a value where `isTolerated` knows its cause: the steps after it go on. Null when it did not fail; throws any other. */
export async function failureOf(
  running: Promise<unknown>,
  isTolerated: (cause: unknown) => boolean,
): Promise<StepFailedError | null> {
  try {
    await running
    return null
  } catch (error) {
    if (error instanceof StepFailedError && isTolerated(error.cause)) return error
    throw error
  }
}

/** `step` bound to one dataset. */
export type At = <Result>(name: LadderStep, action: () => Promise<Done<Result>>) => Promise<Result>

/** Reports that a step is skipped, and why. */
export type Skip = (name: LadderStep, reason: string) => void
