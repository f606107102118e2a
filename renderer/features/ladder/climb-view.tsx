import styles from './ladder.module.css'
import { Button, Progress } from '@mantine/core'
import { Fragment, useState } from 'react'
import { countsAboveZero } from '../../../contract/words.ts'
import { LADDER_STEPS, type LadderStep } from '../../../contract/evidence/run-event.ts'
import { INGESTION_PHASES, type PhaseProgress } from '../../../contract/http/ingestion.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { failureMessage } from '../../../core/role-words.ts'
import { count, duration, rateWords } from '../../components/format.ts'
import { Panel } from '../../components/states.tsx'
import { phaseWords, STEP_NAMES } from '../../../core/evidence/step-names.ts'
import { useNow } from '../../components/use-now.ts'
import type { DatasetProgress, RunStep } from '../../../contract/control/run-job.ts'
import { hasFailed, isRunning, leftMsOf, stepOf, throughput } from '../../../core/evidence/run-fold.ts'
import { RepairButtons } from './repair-buttons.tsx'
import { LADDER_WORDS } from './ladder-words.ts'
import { DataTable, num } from '../../components/tables.tsx'

const WORDS = LADDER_WORDS.climbView

const SIGNS: Record<RunStep['state'] | 'waiting' | 'stopped' | 'incomplete', string> = {
  incomplete: '▲',
  waiting: '○',
  running: '◐',
  done: '●',
  skipped: '–',
  failed: '▲',
  stopped: '✕',
}

interface RungProps {
  runId: string
  step: LadderStep
  dataset: DatasetProgress
  /** The run has ended: what has not begun will not. */
  ended: boolean
  /** The page has no other button that comes before those that repair a failed step. */
  isPrimary: boolean
}

function Rung({ runId, step, dataset, ended, isPrimary }: RungProps) {
  const state = stepOf(dataset, step)
  const { cells, judge, unavailable, phases, approaches } = dataset
  const reported = state?.state ?? 'waiting'
  const lacks = state?.missing !== undefined && reported === 'done'
  const name = ended && isCut(step, reported, cells) ? 'stopped' : lacks ? 'incomplete' : reported
  const now = useNow(name === 'running')
  return (
    <li className={styles.rung} data-state={name} data-step={step}>
      <span className={styles.sign} data-state={name} aria-hidden="true">
        {SIGNS[name]}
      </span>
      <span>
        {STEP_NAMES[step]} <span className="hidden-text">{name}</span>
      </span>
      <span className="dim">
        {name === 'running'
          ? duration(Math.max(0, now - Date.parse(state!.started_at ?? new Date(now).toISOString())))
          : typeof state?.duration_ms === 'number'
            ? duration(state.duration_ms)
            : ''}
      </span>
      {typeof state?.note === 'string' && (
        <span className={styles.note}>
          {state.code !== null && <strong>{WORDS.failed}</strong>} {state.note}
        </span>
      )}
      {name === 'failed' && <RepairButtons {...{ runId, step, isPrimary }} code={state?.code ?? ''} />}
      {step === 'ingest' && phases.length > 0 && <PhaseList phases={phases} />}
      {step === 'cells' &&
        [...Map.groupBy(unavailable, ({ reason }) => reason)].map(([reason, group]) => (
          <span key={reason} className={styles.note}>
            {WORDS.unavailable(
              group.map(({ model }) => model),
              failureMessage(reason),
            )}
          </span>
        ))}
      {step === 'cells' && approaches.length > 0 && <CellsLive dataset={dataset} ended={ended} />}
      {step === 'judge' && judge !== null && name === 'running' && (
        <span className={styles.note}>
          {WORDS.verdictsFailed(judge.name, count(judge.done), count(judge.total), count(judge.failed))}
        </span>
      )}
    </li>
  )
}

/** Returns true when the run's end cut a step off: one that was running, or cells of which some are left. */
function isCut(
  step: LadderStep,
  reported: RunStep['state'] | 'waiting',
  { total, done }: DatasetProgress['cells'],
): boolean {
  return reported === 'running' || (step === 'cells' && reported === 'done' && done < total)
}

interface ClimbViewProps extends Pick<RungProps, 'runId' | 'ended' | 'dataset' | 'isPrimary'> {
  /** The run has no other dataset: nothing to make room for. */
  alone: boolean
}

function Summary({ dataset, done, ended }: { dataset: DatasetProgress; done: number; ended: boolean }) {
  if (dataset.steps.length === 0) return <p className="dim">○ {ended ? WORDS.notStarted : WORDS.queued}</p>
  const state = done === LADDER_STEPS.length ? WORDS.allStepsDone : ended ? WORDS.stopped : WORDS.running
  return (
    <p>
      {WORDS.cellsFailed(
        hasFailed(dataset) ? WORDS.stepFailed : state,
        count(dataset.cells.done),
        count(dataset.cells.failed),
      )}
    </p>
  )
}

