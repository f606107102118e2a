import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { RunJob } from '../../../contract/control/run-job.ts'
import { runStateWords, signOf } from '../../components/run-state.ts'
import { api } from '../../data/client.ts'
import { CancelButton } from './cancel-button.tsx'
import { canResume, failuresWithoutStep, hasResult } from './repair.ts'
import { canBeScored, MissingButtons } from './missing-columns.tsx'
import { RepairButtons } from './repair-buttons.tsx'
import { useRunControl } from './run-control.ts'
import styles from './ladder.module.css'
import { LADDER_WORDS } from './ladder-words.ts'

const WORDS = LADDER_WORDS.runNote

interface RunNoteProps {
  job: RunJob
  /** Steps of this run are below, with the buttons that repair a failed one. */
  withSteps?: boolean
  /** The page has no other button that comes first. */
  isPrimary?: boolean
}

/** One run that is not under way: its state in the one wording, and what can be done with it. */
export function RunNote({ job, withSteps = false, isPrimary = true }: RunNoteProps) {
  const { run_id: runId, state, cells, request } = job
  const navigate = useNavigate()
  const control = useRunControl()
  const dismiss = useMutation(
    api.runs.dismiss.mutationOptions({ meta: { failed: WORDS.dismissing, refreshes: [api.runs.key()] } }),
  )
  const dataset = request.dataset_ids.at(-1)
  const openMatrix = (): void =>
    void navigate({ to: '/runs/$run/matrix', params: { run: runId }, search: dataset === undefined ? {} : { dataset } })
  const hasCells = cells !== null && cells.done > 0
  // A failed step shows its own buttons.
  const stepless = state === 'failed' && withSteps ? failuresWithoutStep(job)[0] : undefined
  const missing = state === 'completed' ? job.missing : undefined
  return (
    <div className={`notice ${styles.done}`} role="status" data-state={state}>
      <span className={styles.noteText}>
        <span aria-hidden="true">{signOf(job)} </span>
        {WORDS.run}
        <strong>{runId}</strong> {runStateWords(job)}
        {/[.!?]$/.test(runStateWords(job)) ? '' : '.'}
      </span>
      {hasResult(job) && (
        <Button
          variant={isPrimary && state === 'completed' && !canBeScored(missing) ? 'filled' : 'default'}
          onClick={() => void navigate({ to: '/runs/$run/verdict', params: { run: runId } })}
        >
          {WORDS.openResult}
        </Button>
      )}
      {missing !== undefined && <MissingButtons run={runId} columns={missing} {...{ isPrimary }} />}
      {canResume(job) && (
        <Button variant={isPrimary ? 'filled' : 'default'} onClick={() => control.resume(runId)}>
          {WORDS.resumeRun}
        </Button>
      )}
      {stepless !== undefined && <RepairButtons {...{ runId, isPrimary }} step={null} code={stepless.code} />}
      {hasCells && <Button onClick={openMatrix}>{WORDS.openMatrix}</Button>}
      {!withSteps && state !== 'queued' && (
        <Button onClick={() => void navigate({ to: '/runs/$run/progress', params: { run: runId } })}>
          {WORDS.showSteps}
        </Button>
      )}
      {state === 'interrupted' && (
        <Button loading={dismiss.isPending} onClick={() => dismiss.mutate({ run_id: runId })}>
          {WORDS.dismiss}
        </Button>
      )}
      {(state === 'paused' || state === 'queued') && <CancelButton job={job} />}
    </div>
  )
}
