import type { AnswerCost } from '../../../contract/control/cells.ts'
import type { CellCut } from '../../../contract/control/run-index/cell.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { CallTimes } from './call-times.tsx'
import { MetadataView } from './metadata-view.tsx'
import { TraceTree } from './trace-tree.tsx'
import styles from './cell.module.css'

interface TraceTabProps {
  run: string
  cell: CanonicalRow
  cuts: readonly CellCut[]
  cost: AnswerCost
}

/** Shows how the approach found its answer: where the time went, every call, and what the approach reports of its way. */
export const TraceTab = ({ run, cell, cuts, cost }: TraceTabProps) => (
  <div className={styles.sections}>
    <CallTimes operational={cell.metrics.operational} cost={cost} />
    <TraceTree key={cell.row_id} run={run} row={cell.row_id} trace={cell.trace} cuts={cuts} />
    <MetadataView metadata={cell.evidence?.approach_metadata ?? {}} />
  </div>
)
