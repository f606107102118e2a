import type { ClientBase } from 'pg'
import type { WorkerState } from '../../../contract/control/run-workers.ts'
import { LOCK_CLASS } from './database-schema.ts'

/** Describes how a process that adds rows is listed. */
export interface WorkerName {
  name: string
  host: string
  pid: number
}

/** Lists a process among the run's workers, or the new connection of a listed one; returns its number. */
export async function registerWorker(
  client: ClientBase,
  run: number,
  { name, host, pid }: WorkerName,
  known: number | null,
): Promise<number> {
  if (known !== null) {
    await client.query('UPDATE rag_ladder.workers SET backend_pid = pg_backend_pid() WHERE key = $1', [known])
    return known
  }
  const { rows } = await client.query<{ key: number }>(
    `INSERT INTO rag_ladder.workers (run, name, host, pid, backend_pid) VALUES ($1, $2, $3, $4, pg_backend_pid()) RETURNING key`,
    [run, name, host, pid],
  )
  return rows[0]!.key
}

/** A process that adds rows to a run. */
export interface RunWorker extends WorkerName {
  startedAt: Date
  /** States when its connection asked for something last; null once it is gone. */
  lastSeenAt: Date | null
  /** States when it left the run; null for one that works, and for one that is lost. */
  endedAt: Date | null
  /** Cells that it has claimed. */
  inHand: number
  /** The first 16 digits of the row id of each of them, at most 32. */
  claims: string[]
  /** Rows that it has stored. */
  stored: number
}

/** Returns what a process does for the run, as the command line and the panel show it. */
export function workerState({ lastSeenAt, endedAt, inHand }: RunWorker): WorkerState {
  if (endedAt !== null) return 'ended'
  if (lastSeenAt === null) return 'lost'
  return inHand > 0 ? 'working' : 'idle'
}

/** Every process that works or worked on a run, in the order of their start. Life and claims are what the server reports about their connections. */
export async function workersOf(client: ClientBase, run: number): Promise<RunWorker[]> {
  const { rows } = await client.query<{
    name: string
    host: string
    pid: number
    started_at: Date
    ended_at: Date | null
    last_seen: Date | null
    in_hand: number
    claims: string[]
    stored: number
  }>(
    `WITH locks AS (
       SELECT pid, bool_or(objsubid = 2 AND classid = $2::int::oid AND objid = $1::int::oid) AS is_open, count(*) FILTER (WHERE objsubid = 1) AS cells,
         array_agg(lpad(to_hex(classid::bigint), 8, '0') || lpad(to_hex(objid::bigint), 8, '0')) FILTER (WHERE objsubid = 1) AS claims
       FROM pg_locks WHERE locktype = 'advisory' AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY pid
     ), made AS (SELECT worker, count(*) AS stored FROM rag_ladder.rows WHERE run = $1::int GROUP BY worker)
     SELECT name, host, w.pid, started_at, ended_at, a.state_change AS last_seen, coalesce(l.cells, 0)::int AS in_hand,
       coalesce(l.claims[1:32], '{}') AS claims, coalesce(m.stored, 0)::int AS stored
     FROM rag_ladder.workers w
       LEFT JOIN locks l ON l.pid = w.backend_pid AND l.is_open AND w.ended_at IS NULL
       LEFT JOIN pg_stat_activity a ON a.pid = l.pid
       LEFT JOIN made m ON m.worker = w.key
     WHERE w.run = $1::int ORDER BY w.key`,
    [run, LOCK_CLASS],
  )
  return rows.map(({ name, host, pid, started_at, ended_at, last_seen, in_hand, claims, stored }) => ({
    name,
    host,
    pid,
    startedAt: started_at,
    endedAt: ended_at,
    lastSeenAt: last_seen,
    inHand: in_hand,
    claims,
    stored,
  }))
}
