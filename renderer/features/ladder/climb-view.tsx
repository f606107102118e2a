import styles from './ladder.module.css'
import { Button, Progress } from '@mantine/core'
import { Fragment, useState } from 'react'
import { lookOf } from '../../../charts/look.ts'
import { LADDER_STEPS, type LadderStep } from '../../../contract/evidence/run-event.ts'
import { INGESTION_PHASES, type PhaseProgress } from '../../../contract/http/ingestion.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { count, duration, rateWords } from '../../components/format.ts'
import { Panel } from '../../components/states.tsx'
import { STEP_NAMES } from '../../../contract/evidence/step-names.ts'
import { useNow } from '../../components/use-now.ts'
import { throughput, type Climb, type PhaseState, type StepState } from '../../data/ladder-state.ts'
import { cellsOfClimb, leftMsOf } from '../../data/run-progress.ts'
import { RepairButtons } from './repair-buttons.tsx'
import { LADDER_WORDS } from './ladder-words.ts'

const WIDTH = 120
const HEIGHT = 18

/** A line through values from 0 to their largest. The newest is at the right. */
function Sparkline({ values, colour, label }: { values: number[]; colour: string; label: string }) {
  const top = Math.max(...values, 1)
  const points = values.map((value, index) => {
    const x = values.length < 2 ? WIDTH : (index / (values.length - 1)) * WIDTH
    return `${x.toFixed(1)},${(HEIGHT - 1 - (value / top) * (HEIGHT - 2)).toFixed(1)}`
  })
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <polyline points={points.join(' ')} fill="none" stroke={colour} strokeWidth="1.5" />
    </svg>
  )
}

const WORDS = LADDER_WORDS.climbView

const SIGNS: Record<StepState['state'] | 'waiting' | 'stopped', string> = {
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
  state: StepState | undefined
  climb: Climb | undefined
  /** The run has ended: what has not begun will not. */
  ended: boolean
}

function Rung({ runId, step, state, climb, ended }: RungProps) {
  const reported = state?.state ?? 'waiting'
  const name = ended && isCut(step, reported, climb) ? 'stopped' : reported
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
          ? duration(Math.max(0, now - state!.startedAt))
          : typeof state?.durationMs === 'number'
            ? duration(state.durationMs)
            : ''}
      </span>
      {typeof state?.note === 'string' && (
        <span className={styles.note}>
          {state.code !== null && <strong>{WORDS.failed}</strong>} {state.note}
        </span>
      )}
      {name === 'failed' && (
        <RepairButtons {...{ runId, step }} code={state?.code ?? ''} failedCells={climb?.failed ?? 0} />
      )}
      {step === 'ingest' && climb !== undefined && Object.keys(climb.phases).length > 0 && (
        <PhaseList phases={climb.phases} />
      )}
      {step === 'cells' &&
        climb?.plan?.unavailable.map(({ model, reason }) => (
          <span key={model} className={styles.note}>
            {WORDS.unavailable(model, reason)}
          </span>
        ))}
      {step === 'cells' && climb !== undefined && climb.finished > 0 && <CellsLive climb={climb} ended={ended} />}
      {step === 'judge' && climb !== undefined && climb.judge !== null && name === 'running' && (
        <span className={styles.note}>
          {WORDS.verdictsFailed(
            climb.judge.name,
            count(climb.judge.done),
            count(climb.judge.total),
            count(climb.judge.failed),
          )}
        </span>
      )}
    </li>
  )
}

/** Whether the run's end cut a step off: one that was running, or cells of which some are left. */
function isCut(step: LadderStep, reported: StepState['state'] | 'waiting', climb: Climb | undefined): boolean {
  const { total, done } = cellsOfClimb(climb, 0)
  return reported === 'running' || (step === 'cells' && reported === 'done' && done < total)
}

interface ClimbViewProps extends Pick<RungProps, 'runId' | 'ended' | 'climb'> {
  datasetId: string
  /** The run has no other dataset: nothing to make room for. */
  alone: boolean
}

function Summary({ climb, done, ended }: { climb: Climb | undefined; done: number; ended: boolean }) {
  if (climb === undefined) return <p className="dim">○ {ended ? WORDS.notStarted : WORDS.queued}</p>
  const hasFailed = Object.values(climb.steps).some(({ state }) => state === 'failed')
  const state = done === LADDER_STEPS.length ? WORDS.allStepsDone : ended ? WORDS.stopped : WORDS.running
  return (
    <p>
      {WORDS.cellsFailed(hasFailed ? WORDS.stepFailed : state, count(cellsOfClimb(climb, 0).done), count(climb.failed))}
    </p>
  )
}

