import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import type { RetryFailed, RunPlan } from '../../../contract/evidence/run-event.ts'
import type { EvidenceLog } from '../../evidence/evidence-log.ts'
import { isOutdatedFailure } from '../../evidence/rows/conditions.ts'
import { cellId, rowKeyOf } from '../../evidence/rows/row-id.ts'

// Cells that failed, or whose grading was refused, in an earlier run of the same id and are tried again. The earlier row stays; the new one has the next retry
// number (main/evidence/rows/retried-rows.ts), so it is claimed, kept and appended as every other row. A stored answer is only graded again.

/** Statuses that mean that the approach was not reached: they disappear once a key, a permission or an address is corrected. */
const ACCESS_STATUSES: readonly (number | null)[] = [401, 402, 403, 404]
const ACCESS_ERRORS: readonly (string | undefined)[] = ['access_refused', 'connection_failed', 'connection_reset']

type StoredFailure = keyof NonNullable<RunPlan['failed']>

/** Classifies a failed cell by whether its approach was reached. */
function storedFailureOf({ error, metrics }: Pick<CanonicalRow, 'error' | 'metrics'>): StoredFailure {
  const status = metrics.operational.attempts.at(-1)?.http_status ?? null
  return ACCESS_ERRORS.includes(error?.type) || ACCESS_STATUSES.includes(status) ? 'access' : 'other'
}

const TRIED: Record<RetryFailed, readonly StoredFailure[]> = { access: ['access'], all: ['access', 'other'], none: [] }

/** Describes what was stored of cells that failed, and which of them are tried again. */
export interface RetriedCells {
  /** The number that a cell's row has in this run, by the id of its first row. */
  retryOf: (cellId: string) => number
  /** Id of the stored row whose answer this run only grades again, by the id of the cell's first row; null for any other cell. */
  answerOf: (cellId: string) => string | null
  /** Stored failures of these cells; `retry` of them are tried again. */
  count(cellIds: Iterable<string>): { failed: Record<StoredFailure, number>; retry: number }
  /** Number of stored failures outside of these cells that this run would try again, because a model is set otherwise now. */
  outdatedBeside(cellIds: Iterable<string>): number
}

interface Failed {
  failure: StoredFailure
  next: number
  /** A model that its approach asks is set otherwise now. Beside answers of today the failure would count against its approach, so it is tried again whatever the mode is. */
  isOutdated: boolean
}

/** Reads the failed rows of a log and decides what is tried again. Calls and writes nothing. */
export async function retriedCellsOf(
  { log, reproducibility }: { log: EvidenceLog; reproducibility: Reproducibility },
  mode: RetryFailed,
): Promise<RetriedCells> {
  const failures = new Map<string, Failed>()
  const ungraded = new Map<string, { rowId: string; next: number }>()
  for await (const row of log.openRows()) {
    const [cell, next] = [cellId(rowKeyOf(row)), (row.retry ?? 0) + 1]
    const isOutdated = isOutdatedFailure(row, reproducibility)
    if (row.status !== 'ok') failures.set(cell, { failure: storedFailureOf(row), next, isOutdated })
    else if (mode !== 'none') ungraded.set(cell, { rowId: row.row_id, next })
  }
  const isTried = ({ failure, isOutdated }: Failed): boolean => isOutdated || TRIED[mode].includes(failure)
  return {
    retryOf(cell) {
      const known = failures.get(cell)
      return known !== undefined && isTried(known) ? known.next : (ungraded.get(cell)?.next ?? log.retryOf(cell))
    },
    answerOf: (cell) => ungraded.get(cell)?.rowId ?? null,
    count(cells) {
      const counts = { failed: { access: 0, other: 0 }, retry: 0 }
      // Mostly: then no id of a cell has to be made.
      if (failures.size === 0) return counts
      for (const cell of cells) {
        const known = failures.get(cell)
        if (known === undefined) continue
        counts.failed[known.failure] += 1
        if (isTried(known)) counts.retry += 1
      }
      return counts
    },
    outdatedBeside(cells) {
      const outdated = new Set([...failures].filter(([, { isOutdated }]) => isOutdated).map(([cell]) => cell))
      if (outdated.size > 0) for (const cell of cells) outdated.delete(cell)
      return outdated.size
    },
  }
}
