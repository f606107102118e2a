import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { RayJobView, RunWorkers } from '../../../contract/control/run-workers.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { DataTable, unseen } from '../../components/tables.tsx'
import { ProblemLine } from '../../components/dialog-form.tsx'
import { moment, plural } from '../../components/format.ts'
import { RowButton } from '../../components/row-button.tsx'
import { StateDot, type Tone } from '../../components/state-dot.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import styles from './ladder.module.css'
import { LADDER_WORDS } from './ladder-words.ts'

const WORDS = LADDER_WORDS.rayJobs

const LOG_MS = 2000

const TONES: Record<RayJobView['status'], Tone> = {
  PENDING: 'waiting',
  RUNNING: 'good',
  STOPPED: 'idle',
  SUCCEEDED: 'idle',
  FAILED: 'bad',
}

/** The workers that were sent to a Ray cluster, job by job, with log and cancel. */
export function RayJobs({ runId, ray }: { runId: string; ray: NonNullable<RunWorkers['ray']> }) {
  const [shown, setShown] = useState<string | null>(null)
  if (ray.problem === null && ray.jobs.length === 0) return null
  return (
    <div className={styles.rayJobs}>
      <h3>{WORDS.title(ray.url)}</h3>
      <ProblemLine problem={ray.problem} />
      {ray.jobs.length > 0 && (
        <DataTable
          label={WORDS.label}
          rows={ray.jobs}
          keyOf={({ submission_id: id }) => id}
          columns={[
            [WORDS.job, ({ submission_id: id }) => id, table.wrap],
            [
              WORDS.state,
              ({ status }) => (
                <>
                  <StateDot tone={TONES[status]} /> {status.toLowerCase()}
                </>
              ),
            ],
            [WORDS.workers, ({ workers }) => workers],
            [WORDS.message, ({ message }) => message, table.wrap],
            [WORDS.started, ({ started_at: at }) => moment(at)],
            [
              unseen(WORDS.actions),
              (job) => {
                const isShown = shown === job.submission_id
                return (
                  <JobActions
                    {...{ runId, job, isShown }}
                    onShow={() => setShown(isShown ? null : job.submission_id)}
                  />
                )
              },
            ],
          ]}
        />
      )}
      {shown !== null && (
        <JobLog runId={runId} job={ray.jobs.find(({ submission_id: id }) => id === shown)} id={shown} />
      )}
    </div>
  )
}

const isOver = ({ status }: RayJobView): boolean => status !== 'PENDING' && status !== 'RUNNING'

interface JobActionsProps {
  runId: string
  job: RayJobView
  isShown: boolean
  onShow: () => void
}

function JobActions({ runId, job, isShown, onShow }: JobActionsProps) {
  const { submission_id: id, workers } = job
  const [isAsked, setAsked] = useState(false)
  const cancel = useMutation(
    api.workers.cancelJob.mutationOptions({
      meta: { failed: WORDS.cancelling, returns: api.workers.get.queryKey({ input: { run_id: runId } }) },
    }),
  )
  return (
    <div className="buttons">
      <RowButton
        label={WORDS.toggleLog(isShown)}
        name={WORDS.logOf(isShown, id)}
        aria-expanded={isShown}
        onClick={onShow}
      />
      {!isOver(job) && (
        <RowButton
          label={WORDS.openDialog}
          name={WORDS.cancelOf(id)}
          loading={cancel.isPending}
          onClick={() => setAsked(true)}
        />
      )}
      <ConfirmDialog
        opened={isAsked}
        title={WORDS.question(id)}
        confirm={WORDS.cancel}
        keep={WORDS.keep}
        onClose={() => setAsked(false)}
        onConfirm={() => {
          setAsked(false)
          cancel.mutate({ run_id: runId, submission_id: id })
        }}
      >
        <p>{WORDS.stops(plural(workers, 'worker'))}</p>
      </ConfirmDialog>
    </div>
  )
}

/** The end of what a job and its workers have printed; it grows while the job runs. */
function JobLog({ runId, id, job }: { runId: string; id: string; job: RayJobView | undefined }) {
  const { data, error } = useQuery({
    ...api.workers.jobLog.queryOptions({ input: { run_id: runId, submission_id: id } }),
    staleTime: 0,
    refetchInterval: job === undefined || isOver(job) ? false : LOG_MS,
  })
  if (data === undefined) return <ProblemLine problem={error} />
  return (
    <>
      {data.is_cut && <p className="dim">{WORDS.isCut}</p>}
      <pre className="plain" tabIndex={0} aria-label={WORDS.log(id)}>
        {data.text === '' ? WORDS.noLog : data.text}
      </pre>
    </>
  )
}
