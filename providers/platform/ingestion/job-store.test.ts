import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { testProfile } from '../../../tests/helpers/ingestion-fixture.ts'
import { StateStoreUnavailableError } from './errors.ts'
import { freshProgress } from './job-record.ts'
import type { NewJob } from './job-record.ts'
import { JobStore, MAX_EXECUTIONS } from './job-store.ts'

const LEASE_MS = 10_000

let folder: string
let nowMs: number
let store: JobStore
/** The same file as another process would have it open. */
let other: JobStore

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'jobs-'))
  nowMs = 1_700_000_000_000
  const open = () => new JobStore(path.join(folder, 'jobs.sqlite'), LEASE_MS, () => nowMs)
  store = open()
  other = open()
})
afterEach(async () => {
  store.close()
  other.close()
  await rm(folder, { recursive: true, force: true })
})

const newJob = (id: string, idempotencyKey = 'key', collection = 'RagBase_smoke'): NewJob => ({
  id,
  consumer: 'atlas',
  collection,
  idempotencyKey,
  createdMs: nowMs,
  order: { revision: 'r1', contentDigest: 'd1', corpusPath: 'smoke', profile: testProfile('smoke'), graph: true },
})

const add = (id: string, key = id, collection = `c-${id}`): void => {
  expect(store.claimFingerprint(newJob(id, key, collection), null).outcome).toBe('created')
}

const progressAt = (phase: string) => {
  const progress = freshProgress()
  progress.phases.find(({ name }) => name === phase)!.status = 'running'
  return progress
}

describe('fingerprints', () => {
  it('gives one job per fingerprint while it is under way', () => {
    expect(store.claimFingerprint(newJob('a'), null)).toMatchObject({
      outcome: 'created',
      job: { id: 'a', status: 'pending' },
    })
    expect(other.claimFingerprint(newJob('b'), null)).toMatchObject({ outcome: 'existing', job: { id: 'a' } })
    store.acquire('me')
    expect(other.claimFingerprint(newJob('b'), null)).toMatchObject({
      outcome: 'existing',
      job: { id: 'a', status: 'running' },
    })
  })

  it('gives a completed job only to who judged this one intact', () => {
    store.claimFingerprint(newJob('a'), null)
    store.finish(store.acquire('me')!.lease, 'completed', freshProgress())
    expect(store.claimFingerprint(newJob('b'), null)).toEqual({ outcome: 'stale' })
    expect(store.claimFingerprint(newJob('b'), { id: 'x', intact: true })).toEqual({ outcome: 'stale' })
    expect(store.claimFingerprint(newJob('b'), { id: 'a', intact: true })).toMatchObject({
      outcome: 'existing',
      job: { id: 'a' },
    })
    expect(store.claimFingerprint(newJob('b'), { id: 'a', intact: false })).toMatchObject({
      outcome: 'created',
      job: { id: 'b' },
    })
  })

  it('does not reuse a result that another job is about to overwrite', () => {
    store.claimFingerprint(newJob('a'), null)
    store.finish(store.acquire('me')!.lease, 'completed', freshProgress())
    store.claimFingerprint(newJob('b', 'other content'), null)
    expect(store.claimFingerprint(newJob('c'), { id: 'a', intact: true })).toMatchObject({
      outcome: 'created',
      job: { id: 'c' },
    })
  })

  it('lets failed and cancelled jobs run again', () => {
    store.claimFingerprint(newJob('a'), null)
    store.finish(store.acquire('me')!.lease, 'failed', freshProgress())
    expect(store.claimFingerprint(newJob('b'), null)).toMatchObject({ outcome: 'created' })
    store.cancel('b')
    expect(store.claimFingerprint(newJob('c'), null)).toMatchObject({ outcome: 'created' })
  })
})

describe('leases', () => {
  it('runs jobs in order, one per collection at a time', () => {
    add('a', 'a', 'same')
    add('b', 'b', 'same')
    add('c', 'c', 'different')
    const first = store.acquire('me')!
    expect([first.job.id, other.acquire('you')?.job.id, other.acquire('you')]).toEqual(['a', 'c', null])
    store.finish(first.lease, 'completed', freshProgress())
    expect(other.acquire('you')?.job.id).toBe('b')
  })

  it('takes over a job whose lease ran out, and refuses every write of the former owner', () => {
    add('a')
    const lost = store.acquire('me')!
    nowMs += LEASE_MS - 1
    expect(other.acquire('you')).toBeNull()
    nowMs += 1
    const taken = other.acquire('you')!
    expect(taken.job).toMatchObject({ id: 'a', executions: 2 })
    const before = store.get('a')
    const leaseLost = expect.objectContaining({ reason: 'lease_lost' })
    expect(() => store.renew(lost.lease)).toThrow(leaseLost)
    expect(() => store.renew(lost.lease, progressAt('embed'))).toThrow(leaseLost)
    expect(() => store.finish(lost.lease, 'failed', progressAt('embed'))).toThrow(leaseLost)
    store.release(lost.lease)
    expect(store.get('a')).toEqual(before)
    other.finish(taken.lease, 'completed', freshProgress())
    expect(() => store.finish(lost.lease, 'failed', freshProgress())).toThrow(leaseLost)
    expect(() => other.renew(taken.lease)).toThrow(leaseLost)
    expect(store.get('a')!.status).toBe('completed')
  })

  it('refuses the former run of the same owner too', () => {
    add('a')
    const first = store.acquire('me')!
    nowMs += LEASE_MS
    store.acquire('me')
    expect(() => store.renew(first.lease)).toThrow(expect.objectContaining({ reason: 'lease_lost' }))
  })

  it('keeps a job as long as it is renewed', () => {
    add('a')
    const { lease } = store.acquire('me')!
    for (let beat = 0; beat < 5; beat += 1) {
      nowMs += LEASE_MS - 1
      store.renew(lease)
    }
    expect(other.acquire('you')).toBeNull()
  })

  it('gives a released job to the next at once and does not count the run', () => {
    add('a')
    store.release(store.acquire('me')!.lease)
    expect(other.acquire('you')!.job.executions).toBe(1)
  })

  it('fails a job whose processes keep dying', () => {
    add('a')
    for (let run = 1; run <= MAX_EXECUTIONS; run += 1) {
      const { lease } = store.acquire('me')!
      store.renew(lease, progressAt('parse'))
      nowMs += LEASE_MS
    }
    expect(store.acquire('me')).toBeNull()
    const job = store.get('a')!
    expect(job.status).toBe('failed')
    expect(job.progress.errors).toMatchObject([
      { phase: 'parse', message: `the process running this job was lost ${MAX_EXECUTIONS} times` },
    ])
    expect(job.progress.phases[1]).toMatchObject({ name: 'parse', status: 'failed' })
  })
})