/** One dataset's twelve steps; the current one is open and shows its numbers. */
export function ClimbView({ dataset, runId, ended, isPrimary, alone }: ClimbViewProps) {
  const [chosen, setChosen] = useState<boolean | null>(null)
  const done = dataset.steps.filter(({ state }) => state === 'done' || state === 'skipped').length
  const open = chosen ?? (alone || (dataset.steps.length > 0 && done < LADDER_STEPS.length))
  return (
    <Panel
      title={dataset.dataset_id}
      aside={
        <>
          <span>{WORDS.steps(done, LADDER_STEPS.length)}</span>
          {!alone && (
            <Button size="compact-xs" aria-expanded={open} onClick={() => setChosen(!open)}>
              {WORDS.toggleSteps(open ? WORDS.hide : WORDS.show)}
            </Button>
          )}
        </>
      }
    >
      {!open && <Summary {...{ dataset, done, ended }} />}
      <ol hidden={!open} className={styles.rungs}>
        {LADDER_STEPS.map((step) => (
          <Rung key={step} {...{ runId, step, dataset, ended, isPrimary }} />
        ))}
      </ol>
    </Panel>
  )
}

/** Cells done, throughput, time left, and how each approach goes on. */
function CellsLive({ dataset, ended }: { dataset: DatasetProgress; ended: boolean }) {
  const { total, done, failed, reused } = dataset.cells
  const rate = throughput(dataset)
  const left = leftMsOf({ total, done }, rate)
  const moving = isRunning(dataset, 'cells') && !ended
  return (
    <div className={styles.open}>
      <span>
        {WORDS.cellsOf(count(done), count(total), count(failed))}
        {reused > 0 && WORDS.reused(count(reused))}
        {moving && rate !== null && WORDS.cellsPerSecond(rateWords(rate))}
        {moving && left !== null && WORDS.left(duration(left))}
      </span>
      {moving && <Progress value={total === 0 ? 0 : (done / total) * 100} aria-label={WORDS.cellsDone} />}
      <DataTable
        label={WORDS.approaches}
        rows={dataset.approaches}
        keyOf={({ alias }) => alias}
        columns={[
          [WORDS.approach, ({ alias }) => <ApproachName alias={alias} short />],
          [num(WORDS.ok), ({ ok }) => count(ok)],
          [num(WORDS.failedColumn), ({ failed: notOk }) => count(notOk)],
          [num(WORDS.last), ({ latencies_ms: latencies }) => duration(latencies.at(-1))],
        ]}
      />
    </div>
  )
}

/** Shows how far a phase has come: parts done, rate and time left. */
function PhaseMeter({ phase, progress }: { phase: string; progress: PhaseProgress }) {
  const { done, total, per_second: rate, seconds_left: left } = progress
  return (
    <span className={styles.phaseMeter}>
      <span>
        {WORDS.phaseDone(count(done), count(total))}
        {rate !== null && WORDS.perSecond(rateWords(rate))}
        {left !== null && WORDS.left(duration(left * 1000))}
      </span>
      <Progress value={total === 0 ? 0 : (done / total) * 100} aria-label={WORDS.phaseMeter(phaseWords(phase))} />
    </span>
  )
}

const CELL_SIGNS: Record<string, string> = { completed: '●', running: '◐', failed: '▲', cancelled: '✕', skipped: '–' }

/** The eight phases of an ingestion with what they counted. */
function PhaseList({ phases }: Pick<DatasetProgress, 'phases'>) {
  return (
    <div className={styles.open}>
      <div className={styles.phases} role="group" aria-label={WORDS.phases}>
        {INGESTION_PHASES.map((phase) => {
          const known = phases.find((each) => each.phase === phase)
          const { status, counts, progress } = known ?? { status: 'pending', counts: {}, progress: undefined }
          return (
            <Fragment key={phase}>
              <span aria-hidden="true">{CELL_SIGNS[status] ?? '○'}</span>
              <span>
                {phaseWords(phase)} <span className="hidden-text">{status}</span>
              </span>
              <span className="dim">
                {countsAboveZero(counts)
                  .map(([name, value]) => `${count(value)} ${name.replaceAll('_', ' ')}`)
                  .join(' · ')}
                {progress !== undefined && <PhaseMeter {...{ phase, progress }} />}
              </span>
            </Fragment>
          )
        })}
      </div>
    </div>
  )
}
