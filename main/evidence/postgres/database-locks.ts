import type { ClientBase } from 'pg'
import { LOCK_CLASS } from './database-schema.ts'

// Advisory locks of a connection. On a cell: a number made of its row id, which is a hash and names the run too. On a run: a shared lock of
// every process that has it open, so that none can remove it meanwhile.

/** A hexadecimal row id as a signed number of 64 bits. */
export const cellLock = (rowId: string): bigint => BigInt.asIntN(64, BigInt(`0x${rowId.slice(0, 16)}`))

export async function tryLockCell(client: ClientBase, rowId: string): Promise<boolean> {
  const { rows } = await client.query<{ won: boolean }>('SELECT pg_try_advisory_lock($1) AS won', [cellLock(rowId)])
  return rows[0]!.won
}

export async function unlockCells(client: ClientBase, rowIds: readonly string[]): Promise<void> {
  await client.query({
    name: 'unlock',
    text: 'SELECT pg_advisory_unlock(lock) FROM unnest($1::bigint[]) AS lock',
    values: [rowIds.map(cellLock)],
  })
}

/** Marks the run as open. Waits while another process removes it. */
export async function lockRun(client: ClientBase, run: number): Promise<void> {
  await client.query('SELECT pg_advisory_lock_shared($1, $2)', [LOCK_CLASS, run])
}

/** Returns true when another connection has the run open. */
export async function isRunShared(client: ClientBase, run: number): Promise<boolean> {
  const { rows } = await client.query<{ others: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND classid = $1 AND objid = $2
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid <> pg_backend_pid()) AS others`,
    [LOCK_CLASS, run],
  )
  return rows[0]!.others
}
