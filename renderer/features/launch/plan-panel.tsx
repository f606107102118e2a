import styles from './launch.module.css'
import { Button, Radio, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { InputProblem } from '../../../contract/control/control-error.ts'
import type { RunRequestInput, DatasetPlan } from '../../../contract/control/run-job.ts'
import type { RetryFailed } from '../../../contract/evidence/run-event.ts'
import { notifyFailure } from '../../components/notify.ts'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { useRecover } from '../ladder/use-recover.ts'
import { EffectsDialog } from './effects-dialog.tsx'
import { mustAsk } from './effects.ts'
import { PlanView } from './plan-view.tsx'
import type { PlanState } from './use-plan.ts'
import { LAUNCH_WORDS } from './launch-words.ts'

const RETRY_WORDS = LAUNCH_WORDS.retryQuestion

interface RetryQuestionProps {
  plan: { datasets: DatasetPlan[] }
  onChange: (retry: RetryFailed) => void
}

/** Shows what a plan that goes on with a stored run does with its failed cells, and the other choices. Nothing when no cell failed. */
function RetryQuestion({ plan: { datasets }, onChange }: RetryQuestionProps) {
  const sum = (of: (dataset: DatasetPlan) => number | undefined): number =>
    datasets.reduce((total, dataset) => total + (of(dataset) ?? 0), 0)
  const [access, other] = [sum(({ failed }) => failed?.access), sum(({ failed }) => failed?.other)]
  const failed = access + other
  if (failed === 0) return null
  const retried = sum(({ retry }) => retry)
  const chosen: RetryFailed = retried === 0 ? 'none' : retried === failed ? 'all' : 'access'
  const isMixed = access > 0 && other > 0
  return (
    <Radio.Group
      className={styles.retry}
      label={RETRY_WORDS.retryQuestion(failed, failed === 1 ? 'it' : 'them')}
      value={chosen}
      onChange={onChange}
    >
      <Stack gap={8} mt={8}>
        <Radio value="all" label={failed === 1 ? RETRY_WORDS.yes : RETRY_WORDS.all(failed)} />
        {isMixed && <Radio value="access" label={RETRY_WORDS.retryAccess(access)} />}
        <Radio value="none" label={failed === 1 ? RETRY_WORDS.keepOne : RETRY_WORDS.keepAll} />
      </Stack>
    </Radio.Group>
  )
}

const WORDS = LAUNCH_WORDS.planPanel

interface PlanPanelProps {
  request: RunRequestInput
  state: PlanState
  /** Leaves out the run name, so that a new run is planned. */
  onNewName: () => void
  /** Which failed cells of the stored run to try again. */
  onRetry: (retry: RetryFailed) => void
}

/** Shows what the request would do, or what is wrong with it; and the button that does it. */
export function PlanPanel({ request, state, onNewName, onRetry }: PlanPanelProps) {
  const navigate = useNavigate()
  const recover = useRecover()
  const { plan, problems, isStale, isPending, error, refetch } = state
  const start = useMutation(
    api.runs.start.mutationOptions({
      onSuccess: ({ run_id: run }) => void navigate({ to: '/runs/$run/progress', params: { run } }),
      onError: (failure) => notifyFailure(WORDS.startingTheRun, failure),
    }),
  )
  const ready = plan !== null && plan.totals.conflicts === 0 && plan.blockers.length === 0 && !isStale
  const [isAsking, setAsking] = useState(false)
  const run = (): void => {
    setAsking(false)
    if (plan === null) return
    const { deletions, publications } = plan
    start.mutate({
      ...request,
      // The name in the plan, which may be made from the time of day, is the one that was confirmed.
      run_id: plan.run_id,
      ...(deletions.length === 0 ? {} : { confirmed_deletions: deletions }),
      ...(publications.length === 0 ? {} : { confirmed_publications: publications }),
    })
  }
  const cells = plan === null ? 0 : plan.totals.run + plan.totals.answered
  return (
    <Panel title={WORDS.plan} aside={plan === null ? undefined : <span className={styles.runName}>{plan.run_id}</span>}>
      <Button
        fullWidth
        mb={12}
        size="sm"
        disabled={!ready}
        loading={start.isPending}
        onClick={() => (plan !== null && mustAsk(plan) ? setAsking(true) : run())}
      >
        {cells > 0 ? WORDS.runCells(cells) : WORDS.run}
      </Button>
      <div className={styles.planBody} aria-live="polite" aria-busy={isStale}>
        {isPending && <LoadingRows rows={7} />}
        {error !== null && <ErrorPanel error={error} what={WORDS.thePlan} retry={refetch} />}
        {problems.length > 0 && <ProblemList problems={problems} />}
        {plan !== null && <PlanView plan={plan} />}
        {plan !== null && <RetryQuestion plan={plan} onChange={onRetry} />}
        {plan !== null && request.run_id !== undefined && (
          <div className={styles.repairs}>
            {plan.blockers.some(({ code }) => code === 'torn_tail') && (
              <Button
                variant="default"
                loading={recover.isPending}
                onClick={() => recover.mutate({ run_id: plan.run_id })}
              >
                {WORDS.moveTornBytes}
              </Button>
            )}
            {plan.blockers.some(({ code }) => code !== 'run_active') && (
              <Button variant="default" onClick={onNewName}>
                {WORDS.useNewName}
              </Button>
            )}
          </div>
        )}
      </div>
      {plan !== null && (
        <EffectsDialog plan={plan} opened={isAsking} onClose={() => setAsking(false)} onConfirm={run} />
      )}
    </Panel>
  )
}

/** Shows what is wrong and where, by the exact path. */
function ProblemList({ problems }: { problems: InputProblem[] }) {
  return (
    <ul className={styles.notes}>
      {problems.map(({ path, message }) => (
        <li key={`${path}${message}`}>
          <span className={styles.bad} aria-hidden="true">
            ▲{' '}
          </span>
          <code>{path}</code> {message}
        </li>
      ))}
    </ul>
  )
}
