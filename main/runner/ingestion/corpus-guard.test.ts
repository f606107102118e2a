import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import { IngestionRecord } from '../../../contract/http/ingestion.ts'
import { RagHealth } from '../../../contract/http/rag.ts'
import { watchCorpus } from './corpus-guard.ts'
import { PlatformError } from '../platform/platform-client.ts'

const record = (id: string, profile = 'smoke', status = 'completed') =>
  IngestionRecord.parse({ id, profile, status, revision: 'r', content_digest: 'd', counts: {} })
const health = (digest: string) =>
  RagHealth.parse({
    status: 'healthy',
    profile: 'smoke',
    aliases: [],
    collections: { plain: { content_digest: digest } },
  })
const absent = () => Promise.reject(new PlatformError('http_error', 'no such route', 404))

function watch(ingestions: () => Promise<IngestionRecord[]>, ragHealth: () => Promise<RagHealth> = absent) {
  const events: RunEvent[] = []
  const guard = watchCorpus({
    client: { ingestions, ragHealth },
    profile: 'smoke',
    jobId: 'job-1',
    emit: (event) => void events.push(event),
    stop: new AbortController().signal,
    ready: async () => undefined,
  })
  return { guard, events }
}

describe('watchCorpus', () => {
  it('accepts jobs of other profiles and jobs that failed, and refuses a later one of the same profile', async () => {
    let jobs = [record('job-1')]
    const guard = (await watch(async () => jobs).guard)!
    jobs = [record('job-3', 'smoke', 'failed'), record('job-2', 'other'), ...jobs]
    await guard.confirm()
    jobs = [record('job-4', 'smoke', 'running'), ...jobs]
    await expect(guard.confirm()).rejects.toMatchObject({
      code: 'corpus_changed',
      message: expect.stringContaining('(ingestion job-1, now ingestion job-4)') as string,
    })
  })

  it('refuses to begin when a later job replaced the corpus already', async () => {
    await expect(watch(async () => [record('job-2'), record('job-1')]).guard).rejects.toMatchObject({
      code: 'corpus_changed',
    })
  })

  it('compares the digest of the collections where jobs are not listed', async () => {
    let digest = 'a'
    const guard = (await watch(absent, async () => health(digest)).guard)!
    await guard.confirm()
    digest = 'b'
    await expect(guard.confirm()).rejects.toThrow('(collection digest a, now collection digest b)')
  })

  it('warns that nothing is watched when the platform shows neither', async () => {
    const { guard, events } = watch(absent)
    expect(await guard).toBeNull()
    expect(events).toMatchObject([{ type: 'notice', level: 'warning' }])
  })

  it('confirms an answer by a check that began after it came, and shares that check', async () => {
    let checks = 0
    let finish: (() => void)[] = []
    const guard = (await watch(async () => {
      checks += 1
      if (checks > 1) await new Promise<void>((resolve) => finish.push(resolve))
      return [record('job-1')]
    }).guard)!
    const first = guard.confirm()
    const [second, third] = [guard.confirm(), guard.confirm()]
    const release = async () => {
      await expect.poll(() => finish.length).toBe(1)
      finish.pop()!()
    }
    await release()
    await first
    await release()
    await Promise.all([second, third])
    expect(checks).toBe(3)
    finish = []
  })
})
