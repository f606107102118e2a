import { Link } from '@tanstack/react-router'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import type { RunJob, RunState } from '../../../contract/control/run-job.ts'
import { isUnderWayOrQueued } from '../../../core/evidence/run-fold.ts'
import { count, moment } from '../../components/format.ts'
import { SampleMark, useSamples } from '../../components/run-marks.tsx'
import { failureWords, RUN_SIGNS, stateWord } from '../../components/run-state.ts'
import { DataTable, num } from '../../components/tables.tsx'
import table from '../../components/table.module.css'
import styles from './home.module.css'
import { HOME_WORDS } from './home-words.ts'

const WORDS = HOME_WORDS.lastRuns

/** A run with rows in the index, or one that the engine only has a journal of. */
type ListedRun = { head: RunHead & { state: RunState | null }; job: RunJob | undefined } | { head: null; job: RunJob }

const nameOf = ({ head, job }: ListedRun): string => head?.run_id ?? job!.run_id
const cellsOf = ({ head }: ListedRun, some: (cells: RunHead['datasets'][number]['cells']) => number): number =>
  head?.datasets.reduce((sum, { cells }) => sum + some(cells), 0) ?? 0
const timeOf = ({ head, job }: ListedRun): string => head?.last_finished_at ?? job?.finished_at ?? job?.created_at ?? ''

/** Runs of the index and runs that failed or stopped before their first row, newest first. */
function listedRuns(heads: (RunHead & { state: RunState | null })[], jobs: RunJob[]): ListedRun[] {
  const indexed = new Set(heads.map(({ run_id: run }) => run))
  const oldest = heads.at(-1)?.last_finished_at ?? ''
  const withoutRows = jobs.filter(
    ({ run_id: run, state, finished_at: end, created_at: start }) =>
      !indexed.has(run) && !isUnderWayOrQueued(state) && (end ?? start) >= oldest,
  )
  return [
    ...heads.map((head) => ({ head, job: jobs.find(({ run_id: run }) => run === head.run_id) })),
    ...withoutRows.map((job) => ({ head: null, job })),
  ].toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))
}

interface LastRunsProps {
  runs: (RunHead & { state: RunState | null })[]
  /** Runs of this engine, those without a row included. */
  jobs: RunJob[]
  label: string
}

/** Runs with their datasets; each dataset links to its matrix, each state of a run of this engine to its steps. */
export function LastRuns({ runs, label, jobs }: LastRunsProps) {
  return (
    <DataTable
      label={label}
      rows={listedRuns(runs, jobs)}
      keyOf={nameOf}
      columns={[
        [WORDS.run, (listed) => <RunName run={nameOf(listed)} />, table.wrap],
        [WORDS.state, (listed) => <State {...listed} />, `${table.wrap} ${styles.state}`],
        [WORDS.datasets, (listed) => <Datasets {...listed} />, table.wrap],
        [num(WORDS.cellsOk), (listed) => count(cellsOf(listed, ({ ok }) => ok))],
        [num(WORDS.failed), (listed) => count(cellsOf(listed, ({ error, timeout }) => error + timeout))],
        [WORDS.finished, ({ head, job }) => moment(head?.last_finished_at ?? job?.finished_at)],
      ]}
    />
  )
}

const RunName = ({ run }: { run: string }) => (
  <>
    {run} <SampleMark run={run} />
  </>
)

function State({ head, job }: ListedRun) {
  const isSample = useSamples().has(head?.run_id ?? '')
  if (job === undefined)
    return (
      <span className="dim">{head?.kind === 'historical' || isSample ? WORDS.published : WORDS.madeElsewhere}</span>
    )
  const word = stateWord(job)
  return (
    <>
      <Link to="/runs/$run/progress" params={{ run: job.run_id }}>
        {RUN_SIGNS[job.state]} {word}
      </Link>
      {word === 'failed' && <span className="dim"> {failureWords(job)}</span>}
    </>
  )
}

function Datasets({ head, job }: ListedRun) {
  if (head === null) return <span className="dim">{WORDS.noRow(job.request.dataset_ids.join(' · '))}</span>
  return head.datasets.map(({ dataset_id: dataset, label, damaged }, index) => (
    <span key={dataset}>
      {index > 0 && ' · '}
      <Link to="/runs/$run/matrix" params={{ run: head.run_id }} search={{ dataset }}>
        {label}
      </Link>
      {damaged && <span title={WORDS.damagedFile}> ▲</span>}
    </span>
  ))
}
