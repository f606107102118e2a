import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openSqliteDatabase } from '../stores/database/sqlite-database.ts'
import { TaskLostError, TaskStore, type TaskLease } from './task-store.ts'

const LEASE_MS = 100
const MAX_ATTEMPTS = 3
const RESOURCES = ['a', 'a', 'b', undefined, undefined]
const ENDED = new Set(['succeeded', 'failed', 'cancelled'])
const WRITES = ['renew', 'show', 'finish', 'fail', 'retry', 'release', 'postpone', 'cancelled'] as const

/** A step of a worker, of time or of a user; `nth` chooses the lease or task that it concerns. */
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('claim' as const), nth: fc.nat(2) }),
    fc.record({ do: fc.constantFrom(...WRITES), nth: fc.nat(30) }),
    fc.record({ do: fc.constant('wait' as const), nth: fc.nat(2 * LEASE_MS) }),
    fc.record({ do: fc.constant('cancel' as const), nth: fc.nat(RESOURCES.length - 1) }),
    fc.record({ do: fc.constant('reopen' as const), nth: fc.nat(RESOURCES.length - 1) }),
  ),
  { minLength: 30, maxLength: 60 },
)

const writeOf = async (store: TaskStore, kind: (typeof WRITES)[number], lease: TaskLease): Promise<unknown> => {
  if (kind === 'show') return store.renew(lease, { done: 1 })
  if (kind === 'finish') return store.finish(lease, 1, undefined, { done: 2 })
  if (kind === 'fail') return store.fail(lease, 'broken')
  if (kind === 'retry') return store.retry(lease, 'busy', 10)
  if (kind === 'postpone') return store.postpone(lease, 10)
  return store[kind](lease)
}

it('in any order of claims, deaths, writes and cancellations one worker holds a job, and every job ends', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      let now = 1_000_000
      const database = openSqliteDatabase(':memory:')
      const store = new TaskStore(database, { secret: null, leaseMs: LEASE_MS, now: () => now })
      try {
        const ids: string[] = []
        for (const resource of RESOURCES)
          ids.push(
            (await store.add({ kind: 'work', subject: null, payload: null, resource, maxAttempts: MAX_ATTEMPTS })).id,
          )
        const leases: TaskLease[] = []
        const holder = new Map<string, TaskLease>()
        const read = async () => (await store.list('work', null, 9, 0)).toReversed()
        const live = async () =>
          database.all<{ id: string; resource: string }>(
            `SELECT id, resource FROM tasks WHERE status = 'running' AND lease_until_ms > ? AND resource IS NOT NULL`,
            [now],
          )
        for (const { do: kind, nth } of plan) {
          const before = await read()
          if (kind === 'wait') now += nth
          else if (kind === 'cancel') await store.cancel(ids[nth]!)
          else if (kind === 'reopen') await database.transaction((tx) => store.reopen(ids[nth]!, tx))
          else if (kind === 'claim')
            for (const { lease } of await store.claim(`worker ${nth}`, ['work'], 1 + nth)) {
              leases.push(lease)
              holder.set(lease.id, lease)
            }
          else if (leases.length > 0) {
            const lease = leases[nth % leases.length]!
            const isRenewal = kind === 'renew' || kind === 'show'
            const resource = RESOURCES[ids.indexOf(lease.id)]
            const isHeld = holder.get(lease.id) === lease && before[ids.indexOf(lease.id)]!.status === 'running'
            const held =
              isHeld &&
              !(isRenewal && (await live()).some((each) => each.id !== lease.id && each.resource === resource))
            const outcome = await writeOf(store, kind, lease).catch((error: unknown) => error)
            // Giving back what is lost needs no error.
            if (kind !== 'release') expect(outcome instanceof TaskLostError).toBe(!held)
            if (!held) expect(await read()).toEqual(before)
            else if (!isRenewal) holder.delete(lease.id)
          }
          const after = await read()
          for (const [at, task] of after.entries()) {
            expect(task.attempts).toBeLessThanOrEqual(MAX_ATTEMPTS)
            if (ENDED.has(before[at]!.status) && kind !== 'reopen') expect(task).toEqual(before[at])
          }
          const resources = (await live()).map(({ resource }) => resource)
          expect(new Set(resources).size).toBe(resources.length)
        }
        // All workers are gone: another one takes over what is left and ends it.
        for (let round = 0; round <= RESOURCES.length; round += 1) {
          now += 10 * LEASE_MS
          for (const { lease } of await store.claim('last', ['work'], 9)) await store.finish(lease, null)
        }
        for (const { status } of await read()) expect(ENDED).toContain(status)
      } finally {
        await database.close()
      }
    }),
    { numRuns: 60, seed: 216 },
  )
})
