import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashEmbeddings } from '../../../tests/helpers/hash-embedding.ts'
import {
  gatedEmbedding,
  ingest,
  openIngestionSite,
  phase,
  someDocuments,
  writeFiles,
} from '../../../tests/helpers/ingestion-fixture.ts'
import { testProfile } from '../../../tests/helpers/ingestion-profile.ts'
import type { IngestionSite } from '../../../tests/helpers/ingestion-fixture.ts'
import { systemClock } from './clock.ts'
import { StateStoreUnavailableError } from './errors.ts'

let site: IngestionSite
beforeEach(async () => {
  site = await openIngestionSite()
})

describe('submitting again', () => {
  it('gives the job that is under way or completed', async () => {
    const { embed, gate, release } = gatedEmbedding()
    const service = site.service({ embed })
    service.start()
    const first = await service.submit({ profile: 'smoke' })
    await gate.reached
    const second = await service.submit({ profile: 'smoke' })
    expect(second).toMatchObject({
      ingestion_id: first.ingestion_id,
      status: 'running',
      message: expect.stringMatching(/^Idempotent/),
    })
    release()
    await service.settled(first.ingestion_id)
    expect(await service.submit({ profile: 'smoke' })).toMatchObject({
      ingestion_id: first.ingestion_id,
      status: 'completed',
      message: expect.stringMatching(/^Idempotent/),
    })
    expect(gate.calls).toBe(1)
  })

  it('runs again when the collection is gone, was overwritten, or belongs to another model', async () => {
    const service = site.service()
    const first = await ingest(service)
    await site.store.remove('RagBase_smoke')
    const second = await ingest(service)
    expect(second.id).not.toBe(first.id)

    const original = someDocuments(3)['doc-000.md']!
    await writeFile(path.join(site.corpusRoot, 'smoke/doc-000.md'), 'Another text.')
    const third = await ingest(service)
    await writeFile(path.join(site.corpusRoot, 'smoke/doc-000.md'), original)
    const fourth = await ingest(service)
    expect(new Set([first.id, second.id, third.id, fourth.id]).size).toBe(4)
    expect(fourth.idempotency_key).toBe(first.idempotency_key)
    expect((await ingest(service)).id).toBe(fourth.id)

    const otherModel = await ingest(site.service({ embeddingSpace: 'other-768' }))
    expect(otherModel.id).not.toBe(fourth.id)
    expect(await site.store.info('RagBase_smoke')).toMatchObject({ embeddingModel: 'other-768' })
  })

  it('runs again for another revision of the profile', async () => {
    const first = await ingest(site.service())
    const profile = testProfile('smoke', { chunker: { strategy: 'token', chunk_size: 30, overlap: 5 } })
    const second = await ingest(site.service({ profiles: [profile] }))
    expect(second.content_digest).toBe(first.content_digest)
    expect(second.revision).not.toBe(first.revision)
    // The first job's chunks are no more, so it is not an answer to its own fingerprint.
    expect((await ingest(site.service())).id).not.toBe(first.id)
  })
})

describe('cancelling', () => {
  it('keeps the vectors that were made, so that a paused run goes on from them', async () => {
    await writeFiles(path.join(site.corpusRoot, 'smoke'), someDocuments(60))
    const embedded: string[] = []
    const reached = Promise.withResolvers<undefined>()
    const paused = site.service({
      embed: async (texts, signal) => {
        if (embedded.length > 0) {
          reached.resolve(undefined)
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
        }
        embedded.push(...texts)
        return hashEmbeddings(texts)
      },
    })
    paused.start()
    const { ingestion_id: id } = await paused.submit({ profile: 'smoke' })
    await reached.promise
    await paused.cancel(id)
    expect((await paused.settled(id)).status).toBe('cancelled')
    expect(embedded.length).toBeGreaterThan(0)

    const before = new Set(embedded)
    const again: string[] = []
    const resumed = site.service({
      embed: async (texts) => {
        again.push(...texts)
        return hashEmbeddings(texts)
      },
    })
    const record = await ingest(resumed)
    expect(record.status).toBe('completed')
    expect(record.counts['vectors_reused']).toBeGreaterThanOrEqual(before.size)
    expect(again.filter((text) => before.has(text))).toEqual([])
  })

  it('ends a run in the middle of embedding, also one that does not listen', async () => {
    const { embed, gate } = gatedEmbedding()
    const service = site.service({ embed })
    service.start()
    const { ingestion_id: id } = await service.submit({ profile: 'smoke' })
    await gate.reached
    expect(await service.cancel(id)).toMatchObject({ status: 'running', cancel_requested: true })
    const record = await service.settled(id)
    expect(record.status).toBe('cancelled')
    expect(phase(record, 'embed')).toMatchObject({ status: 'cancelled', error: null })
    expect(phase(record, 'vector_write').status).toBe('pending')
    expect(await site.store.info('RagBase_smoke')).toBeNull()
    expect(await service.cancel(id)).toMatchObject({ status: 'cancelled' })
    expect(await service.cancel('unknown')).toBeNull()
  })

  it('reaches the run of another process at its next write', async () => {
    await writeFiles(path.join(site.corpusRoot, 'smoke'), someDocuments(60))
    const other = site.service()
    let calls = 0
    const service = site.service({
      // Time that runs fast makes every count worth storing.
      clock: { now: () => Date.now() + calls * 1000, sleep: systemClock.sleep },
      embed: async (texts, signal) => {
        calls += 1
        if (calls === 2) await other.cancel((await other.list({ limit: 1 }))!.records[0]!.id)
        // The count of the second batch is stored beside the third one.
        if (calls === 3) await new Promise((ended) => signal.addEventListener('abort', ended))
        return hashEmbeddings(texts)
      },
    })
    service.start()
    const record = await ingest(service)
    expect(record.status).toBe('cancelled')
    expect(calls).toBeLessThanOrEqual(3)
  })
})

describe('stopping', () => {
  it('gives the job back, and the next service finishes it', async () => {
    const { embed, gate } = gatedEmbedding()
    const first = site.service({ embed })
    first.start()
    const { ingestion_id: id } = await first.submit({ profile: 'smoke' })
    await gate.reached
    await first.close()
    const second = site.service()
    expect(await second.get(id)).toMatchObject({ status: 'pending' })
    second.start()
    expect(await second.settled(id)).toMatchObject({ status: 'completed', executions: 1 })
  })

  it('ends those who wait', async () => {
    const { embed, gate } = gatedEmbedding()
    const service = site.service({ embed })
    const request = service.submit({ profile: 'smoke' }, { inRequest: true })
    await gate.reached
    const refused = expect(request).rejects.toThrow(StateStoreUnavailableError)
    await service.close()
    await refused
  })

  it('demands a lease between 10 and 300 seconds', () => {
    expect(() => site.service({ leaseSeconds: 9 })).toThrow(RangeError)
    expect(() => site.service({ leaseSeconds: 301 })).toThrow(RangeError)
  })
})