/** One dataset's twelve steps; the current one is open and shows its numbers. */
export function ClimbView({ datasetId, climb, runId, ended, alone }: ClimbViewProps) {
  const [chosen, setChosen] = useState<boolean | null>(null)
  const done = LADDER_STEPS.filter((step) => ['done', 'skipped'].includes(climb?.steps[step]?.state ?? '')).length
  const open = chosen ?? (alone || (climb !== undefined && done < LADDER_STEPS.length))
  return (
    <Panel
      title={datasetId}
      aside={
        <>
          <span>{WORDS.steps(done, LADDER_STEPS.length)}</span>
          {!alone && (
            <Button size="compact-xs" variant="default" aria-expanded={open} onClick={() => setChosen(!open)}>
              {WORDS.toggleSteps(open ? WORDS.hide : WORDS.show)}
            </Button>
          )}
        </>
      }
    >
      {!open && <Summary {...{ climb, done, ended }} />}
      <ol hidden={!open} className={styles.rungs}>
        {LADDER_STEPS.map((step) => (
          <Rung key={step} {...{ runId, step, climb, ended }} state={climb?.steps[step]} />
        ))}
      </ol>
    </Panel>
  )
}

/** Cells done, throughput, time left, and each approach's last latencies. */
function CellsLive({ climb, ended }: { climb: Climb; ended: boolean }) {
  const cells = cellsOfClimb(climb, 0)
  const { total, done } = cells
  const rate = throughput(climb)
  const left = leftMsOf(cells, rate)
  const moving = climb.steps.cells?.state === 'running' && !ended
  return (
    <div className={styles.open}>
      <span>
        {WORDS.cellsOf(count(done), count(total), count(climb.failed))}
        {climb.plan !== null && climb.plan.reuse > 0 && WORDS.reused(count(climb.plan.reuse))}
        {moving && rate !== null && WORDS.cellsPerSecond(rateWords(rate))}
        {moving && left !== null && WORDS.left(duration(left))}
      </span>
      {moving && (
        <Progress
          value={total === 0 ? 0 : (done / total) * 100}
          aria-label={WORDS.cellsDone}
          transitionDuration={100}
        />
      )}
      <table className={styles.aliases}>
        <thead>
          <tr>
            <th>{WORDS.approach}</th>
            <th className="num">{WORDS.ok}</th>
            <th className="num">{WORDS.failedColumn}</th>
            <th className="num">{WORDS.last}</th>
            <th>{WORDS.recentLatencies}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(climb.aliases).map(([alias, { ok, failed, latenciesMs }]) => (
            <tr key={alias}>
              <td>
                <ApproachName alias={alias} short />
              </td>
              <td className="num">{count(ok)}</td>
              <td className={failed > 0 ? 'num' : 'num dim'}>{count(failed)}</td>
              <td className="num">{duration(latenciesMs.at(-1))}</td>
              <td>
                <Sparkline values={latenciesMs} colour={lookOf(alias).colour} label={WORDS.lastLatenciesOf(alias)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** How far a phase has come: parts done, rate and time left. */
function PhaseMeter({ phase, progress }: { phase: string; progress: PhaseProgress }) {
  const { done, total, per_second: rate, seconds_left: left } = progress
  return (
    <span className={styles.phaseMeter}>
      <span>
        {WORDS.phaseDone(count(done), count(total))}
        {rate !== null && WORDS.perSecond(rateWords(rate))}
        {left !== null && WORDS.left(duration(left * 1000))}
      </span>
      <Progress
        value={total === 0 ? 0 : (done / total) * 100}
        aria-label={WORDS.phaseMeter(phase.replaceAll('_', ' '))}
        transitionDuration={100}
      />
    </span>
  )
}

const CELL_SIGNS: Record<string, string> = { completed: '●', running: '◐', failed: '▲', cancelled: '✕', skipped: '–' }

/** The eight phases of an ingestion with what they counted. */
function PhaseList({ phases }: { phases: Record<string, PhaseState> }) {
  return (
    <div className={styles.open}>
      <div className={styles.phases} role="group" aria-label={WORDS.phases}>
        {INGESTION_PHASES.map((phase) => {
          const { status, counts, progress }: PhaseState = phases[phase] ?? { status: 'pending', counts: {} }
          return (
            <Fragment key={phase}>
              <span aria-hidden="true">{CELL_SIGNS[status] ?? '○'}</span>
              <span>
                {phase.replaceAll('_', ' ')} <span className="hidden-text">{status}</span>
              </span>
              <span className="dim">
                {Object.entries(counts)
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
