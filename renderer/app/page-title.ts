import type { RunJob, CellCounts } from '../../contract/control/run-job.ts'
import { isUnderWay } from '../../core/evidence/run-fold.ts'

const PRODUCT = 'RAG Ladder'

/** `45 % · Matrix · RAG Ladder`; without a run under way, the page alone. */
export function pageTitle(
  page: string | undefined,
  job: Pick<RunJob, 'state'> | null,
  progress: Pick<CellCounts, 'done' | 'total'> | null,
): string {
  const share =
    job !== null && isUnderWay(job.state) && progress !== null && progress.total > 0
      ? `${Math.floor((100 * progress.done) / progress.total)} %`
      : undefined
  return [share, page, PRODUCT].filter((part) => part !== undefined).join(' · ')
}
