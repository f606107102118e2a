import { Link } from '@tanstack/react-router'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import type { RunJob, RunState } from '../../../contract/control/run-job.ts'
import { isUnderWayOrQueued } from '../../../core/evidence/run-fold.ts'
import { count, moment } from '../../components/format.ts'
import { SampleMark, useSamples } from '../../components/run-marks.tsx'
import { failureWords, RUN_SIGNS, stateWord } from '../../components/run-state.ts'
import { ScrollTable } from '../../components/scroll-table.tsx'
import table from '../../components/table.module.css'
import { num, TableHead } from '../../components/table-head.tsx'
import styles from './home.module.css'
import { HOME_WORDS } from './home-words.ts'

const WORDS = HOME_WORDS.lastRuns

/** A run with rows in the index, or one that the engine only has a journal of. */
type ListedRun = { head: RunHead & { state: RunState | null }; job: RunJob | undefined } | { head: null; job: RunJob }

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
    <ScrollTable label={label}>
      <TableHead
        columns={[WORDS.run, WORDS.state, WORDS.datasets, num(WORDS.cellsOk), num(WORDS.failed), WORDS.finished]}
      />
      <tbody>
        {listedRuns(runs, jobs).map((listed) => (
          <RunRow key={listed.head?.run_id ?? listed.job!.run_id} {...listed} />
        ))}
      </tbody>
    </ScrollTable>
  )
}

function RunRow({ head, job }: ListedRun) {
  const run = head?.run_id ?? job!.run_id
  const isSample = useSamples().has(run)
  const ok = head?.datasets.reduce((sum, { cells }) => sum + cells.ok, 0) ?? 0
  const failed = head?.datasets.reduce((sum, { cells }) => sum + cells.error + cells.timeout, 0) ?? 0
  return (
    <tr>
      <th scope="row" className={table.wrap}>
        {run} <SampleMark run={run} />
      </th>
      <td className={`${table.wrap} ${styles.state}`}>
        {job === undefined ? (
          <span className="dim">{head?.kind === 'historical' || isSample ? WORDS.published : WORDS.filesOnly}</span>
        ) : (
          <>
            <Link to="/runs/$run/progress" params={{ run }}>
              {RUN_SIGNS[job.state]} {stateWord(job)}
            </Link>
            {stateWord(job) === 'failed' && <span className="dim"> {failureWords(job)}</span>}
          </>
        )}
      </td>
      <td className={table.wrap}>
        {head?.datasets.map(({ dataset_id: dataset, label, damaged }, index) => (
          <span key={dataset}>
            {index > 0 && ' · '}
            <Link to="/runs/$run/matrix" params={{ run }} search={{ dataset }}>
              {label}
            </Link>
            {damaged && <span title={WORDS.damagedFile}> ▲</span>}
          </span>
        )) ?? <span className="dim">{WORDS.noRow(job!.request.dataset_ids.join(' · '))}</span>}
      </td>
      <td className={table.num}>{count(ok)}</td>
      <td className={table.num}>{count(failed)}</td>
      <td>{moment(head?.last_finished_at ?? job?.finished_at)}</td>
    </tr>
  )
}
