import { useQuery } from '@tanstack/react-query'
import type { WorkerState, WorkerView } from '../../../contract/control/run-workers.ts'
import { count, duration, moment, plural } from '../../components/format.ts'
import { StateDot, type Tone } from '../../components/state-dot.tsx'
import { Panel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { DataTable, num } from '../../components/tables.tsx'
import { ProblemLine } from '../../components/dialog-form.tsx'
import { useNow } from '../../components/use-now.ts'
import { api } from '../../data/client.ts'
import { RayJobs } from './ray-jobs.tsx'
import styles from './ladder.module.css'
import { LADDER_WORDS } from './ladder-words.ts'

const WORDS = LADDER_WORDS.workers

const OPEN_MS = 2000
const IDLE_MS = 10_000
/** Further cells of a worker are counted. */
const NAMED_CELLS = 2

const TONES: Record<WorkerState, Tone> = { working: 'good', idle: 'waiting', ended: 'idle', lost: 'bad' }

/** Who makes the cells of a run whose rows are in a database. Nothing for a run in files, and for one without workers. */
export function WorkersPanel({ runId }: { runId: string }) {
  const { data, error } = useQuery({
    ...api.workers.get.queryOptions({ input: { run_id: runId } }),
    // Other machines work on it: no event of this engine reports them.
    staleTime: 0,
    refetchInterval: ({ state: { data: known } }) => {
      if (known?.database === null) return false
      return known?.workers.some(isConnected) === true || known?.ray?.jobs.some(isOpen) === true ? OPEN_MS : IDLE_MS
    },
  })
  const now = useNow(data?.workers.some(isConnected) === true)
  if (data === undefined) return <ProblemLine problem={error} />
  const { database, problem, workers, left_out: leftOut, ray } = data
  if (database === null || (problem === null && workers.length === 0 && (ray === null || ray.jobs.length === 0))) {
    return null
  }
  const connected = workers.filter(isConnected).length
  return (
    <div className={styles.workers}>
      <Panel title={WORDS.title} aside={<span>{WORDS.summary(connected, workers.length + leftOut, database)}</span>}>
        <ProblemLine problem={problem} />
        {problem === null && workers.length === 0 && <p className="dim">{WORDS.none}</p>}
        {workers.length > 0 && <WorkerTable workers={workers} now={now} />}
        {leftOut > 0 && <p className="dim">{WORDS.leftOut(leftOut)}</p>}
        {ray !== null && <RayJobs runId={runId} ray={ray} />}
      </Panel>
    </div>
  )
}

const isConnected = ({ state }: WorkerView): boolean => state === 'working' || state === 'idle'

const isOpen = ({ status }: { status: string }): boolean => status === 'PENDING' || status === 'RUNNING'

function WorkerTable({ workers, now }: { workers: WorkerView[]; now: number }) {
  return (
    <DataTable
      label={WORDS.title}
      rows={workers}
      keyOf={({ dataset_id: dataset, host, pid, started_at: at }) => `${dataset} ${host} ${pid} ${at}`}
      columns={[
        [
          WORDS.worker,
          ({ name, host, pid }) => (
            <>
              {name} <span className="dim">{WORDS.process(host, pid)}</span>
            </>
          ),
          table.wrap,
        ],
        [
          WORDS.state,
          ({ state }) => (
            <>
              <StateDot tone={TONES[state]} /> {WORDS.states[state]}
            </>
          ),
        ],
        [WORDS.dataset, ({ dataset_id: dataset }) => dataset],
        [WORDS.cells, cellsOf, table.wrap],
        [num(WORDS.stored), ({ stored }) => count(stored)],
        [WORDS.lastSeen, (worker) => seenOf(worker, now)],
        [WORDS.joined, ({ started_at: at }) => moment(at)],
      ]}
    />
  )
}

/** The cells that a worker has in hand, the first of them by name. */
function cellsOf({ in_hand: inHand, cells }: WorkerView): string {
  if (inHand === 0) return '–'
  const named = cells.slice(0, NAMED_CELLS)
  const names = named.map(({ question_id, model, repeat }) => WORDS.cell(question_id, model, repeat))
  if (names.length === 0) return plural(inHand, 'answer')
  return [...names, ...(inHand > names.length ? [WORDS.more(inHand - names.length)] : [])].join(', ')
}

/** Returns how long ago a connected worker gave a sign of life, in whole seconds. */
function seenOf({ last_seen_at: at }: WorkerView, now: number): string {
  if (at === null) return '–'
  const seconds = Math.floor((now - Date.parse(at)) / 1000)
  return seconds < 1 ? WORDS.now : WORDS.ago(duration(seconds * 1000))
}
