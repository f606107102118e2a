import type { RunEvent } from '../../contract/index.ts'
import type { EvidenceNotice } from '../evidence/evidence-log.ts'

/** What an evidence log repaired or could not do, told to the person as a warning of the run. */
export const tellNotices =
  (emit: (event: RunEvent) => void) =>
  ({ message }: EvidenceNotice): void =>
    emit({ type: 'notice', level: 'warning', message })
