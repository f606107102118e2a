import { Button } from '@mantine/core'
import { useState } from 'react'
import type { RunJob } from '../../../contract/control/run-job.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { count } from '../../components/format.ts'
import { useProgress } from '../../data/progress.ts'
import { useRunControl } from './run-control.ts'

/** Cancels a run after asking. */
export function CancelButton({ job }: { job: RunJob }) {
  const [isOpen, setOpen] = useState(false)
  const control = useRunControl()
  const progress = useProgress(job)
  return (
    <>
      <Button variant="default" disabled={job.state === 'cancelling'} onClick={() => setOpen(true)}>
        Cancel run…
      </Button>
      <ConfirmDialog
        opened={isOpen}
        title={`Cancel run ${job.run_id}?`}
        confirm="Cancel run"
        keep="Keep run"
        onClose={() => setOpen(false)}
        onConfirm={() => {
          setOpen(false)
          control.cancel(job.run_id)
        }}
      >
        <p>
          {progress !== null && progress.total > 0
            ? `${count(progress.done)} of ${count(progress.total)} cells are done and kept. Cells under way are dropped.`
            : 'No cell is done yet.'}{' '}
          A cancelled run can be resumed.
        </p>
      </ConfirmDialog>
    </>
  )
}
