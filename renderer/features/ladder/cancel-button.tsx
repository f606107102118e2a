import type { RunJob } from '../../../contract/control/run-job.ts'
import { ConfirmButton } from '../../components/confirm-dialog.tsx'
import { count } from '../../components/format.ts'
import { useProgress } from '../../data/progress.ts'
import { useRunControl } from './run-control.ts'
import { LADDER_WORDS } from './ladder-words.ts'

const WORDS = LADDER_WORDS.cancelButton

/** Cancels a run after asking. */
export function CancelButton({ job }: { job: RunJob }) {
  const control = useRunControl()
  const progress = useProgress(job)
  return (
    <ConfirmButton
      label={WORDS.openDialog}
      disabled={job.state === 'cancelling'}
      title={WORDS.question(job.run_id)}
      confirm={WORDS.cancelRun}
      keep="Keep run"
      onConfirm={(close) => {
        close()
        control.cancel(job.run_id)
      }}
    >
      <p>
        {WORDS.canResume(
          progress !== null && progress.total > 0
            ? WORDS.cellsKept(count(progress.done), count(progress.total))
            : WORDS.noCellDone,
        )}
      </p>
    </ConfirmButton>
  )
}
