import { Button, Radio, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { ModelSetView } from '../../../contract/control/experiment.ts'
import type { InputProblem } from '../../../contract/control/control-error.ts'
import type { DatasetPlan, RunRequestInput } from '../../../contract/control/run-job.ts'
import type { RetryFailed } from '../../../contract/evidence/run-event.ts'
import { failureMessage } from '../../../core/role-words.ts'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { useRecover } from '../ladder/use-recover.ts'
import { NEW_RUN_WORDS } from './new-run-words.ts'
import styles from './new-run.module.css'
import { Calibration } from './calibration.tsx'
import { planFigures } from './plan-figures.ts'
import { PlanView } from './plan-view.tsx'
import type { PlanState } from './use-plan.ts'

const RETRY_WORDS = NEW_RUN_WORDS.retryQuestion

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

const WORDS = NEW_RUN_WORDS.planPanel

interface PlanPanelProps {
  request: RunRequestInput
  /** The chosen model set; absent where it is not known. */
  set: ModelSetView | undefined
  state: PlanState
  /** Why the run did not start. */
  startError: Error | null
  /** The buttons below the plan. */
  actions: ReactNode
  /** Leaves out the run name, so that a new run is planned. */
  onNewName: () => void
  /** Which failed cells of the stored run to try again. */
  onRetry: (retry: RetryFailed) => void
}

/** Shows what the request would do, or what is wrong with it, beside every step; in a narrow window as a bar that opens. */
export function PlanPanel({ request, set, state, startError, actions, onNewName, onRetry }: PlanPanelProps) {
  const recover = useRecover()
  const [isOpen, setOpen] = useState(false)
  const { plan, problems, isStale, isPending, error, refetch } = state
  const short = plan === null ? [] : planFigures(plan, set).map(([name, value]) => `${name} ${value}`)
  return (
    <aside className={styles.planColumn} aria-label={WORDS.plan}>
      <div
        id="plan-of-run"
        className={styles.planBody}
        data-open={isOpen || undefined}
        role="region"
        aria-label={WORDS.thePlan}
        tabIndex={0}
        aria-busy={isStale}
      >
        <div className="row apart">
          <h2>{WORDS.plan}</h2>
          {plan !== null && <span className={styles.runName}>{plan.run_id}</span>}
        </div>
        <div className="stack" aria-live="polite">
          {isPending && <LoadingRows rows={7} />}
          {error !== null && <ErrorPanel error={error} what={WORDS.thePlan} retry={refetch} />}
          {problems.length > 0 && <ProblemList problems={problems} />}
          {plan !== null && <PlanView plan={plan} set={set} />}
          {plan !== null && <Calibration plan={plan} set={request.model_set ?? null} />}
          {plan !== null && <RetryQuestion plan={plan} onChange={onRetry} />}
          {plan !== null && request.run_id !== undefined && (
            <div className={styles.repairs}>
              {plan.blockers.some(({ code }) => code === 'torn_tail') && (
                <Button loading={recover.isPending} onClick={() => recover.mutate({ run_id: plan.run_id })}>
                  {WORDS.moveTornBytes}
                </Button>
              )}
              {plan.blockers.some(({ code }) => code !== 'run_active') && (
                <Button onClick={onNewName}>{WORDS.useNewName}</Button>
              )}
            </div>
          )}
        </div>
      </div>
      <div className={styles.bar}>
        {startError !== null && <ErrorPanel error={startError} what={WORDS.startingTheRun} />}
        <div className={styles.short}>
          <p>{problems.length > 0 ? `▲ ${failureMessage(problems[0]!.message)}` : short.join(' · ')}</p>
          <Button size="compact-sm" aria-expanded={isOpen} aria-controls="plan-of-run" onClick={() => setOpen(!isOpen)}>
            {isOpen ? WORDS.hide : WORDS.show}
          </Button>
        </div>
        {actions}
      </div>
    </aside>
  )
}

/** Shows what is wrong and where, by the exact path. */
function ProblemList({ problems }: { problems: InputProblem[] }) {
  return (
    <ul className={styles.notes}>
      {problems.map(({ path, message }) => (
        <li key={`${path}${message}`}>
          <span className="bad" aria-hidden="true">
            ▲{' '}
          </span>
          <code>{path}</code> {failureMessage(message)}
        </li>
      ))}
    </ul>
  )
}
