import { readFile } from 'node:fs/promises'
import path from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { testProfile } from '../../../tests/helpers/ingestion-profile.ts'
import { TaskLostError, type TaskLease } from '../jobs/task-store.ts'
import type { Database } from '../stores/database/database.ts'
import { StateStoreUnavailableError } from './errors.ts'
import { fileHashes } from './file-hashes.ts'
import { freshProgress, toRecord, type NewJob } from './job-record.ts'
import { JobStore } from './job-store.ts'
import { INGESTION, MAX_EXECUTIONS, openJobDatabase } from './job-tables.ts'

const LEASE_MS = 10_000
const START_MS = 1_700_000_000_000
const FIXTURE = path.resolve(import.meta.dirname, '../../../tests/fixtures/ingestion-jobs-1.sql')

let folder: string
let file: string
let nowMs: number
let store: JobStore
/** The same file as another process would have it open. */
let other: JobStore
const databases: Database[] = []

function open(): JobStore {
  const database = openJobDatabase(file)
  databases.push(database)
  return new JobStore(database, LEASE_MS, () => nowMs)
}

beforeEach(async () => {
  folder = await temporaryFolder('jobs')
  file = path.join(folder, 'jobs.sqlite')
  nowMs = START_MS
})
afterEach(async () => {
  for (const database of databases.splice(0)) await database.close()
})

const newJob = (id: string, idempotencyKey = 'key', collection = 'RagBase_smoke'): NewJob => ({
  id,
  consumer: 'atlas',
  collection,
  idempotencyKey,
  order: { revision: 'r1', contentDigest: 'd1', corpusPath: 'smoke', profile: testProfile('smoke'), graph: true },
})

const claimedIds = async (jobs: JobStore): Promise<string[]> =>
  (await jobs.tasks.claim('you', [INGESTION], 9)).map(({ task }) => task.id)

async function start(jobs: JobStore): Promise<TaskLease> {
  const [claimed] = await jobs.tasks.claim('me', [INGESTION], 1)
  return claimed!.lease
}

const progressAt = (phase: string) => {
  const progress = freshProgress()
  progress.phases.find(({ name }) => name === phase)!.status = 'running'
  return progress
}

describe('jobs of a new file', () => {
  beforeEach(() => {
    store = open()
    other = open()
  })
  const add = async (id: string, key = id, collection = `c-${id}`): Promise<void> => {
    expect((await store.claimFingerprint(newJob(id, key, collection), null)).outcome).toBe('created')
  }

  describe('fingerprints', () => {
    it('gives one job per fingerprint while it is under way', async () => {
      expect(await store.claimFingerprint(newJob('a'), null)).toMatchObject({
        outcome: 'created',
        job: { id: 'a', status: 'pending' },
      })
      expect(await other.claimFingerprint(newJob('b'), null)).toMatchObject({ outcome: 'existing', job: { id: 'a' } })
      await start(store)
      expect(await other.claimFingerprint(newJob('b'), null)).toMatchObject({
        outcome: 'existing',
        job: { id: 'a', status: 'running' },
      })
    })

    it('gives a completed job only to who judged this one intact', async () => {
      await store.claimFingerprint(newJob('a'), null)
      await store.tasks.finish(await start(store), null)
      expect(await store.claimFingerprint(newJob('b'), null)).toEqual({ outcome: 'stale' })
      expect(await store.claimFingerprint(newJob('b'), { id: 'x', intact: true })).toEqual({ outcome: 'stale' })
      expect(await store.claimFingerprint(newJob('b'), { id: 'a', intact: true })).toMatchObject({
        outcome: 'existing',
        job: { id: 'a', status: 'completed' },
      })
      expect(await store.claimFingerprint(newJob('b'), { id: 'a', intact: false })).toMatchObject({
        outcome: 'created',
        job: { id: 'b' },
      })
    })

    it('does not reuse a result that another job is about to overwrite', async () => {
      await store.claimFingerprint(newJob('a'), null)
      await store.tasks.finish(await start(store), null)
      await store.claimFingerprint(newJob('b', 'other content'), null)
      expect(await store.claimFingerprint(newJob('c'), { id: 'a', intact: true })).toMatchObject({
        outcome: 'created',
        job: { id: 'c' },
      })
    })

    it('lets failed and cancelled jobs run again', async () => {
      await store.claimFingerprint(newJob('a'), null)
      await store.tasks.fail(await start(store), 'down')
      expect(await store.claimFingerprint(newJob('b'), null)).toMatchObject({ outcome: 'created' })
      await store.tasks.cancel('b')
      expect(await store.claimFingerprint(newJob('c'), null)).toMatchObject({ outcome: 'created' })
    })
  })

  it('runs jobs in order, one per collection at a time', async () => {
    await add('a', 'a', 'same')
    await add('b', 'b', 'same')
    await add('c', 'c', 'different')
    const first = await start(store)
    expect([await claimedIds(other), await claimedIds(other)]).toEqual([['c'], []])
    await store.tasks.finish(first, null)
    expect(await claimedIds(other)).toEqual(['b'])
  })

  it('shows the phase in which the processes of a job died too often', async () => {
    await add('a')
    for (let run = 1; run <= MAX_EXECUTIONS; run += 1) {
      await store.tasks.renew(await start(store), progressAt('parse'))
      nowMs += LEASE_MS
    }
    expect(await claimedIds(store)).toEqual([])
    const { status, progress } = (await store.get('a'))!
    const message = `its process ended while it ran, ${MAX_EXECUTIONS} times`
    expect(status).toBe('failed')
    expect(progress.errors).toMatchObject([{ phase: 'parse', message }])
    expect(progress.phases[1]).toMatchObject({ name: 'parse', status: 'failed', error: message })
  })

  it('closes the phase of a job that was cancelled after its process died', async () => {
    await add('a')
    await store.tasks.renew(await start(store), progressAt('embed'))
    await store.tasks.cancel('a')
    nowMs += LEASE_MS
    expect(await claimedIds(other)).toEqual([])
    const { status, progress } = (await store.get('a'))!
    expect(status).toBe('cancelled')
    expect(progress).toMatchObject({ errors: [] })
    expect(progress.phases[3]).toMatchObject({ name: 'embed', status: 'cancelled', error: null })
  })

  it('opens a job again for its graph, also one that was asked to stop and finished all the same', async () => {
    const order = { ...newJob('a').order, graph: false }
    await store.claimFingerprint({ ...newJob('a'), order }, null)
    const lease = await start(store)
    await store.tasks.cancel('a')
    await store.tasks.finish(lease, null)
    expect(await store.claimFingerprint(newJob('b'), { id: 'a', intact: true })).toMatchObject({
      outcome: 'created',
      job: { id: 'a', status: 'pending', executions: 0, order: { graph: true } },
    })
    expect(await claimedIds(store)).toEqual(['a'])
  })

  it('lists newest first, page by page', async () => {
    for (const id of ['a', 'b', 'c']) await add(id)
    const page = await store.list(null, 2)
    expect(page.map(({ id }) => id)).toEqual(['c', 'b'])
    expect((await store.list(page[1]!.seq, 2)).map(({ id }) => id)).toEqual(['a'])
  })

  it('takes the lease away when a profile is deleted', async () => {
    await add('a')
    const lease = await start(store)
    expect(await other.deleteProfile('smoke')).toEqual(['a'])
    await expect(store.tasks.renew(lease)).rejects.toThrow(TaskLostError)
    expect(await store.list(null, 9)).toEqual([])
  })

  it('has one error for a store that cannot be used', async () => {
    expect(() => openJobDatabase(path.join(folder, 'absent', 'jobs.sqlite'))).toThrow(StateStoreUnavailableError)
    await databases[0]!.close()
    await expect(store.get('a')).rejects.toThrow(StateStoreUnavailableError)
    databases.shift()
  })
})