describe('cancellation', () => {
  it('ends a pending job at once and leaves an ended one alone', () => {
    add('a')
    expect(store.cancel('a')).toMatchObject({ status: 'cancelled', cancelRequested: true })
    expect(store.acquire('me')).toBeNull()
    add('b')
    store.finish(store.acquire('me')!.lease, 'completed', freshProgress())
    expect(store.cancel('b')).toMatchObject({ status: 'completed', cancelRequested: false })
    expect(store.cancel('unknown')).toBeNull()
  })

  it('notifies the run of another process at its next write', () => {
    add('a')
    const { lease } = store.acquire('me')!
    expect(other.cancel('a')).toMatchObject({ status: 'running', cancelRequested: true })
    expect(() => store.renew(lease, progressAt('embed'))).toThrow(expect.objectContaining({ reason: 'cancelled' }))
    store.finish(lease, 'cancelled', progressAt('embed'))
    expect(store.get('a')!.status).toBe('cancelled')
  })

  it('closes a job whose process died before it noticed', () => {
    add('a')
    store.renew(store.acquire('me')!.lease, progressAt('embed'))
    store.cancel('a')
    nowMs += LEASE_MS
    expect(other.acquire('you')).toBeNull()
    expect(store.get('a')!).toMatchObject({ status: 'cancelled' })
    expect(store.get('a')!.progress.phases[3]).toMatchObject({ name: 'embed', status: 'cancelled' })
  })
})

describe('syncs', () => {
  it('wait for the disk where a job must survive a power cut, not at each progress of its run', () => {
    const levels: [string, number][] = []
    const { prototype } = Database
    const transaction = vi.spyOn(prototype, 'transaction').mockImplementation(function (this: Database.Database, step) {
      const run = () => {
        levels.push([doing, this.pragma('synchronous', { simple: true }) as number])
        return step()
      }
      return Object.assign(run, { immediate: run }) as never
    })
    let doing = 'submit'
    try {
      add('a')
      doing = 'start'
      const { lease } = store.acquire('me')!
      doing = 'progress'
      store.renew(lease, progressAt('embed'))
      doing = 'hashes'
      store.knownHashes().put([])
      doing = 'cancel'
      store.cancel('a')
    } finally {
      transaction.mockRestore()
    }
    expect(levels).toEqual([
      ['submit', 2],
      ['start', 2],
      ['progress', 1],
      ['hashes', 1],
      ['cancel', 2],
    ])
  })
})

describe('the rest', () => {
  it('records a failed dispatch unless a worker was faster', () => {
    add('a')
    expect(store.failDispatch('a', 'no worker')).toBe(true)
    expect(store.get('a')).toMatchObject({
      status: 'failed',
      progress: { errors: [{ phase: 'dispatch', message: 'no worker', retryable: true }] },
    })
    add('b')
    store.acquire('me')
    expect(store.failDispatch('b', 'no worker')).toBe(false)
    expect(store.get('b')!.status).toBe('running')
  })

  it('lists newest first, page by page', () => {
    for (const id of ['a', 'b', 'c']) add(id)
    const page = store.list(null, 2)
    expect(page.map(({ id }) => id)).toEqual(['c', 'b'])
    expect(store.list(page[1]!.seq, 2).map(({ id }) => id)).toEqual(['a'])
  })

  it('takes the lease away when a profile is deleted', () => {
    add('a')
    const { lease } = store.acquire('me')!
    expect(other.deleteProfile('smoke')).toEqual(['a'])
    expect(() => store.renew(lease)).toThrow(expect.objectContaining({ reason: 'lease_lost' }))
  })

  it('has one error for a store that cannot be used', () => {
    expect(() => new JobStore(path.join(folder, 'absent', 'jobs.sqlite'), LEASE_MS, () => nowMs)).toThrow(
      StateStoreUnavailableError,
    )
    const closed = new JobStore(path.join(folder, 'jobs.sqlite'), LEASE_MS, () => nowMs)
    closed.close()
    expect(() => closed.get('a')).toThrow(StateStoreUnavailableError)
  })
})
