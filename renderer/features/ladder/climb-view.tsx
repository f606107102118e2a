import { Button } from '@mantine/core'
import { useState } from 'react'
import { LADDER_STEPS, type LadderStep } from '../../../contract/evidence/run-event.ts'
import { count, duration } from '../../components/format.ts'
import { Panel } from '../../components/states.tsx'
import { STEP_NAMES } from '../../components/step-names.ts'
import { useNow } from '../../components/use-now.ts'
import type { Climb, StepState } from '../../data/ladder-state.ts'
import { cellsOfClimb } from '../../data/run-progress.ts'
import { CellsLive } from './cells-live.tsx'
import { MendButtons } from './mend-buttons.tsx'
import { PhaseList } from './phase-list.tsx'
import styles from './ladder.module.css'

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
  const told = state?.state ?? 'waiting'
  const name = ended && isCut(step, told, climb) ? 'stopped' : told
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
          {state.code !== null && <strong>Failed:</strong>} {state.note}
        </span>
      )}
      {name === 'failed' && (
        <MendButtons {...{ runId, step }} code={state?.code ?? ''} failedCells={climb?.failed ?? 0} />
      )}
      {step === 'ingest' && climb !== undefined && Object.keys(climb.phases).length > 0 && name !== 'done' && (
        <PhaseList phases={climb.phases} />
      )}
      {step === 'cells' && climb !== undefined && climb.finished > 0 && <CellsLive climb={climb} ended={ended} />}
      {step === 'judge' && climb !== undefined && climb.judge !== null && name === 'running' && (
        <span className={styles.note}>
          {climb.judge.name}: {count(climb.judge.done)}/{count(climb.judge.total)} verdicts, {count(climb.judge.failed)}{' '}
          failed
        </span>
      )}
    </li>
  )
}

/** Whether the run's end cut a step off: one that was running, or cells of which some are left. */
function isCut(step: LadderStep, told: StepState['state'] | 'waiting', climb: Climb | undefined): boolean {
  const { total, done } = cellsOfClimb(climb, 0)
  return told === 'running' || (step === 'cells' && told === 'done' && done < total)
}

interface ClimbViewProps extends Pick<RungProps, 'runId' | 'ended' | 'climb'> {
  datasetId: string
  /** The run has no other dataset: nothing to make room for. */
  alone: boolean
}

function Summary({ climb, done, ended }: { climb: Climb | undefined; done: number; ended: boolean }) {
  if (climb === undefined) return <p className="dim">○ {ended ? 'not started' : 'queued'}</p>
  const hasFailed = Object.values(climb.steps).some(({ state }) => state === 'failed')
  const state = done === LADDER_STEPS.length ? '● all steps done' : ended ? '✕ stopped' : '◐ running'
  return (
    <p>
      {hasFailed ? '▲ failed' : state} · {count(cellsOfClimb(climb, 0).done)} cells · {count(climb.failed)} failed
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
          <span>
            {done}/{LADDER_STEPS.length} steps
          </span>
          {!alone && (
            <Button size="compact-xs" variant="default" aria-expanded={open} onClick={() => setChosen(!open)}>
              {open ? 'Hide' : 'Show'} steps
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