describe('a file that version 0.1 wrote', () => {
  beforeEach(async () => {
    const old = new Sqlite(file)
    old.exec(await readFile(FIXTURE, 'utf8'))
    old.close()
  })

  it('keeps its jobs as they were, and runs those that were waiting or whose process is gone', async () => {
    store = open()
    const records = (await store.list(null, 9)).map(toRecord)
    expect(records.map(({ id, status, executions }) => [id, status, executions])).toEqual([
      ['pending', 'pending', 0],
      ['running', 'running', 1],
      ['cancelled', 'cancelled', 0],
      ['failed', 'failed', 1],
      ['completed', 'completed', 1],
    ])
    expect(records[3]!.errors).toMatchObject([{ phase: 'embed', message: 'embedding failed: down' }])
    expect(records[4]).toMatchObject({ counts: { documents_parsed: 3 }, collection: 'RagBase_completed', graph: false })
    expect(records[1]!.phases[1]).toMatchObject({ name: 'parse', status: 'running' })

    // The lease of the old process counts until it runs out.
    nowMs = START_MS + 4000
    expect(await claimedIds(store)).toEqual(['pending'])
    nowMs += LEASE_MS
    expect(await claimedIds(store)).toEqual(['running', 'pending'])
    expect((await store.get('running'))!.executions).toBe(2)
    expect(await store.claimFingerprint(newJob('again', 'key-running', 'x'), null)).toMatchObject({
      outcome: 'existing',
      job: { id: 'running' },
    })
    expect((await store.claimFingerprint(newJob('new', 'key-new', 'x'), null)).outcome).toBe('created')
    expect((await store.list(null, 1))[0]!.id).toBe('new')
  })

  it('is converted once when several processes open it at the same time, and remembers the hashes of its files', async () => {
    const [left, right] = [open(), open()]
    expect(await left.list(null, 9)).toEqual(await right.list(null, 9))
    const known = fileHashes(databases[0]!, () => nowMs)
    const state = { sizeBytes: 5, modifiedNs: 10n, changedNs: 10n, inode: -3n }
    expect(await known.get('/corpus/a.md', state)).toBe('ab')
    expect(await known.get('/corpus/a.md', { ...state, sizeBytes: 6 })).toBeNull()
  })
})
