import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../tests/helpers/database-address.ts'
import { onEachDatabase } from '../../../tests/helpers/platform-databases.ts'
import { testServer } from '../../../tests/helpers/test-server.ts'
import type { Database, Queries } from '../stores/database/database.ts'
import { registerTaskRoutes } from './routes.ts'
import { TaskLostError, TaskSignatureError, TaskStore } from './task-store.ts'
import { RetryableTaskError, TaskWorker } from './task-worker.ts'
import type { TaskHandler, TaskRun, TaskWorkerOptions } from './task-worker.ts'

const SECRET = 'a-signing-secret-of-the-tests-with-enough-bytes'
const LIMITS = { concurrency: 2, prefetchMultiplier: 1, softLimitMs: 60_000, hardLimitMs: 70_000 }

onEachDatabase('background jobs', (kind) => {
  let database: Database
  let now: number
  const workers: TaskWorker[] = []
  beforeEach(async () => {
    database = await openDatabase(await kind.fresh())
    now = 1_000_000
  })
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()))
    await database.close()
  })

  const storeOf = (options: Partial<ConstructorParameters<typeof TaskStore>[1]> = {}) =>
    new TaskStore(database, { secret: SECRET, leaseMs: 100, visibilityTimeoutMs: 1000, now: () => now, ...options })
  const task = (payload: unknown = {}, maxAttempts = 3) => ({ kind: 'work', subject: null, payload, maxAttempts })
  const claimOne = async (store: TaskStore, owner = 'a') => (await store.claim(owner, ['work'], 1))[0]!

  describe('the store of tasks', () => {
    it('gives each task to one worker, oldest first, and only of the kinds asked for', async () => {
      const store = storeOf()
      const ids: string[] = []
      for (const payload of [1, 2, 3]) ids.push((await store.add(task(payload))).id)
      await store.add({ ...task(), kind: 'other' })
      expect((await store.claim('a', ['work'], 2)).map(({ task: each }) => each.id)).toEqual(ids.slice(0, 2))
      expect((await store.claim('b', ['work'], 5)).map(({ task: each }) => each.id)).toEqual(ids.slice(2))
      expect(await store.claim('c', ['work'], 5)).toEqual([])
    })

    it('gives a task whose lease ran out to another worker, and refuses every write of the first', async () => {
      const store = storeOf()
      const { id } = await store.add(task())
      const first = (await claimOne(store)).lease
      now += 99
      expect(await store.claim('b', ['work'], 1)).toEqual([])
      now += 1
      const second = (await claimOne(store, 'b')).lease
      const effects = vi.fn(async () => {})
      for (const write of [
        () => store.finish(first, 1, effects),
        () => store.fail(first, 'x'),
        () => store.retry(first, 'x', 0),
        () => store.cancelled(first),
        () => store.log(first, 'x'),
        () => store.renew(first),
      ])
        await expect(write()).rejects.toThrow(TaskLostError)
      expect(effects).not.toHaveBeenCalled()
      await store.release(first)
      await store.finish(second, { done: true }, effects)
      expect(effects).toHaveBeenCalledOnce()
      expect(await store.get(id)).toMatchObject({ status: 'succeeded', result: { done: true }, attempts: 2 })
    })

    it('extends a lease up to the visibility timeout and not beyond', async () => {
      const store = storeOf({ visibilityTimeoutMs: 250 })
      await store.add(task())
      const { lease } = await claimOne(store)
      for (const step of [90, 90, 60]) {
        now += step
        expect(await store.renew(lease)).toBe(false)
        expect(await store.claim('b', ['work'], 1)).toEqual([])
      }
      now += 10
      await expect(store.renew(lease)).rejects.toThrow(TaskLostError)
      expect(await store.claim('b', ['work'], 1)).toHaveLength(1)
    })

    it('gives one task of a resource at a time, and a named one before older ones', async () => {
      const store = storeOf()
      const ids: string[] = []
      for (const resource of ['x', 'x', 'y']) ids.push((await store.add({ ...task(), resource })).id)
      const claim = async (id: string | null = null) =>
        (await store.claim('a', ['work'], 1, id)).map(({ task: each }) => each.id)
      expect([await claim(ids[1]), await claim(ids[0]), await claim(), await claim()]).toEqual([
        [ids[1]],
        [],
        [ids[2]],
        [],
      ])
      now += 100
      expect(await claim()).toEqual([ids[0]])
    })

    it('renews no lease that ran out before another task took its resource', async () => {
      const store = storeOf()
      const paused = await store.add({ ...task(), resource: 'x' })
      const other = await store.add({ ...task(), resource: 'x' })
      const { lease } = await claimOne(store)
      now += 100
      expect(await store.claim('b', ['work'], 1, other.id)).toHaveLength(1)
      await expect(store.renew(lease)).rejects.toThrow(TaskLostError)
      now += 100
      expect(await store.claim('c', ['work'], 1)).toMatchObject([{ task: { id: paused.id, attempts: 2 } }])
    })

    it('shows the progress of the last run, and forgets it when the task is given back', async () => {
      const store = storeOf()
      const { id } = await store.add(task())
      const { lease } = await claimOne(store)
      await store.renew(lease, { done: 1 })
      await store.renew(lease)
      expect((await store.get(id))!.progress).toEqual({ done: 1 })
      await store.release(lease)
      expect((await store.get(id))!.progress).toBeNull()
      await store.fail((await claimOne(store)).lease, 'broken', { done: 2 })
      expect((await store.get(id))!.progress).toEqual({ done: 2 })
    })

    it('stores result and effects together or not at all', async () => {
      const store = storeOf()
      const { id } = await store.add(task())
      const { lease } = await claimOne(store)
      const failing = async (tx: Queries) => {
        await tx.run('INSERT INTO task_log (task_id, at_ms, message) VALUES (?, 1, ?)', [id, 'never'])
        expect(await tx.all('SELECT * FROM task_log')).toHaveLength(1)
        throw new Error('full')
      }
      await expect(store.finish(lease, 1, failing)).rejects.toThrow('full')
      expect([(await store.get(id))!.status, await store.logOf(id)]).toEqual(['running', []])
    })

    it('fails a task that was lost with its process as often as it may start', async () => {
      const store = storeOf()
      const { id } = await store.add(task({}, 2))
      for (const owner of ['a', 'b']) {
        await claimOne(store, owner)
        now += 100
      }
      expect(await store.claim('c', ['work'], 1)).toEqual([])
      expect(await store.get(id)).toMatchObject({ status: 'failed', error: 'its process ended while it ran, 2 times' })
    })

    it('retries after the delay, then fails with the last error', async () => {
      const store = storeOf()
      const { id } = await store.add(task({}, 2))
      await store.retry((await claimOne(store)).lease, 'busy', 50)
      expect(await store.claim('a', ['work'], 1)).toEqual([])
      now += 50
      await store.retry((await claimOne(store)).lease, 'still busy', 50)
      expect(await store.get(id)).toMatchObject({ status: 'failed', error: 'still busy', attempts: 2 })
      expect((await store.logOf(id)).map(({ message }) => message)).toEqual(['busy', 'still busy'])
    })

    it('gives a released task back without counting the attempt', async () => {
      const store = storeOf()
      await store.add(task({}, 1))
      await store.release((await claimOne(store)).lease)
      expect((await claimOne(store)).task.attempts).toBe(1)
    })

    it('cancels a pending task at once, a running one by its next renewal, an ended one never', async () => {
      const store = storeOf()
      const [running, pending] = [await store.add(task()), await store.add(task())]
      const { lease } = await claimOne(store)
      expect(await store.cancel(pending.id)).toMatchObject({ status: 'cancelled' })
      expect(await store.cancel(running.id)).toMatchObject({ status: 'running', cancelRequested: true })
      expect(await store.renew(lease)).toBe(true)
      await store.finish(lease, null)
      expect(await store.cancel(running.id)).toMatchObject({ status: 'succeeded' })
      expect(await store.cancel('unknown')).toBeNull()
    })

    it.each([
      ['payload', `UPDATE tasks SET payload = '{"all":true}'`],
      ['kind', `UPDATE tasks SET kind = 'work', signature = signature WHERE kind = 'gentle'`],
      ['subject', `UPDATE tasks SET subject = 'root'`],
    ])('refuses a task whose %s was changed, and never runs it', async (_what, change) => {
      const store = storeOf()
      const { id } = await store.add({ ...task(), kind: change.includes('gentle') ? 'gentle' : 'work' })
      await database.run(change)
      await expect(store.get(id)).rejects.toThrow(TaskSignatureError)
      expect(await store.claim('a', ['work'], 1)).toEqual([])
      expect(await database.get('SELECT status, error FROM tasks')).toEqual({
        status: 'failed',
        error: expect.stringContaining('TASK_SIGNING_SECRET'),
      })
    })
  })

  describe('the worker of tasks', () => {
    /** Resolves when the task has ended. */
    async function ended(store: TaskStore, id: string) {
      return vi.waitFor(async () => {
        const found = (await store.get(id))!
        if (found.status === 'pending' || found.status === 'running') throw new Error(found.status)
        return found
      }, 10_000)
    }
    const statuses = async (store: TaskStore, ids: readonly string[]) =>
      Promise.all(ids.map(async (id) => (await store.get(id))!.status))
    function working(handler: TaskHandler, options: Partial<TaskWorkerOptions> = {}, leaseMs = 30_000) {
      const store = storeOf({ now: Date.now, leaseMs, visibilityTimeoutMs: 100_000 })
      const worker = new TaskWorker({
        store,
        handlers: { work: handler },
        settings: LIMITS,
        pollMs: 10,
        retryMs: 1,
        ...options,
      })
      workers.push(worker)
      return { store, worker }
    }

    it('runs as many at once as its concurrency, and reserves more by the prefetch multiplier', async () => {
      const gate = Promise.withResolvers<null>()
      let running = 0
      let most = 0
      const { store, worker } = working(
        async () => {
          most = Math.max(most, (running += 1))
          await gate.promise
          running -= 1
          return { result: null }
        },
        { settings: { ...LIMITS, concurrency: 2, prefetchMultiplier: 2 } },
      )
      const ids: string[] = []
      for (let each = 0; each < 6; each += 1) ids.push((await store.add(task())).id)
      worker.start()
      await vi.waitFor(() => expect(running).toBe(2), { timeout: 15_000 })
      expect(await statuses(store, ids)).toEqual([...Array.from({ length: 4 }, () => 'running'), 'pending', 'pending'])
      gate.resolve(null)
      for (const id of ids) expect((await ended(store, id)).status).toBe('succeeded')
      expect(most).toBe(2)
    })

    it('tries again after a retryable failure, and fails at once after any other', async () => {
      let starts = 0
      const { store, worker } = working(async ({ task: { payload } }) => {
        starts += 1
        if (payload === 'broken') throw new Error('no such user')
        if (starts < 3) throw new RetryableTaskError('busy')
        return { result: starts }
      })
      const { id } = await store.add(task())
      worker.start()
      expect(await ended(store, id)).toMatchObject({ status: 'succeeded', result: 3, attempts: 3 })
      const broken = await store.add(task('broken'))
      worker.wake()
      expect(await ended(store, broken.id)).toMatchObject({ status: 'failed', error: 'no such user', attempts: 1 })
    })

    const untilAborted = async ({ signal }: TaskRun): Promise<never> =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

    it('asks a task to stop at the soft limit', async () => {
      const { store, worker } = working(untilAborted, { settings: { ...LIMITS, softLimitMs: 20 } })
      const { id } = await store.add(task())
      worker.start()
      expect(await ended(store, id)).toMatchObject({ status: 'failed', error: 'stopped at its time limit of 0.02 s' })
    })

    it('fails a task at the hard limit that ignores the soft one, and takes no result of it later', async () => {
      const late = Promise.withResolvers<{ result: string }>()
      const { store, worker } = working(() => late.promise, {
        settings: { ...LIMITS, softLimitMs: 5, hardLimitMs: 30 },
      })
      const { id } = await store.add(task())
      worker.start()
      expect(await ended(store, id)).toMatchObject({
        status: 'failed',
        error: 'still running at its hard time limit of 0.03 s',
      })
      late.resolve({ result: 'late' })
      await delay(5)
      expect(await store.get(id)).toMatchObject({ status: 'failed', result: null })
    })

    it('cancels a running task of another process at its next renewal', async () => {
      const { store, worker } = working(untilAborted, {}, 30)
      const { id } = await store.add(task())
      worker.start()
      await vi.waitFor(async () => expect((await store.get(id))!.status).toBe('running'), { timeout: 15_000 })
      await store.cancel(id)
      expect(await ended(store, id)).toMatchObject({ status: 'cancelled' })
    })

    it('stores an end that could not be stored as soon as the database takes it', async () => {
      const store = storeOf({ now: Date.now })
      const fail = vi.spyOn(store, 'fail').mockRejectedValueOnce(new Error('disk full'))
      const { worker } = working(
        async ({ show }) => {
          await show({ done: 1 })
          throw new Error('broken')
        },
        { store, pollMs: 600_000 },
      )
      const { id } = await store.add(task())
      expect(await worker.runNow(id)).toBe(true)
      expect(worker.unstoredEnd(id)).toMatchObject({ progress: { done: 1 }, error: { message: 'disk full' } })
      expect((await store.get(id))!.status).toBe('running')
      await worker.storeEnds()
      expect(worker.unstoredEnd(id)).toBeUndefined()
      expect(await store.get(id)).toMatchObject({ status: 'failed', error: 'broken', progress: { done: 1 } })
      expect(fail).toHaveBeenCalledTimes(2)
    })

    it('gives running and reserved tasks back when it stops', async () => {
      const { store, worker } = working(untilAborted, {
        settings: { ...LIMITS, concurrency: 1, prefetchMultiplier: 2 },
      })
      const ids = [(await store.add(task())).id, (await store.add(task())).id]
      worker.start()
      await vi.waitFor(async () => expect(await statuses(store, ids)).toEqual(['running', 'running']), {
        timeout: 15_000,
      })
      await worker.stop()
      expect([await store.get(ids[0]!), await store.get(ids[1]!)]).toMatchObject([
        { status: 'pending', attempts: 0 },
        { status: 'pending', attempts: 0 },
      ])
    })
  })

  it('GET /jobs/:job_id shows state, result and log, 404 for an unknown job, 403 for one with another signature', async () => {
    const store = storeOf()
    const app = testServer()
    registerTaskRoutes(app, store)
    const { id } = await store.add(task())
    const read = async (job: string) => {
      const answer = await app.inject({ url: `/jobs/${job}` })
      return [answer.statusCode, answer.json()] as const
    }
    expect(await read(id)).toEqual([200, expect.objectContaining({ job_id: id, status: 'PENDING', ready: false })])
    const { lease } = await claimOne(store)
    await store.log(lease, 'half done')
    await store.finish(lease, { facts: 2 })
    expect(await read(id)).toEqual([
      200,
      {
        job_id: id,
        status: 'SUCCESS',
        ready: true,
        successful: true,
        failed: false,
        result: { facts: 2 },
        error: null,
        traceback: null,
        log: [{ at: new Date(now).toISOString(), message: 'half done' }],
      },
    ])
    expect(await read('unknown')).toEqual([404, { detail: `Unknown job: 'unknown'` }])
    await database.run(`UPDATE tasks SET payload = '1'`)
    expect(await read(id)).toEqual([403, { detail: 'Task signature mismatch' }])
  })

  it('GET /jobs and POST /jobs/:job_id/cancel lists jobs but the hidden kinds, newest first, and cancels open ones', async () => {
    const store = storeOf()
    const app = testServer()
    const stopped: string[] = []
    registerTaskRoutes(app, store, ['hidden'], (id) => stopped.push(id))
    const [first, second] = [(await store.add(task())).id, (await store.add(task())).id]
    const hidden = (await store.add({ ...task(), kind: 'hidden' })).id
    const list = async () =>
      (await app.inject({ url: '/jobs' })).json<{ jobs: { job_id: string; status: string; kind: string }[] }>().jobs
    expect((await list()).map(({ job_id: id, kind, status }) => [id, kind, status])).toEqual([
      [second, 'work', 'PENDING'],
      [first, 'work', 'PENDING'],
    ])
    expect((await app.inject({ url: '/jobs?limit=1&offset=1' })).json()).toMatchObject({ jobs: [{ job_id: first }] })
    expect((await app.inject({ url: '/jobs?limit=101' })).statusCode).toBe(422)
    const cancel = async (id: string) => (await app.inject({ method: 'POST', url: `/jobs/${id}/cancel` })).statusCode
    await claimOne(store)
    expect([await cancel(second), await cancel(first), await cancel(hidden), await cancel('unknown')]).toEqual([
      202, 202, 404, 404,
    ])
    expect(stopped).toEqual([second, first])
    expect((await list()).map(({ status }) => status)).toEqual(['REVOKED', 'STARTED'])
    expect(await cancel(second)).toBe(409)
  })
})
