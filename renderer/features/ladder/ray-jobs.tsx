import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { RayJobView, RunWorkers } from '../../../contract/control/run-workers.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { moment, plural } from '../../components/format.ts'
import { notifyFailure } from '../../components/notify.ts'
import { StateDot, type Tone } from '../../components/state-dot.tsx'
import table from '../../components/table.module.css'
import { TableHead, unseen } from '../../components/table-head.tsx'
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
  const heads = [WORDS.job, WORDS.state, WORDS.workers, WORDS.message, WORDS.started]
  if (ray.problem === null && ray.jobs.length === 0) return null
  return (
    <div className={styles.rayJobs}>
      <h3>{WORDS.title(ray.url)}</h3>
      {ray.problem !== null && <p role="alert">▲ {ray.problem}</p>}
      {ray.jobs.length > 0 && (
        <div className={table.scroll}>
          <table className={table.table} aria-label={WORDS.label}>
            <TableHead columns={[...heads, unseen(WORDS.actions)]} />
            <tbody>
              {ray.jobs.map((job) => (
                <JobRow
                  key={job.submission_id}
                  {...{ runId, job }}
                  isShown={shown === job.submission_id}
                  onShow={() => setShown(shown === job.submission_id ? null : job.submission_id)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown !== null && (
        <JobLog runId={runId} job={ray.jobs.find(({ submission_id: id }) => id === shown)} id={shown} />
      )}
    </div>
  )
}

const isOver = ({ status }: RayJobView): boolean => status !== 'PENDING' && status !== 'RUNNING'

interface JobRowProps {
  runId: string
  job: RayJobView
  isShown: boolean
  onShow: () => void
}

function JobRow({ runId, job, isShown, onShow }: JobRowProps) {
  const { submission_id: id, status, workers, message, started_at: startedAt } = job
  const [isAsked, setAsked] = useState(false)
  const client = useQueryClient()
  const cancel = useMutation(
    api.workers.cancelJob.mutationOptions({
      onSuccess: (view) => client.setQueryData(api.workers.get.queryKey({ input: { run_id: runId } }), view),
      onError: (error) => notifyFailure(WORDS.cancelling, error),
    }),
  )
  return (
    <tr>
      <th scope="row" className={table.wrap}>
        {id}
      </th>
      <td>
        <StateDot tone={TONES[status]} /> {status.toLowerCase()}
      </td>
      <td>{workers}</td>
      <td className={table.wrap}>{message}</td>
      <td>{moment(startedAt)}</td>
      <td className={styles.actions}>
        <Button
          size="xs"
          variant="default"
          aria-expanded={isShown}
          aria-label={WORDS.logOf(isShown, id)}
          onClick={onShow}
        >
          {WORDS.toggleLog(isShown)}
        </Button>
        {!isOver(job) && (
          <Button
            size="xs"
            variant="default"
            loading={cancel.isPending}
            aria-label={WORDS.cancelOf(id)}
            onClick={() => setAsked(true)}
          >
            {WORDS.openDialog}
          </Button>
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
      </td>
    </tr>
  )
}

/** The end of what a job and its workers have printed; it grows while the job runs. */
function JobLog({ runId, id, job }: { runId: string; id: string; job: RayJobView | undefined }) {
  const { data, error } = useQuery({
    ...api.workers.jobLog.queryOptions({ input: { run_id: runId, submission_id: id } }),
    staleTime: 0,
    refetchInterval: job === undefined || isOver(job) ? false : LOG_MS,
  })
  if (data === undefined) return error === null ? null : <p role="alert">▲ {error.message}</p>
  return (
    <>
      {data.is_cut && <p className="dim">{WORDS.isCut}</p>}
      <pre className={styles.jobLog} tabIndex={0} aria-label={WORDS.log(id)}>
        {data.text === '' ? WORDS.noLog : data.text}
      </pre>
    </>
  )
}
