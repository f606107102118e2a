import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IngestionRecord, INGESTION_PHASES } from '../../../contract/index.ts'
import { hashEmbeddings } from '../../../tests/helpers/hash-embedding.ts'
import { openIngestionSite, someDocuments, testProfile, writeFiles } from '../../../tests/helpers/ingestion-fixture.ts'
import type { IngestionSite } from '../../../tests/helpers/ingestion-fixture.ts'
import { VectorStoreUnavailableError } from '../vector-store/errors.ts'
import { systemClock } from './clock.ts'
import type { DocumentParser } from './document-parser.ts'
import {
  CorpusError,
  DispatchError,
  StateStoreUnavailableError,
  UnknownIngestionError,
  UnknownProfileError,
} from './errors.ts'
import type { GraphTargetClient } from './graph-target.ts'
import type { EmbedDocuments } from './phases.ts'
import type { IngestionService } from './ingestion-service.ts'

let site: IngestionSite
beforeEach(async () => {
  site = await openIngestionSite()
})
afterEach(() => site.close())

/** An embedder whose first call says that it has begun and then waits to be let go. */
function gatedEmbedding() {
  let begun!: () => void
  let release!: () => void
  const gate = {
    calls: 0,
    reached: new Promise<void>((resolve) => (begun = resolve)),
    opened: new Promise<void>((resolve) => (release = resolve)),
  }
  const embed: EmbedDocuments = async (texts) => {
    gate.calls += 1
    begun()
    await gate.opened
    return hashEmbeddings(texts)
  }
  return { embed, gate, release }
}

async function ingest(service: IngestionService, profile = 'smoke'): Promise<IngestionRecord> {
  const { ingestion_id: id } = await service.submit({ profile })
  return service.settled(id)
}

const phase = (record: IngestionRecord, name: string) => record.phases.find((candidate) => candidate.name === name)!

describe('a job', () => {
  it('runs the eight phases in order and writes the collection', async () => {
    const service = site.service()
    service.start()
    const accepted = await service.submit({ profile: 'smoke' })
    expect(accepted).toMatchObject({
      status: 'pending',
      message: 'RAG ingestion queued',
      task: 'rag_ingestion',
      job_id: accepted.ingestion_id,
    })
    const record = IngestionRecord.parse(await service.settled(accepted.ingestion_id))
    expect(record).toMatchObject({
      status: 'completed',
      errors: [],
      cancel_requested: false,
      corpus: { source: 'mount', path: 'smoke' },
    })
    expect(record.phases.map(({ name, status }) => [name, status])).toEqual(
      INGESTION_PHASES.map((name) => [name, name === 'graph_upload' || name === 'drain' ? 'skipped' : 'completed']),
    )
    const starts = record.phases.map(({ started_at: at }) => Date.parse(at!))
    expect(starts).toEqual(starts.toSorted((left, right) => left - right))
    for (const { duration_ms: duration, ended_at: ended } of record.phases) {
      expect(duration).toBeGreaterThanOrEqual(0)
      expect(ended).not.toBeNull()
    }
    const chunks = await site.store.chunks('RagBase_smoke')
    expect(record.counts).toMatchObject({
      files_discovered: 3,
      documents_parsed: 3,
      chunks_created: chunks.length,
      chunks_embedded: chunks.length,
      chunks_written: chunks.length,
    })
    expect(chunks[0]).toMatchObject({ document: 'doc-000.md', title: 'Document 0', chunkIndex: 0, startChar: 0 })
    expect(phase(record, 'graph_upload').note).toBe('graph engine not available')
    expect(phase(record, 'parse').note).toBe('parsers not available: converter; files read: 3 by plain_text')
    expect(record.profile_snapshot).toEqual({ revision: record.revision, ...testProfile('smoke') })
  })

  it('runs in the request without a worker', async () => {
    const accepted = await site.service().submit({ profile: 'smoke' })
    expect(accepted).toMatchObject({ status: 'completed', job_id: null, message: 'RAG ingestion completed' })
  })

  it('takes a folder inside the profile and refuses one outside', async () => {
    await writeFiles(path.join(site.corpusRoot, 'smoke/part'), { 'only.md': 'One document of its own.' })
    const service = site.service()
    const { ingestion_id: id } = await service.submit({ profile: 'smoke', corpus_path: 'smoke/part' })
    expect(service.get(id)).toMatchObject({ corpus: { path: 'smoke/part' }, counts: { files_discovered: 1 } })
    for (const corpusPath of ['elsewhere', 'smoke/../other', 'smoked', '/etc']) {
      await expect(service.submit({ profile: 'smoke', corpus_path: corpusPath })).rejects.toThrow(CorpusError)
    }
    await expect(service.submit({ profile: 'unknown' })).rejects.toThrow(UnknownProfileError)
  })

  it('asks parsers in the order of the profile', async () => {
    await writeFiles(path.join(site.corpusRoot, 'smoke'), { 'slides.pdf': 'binary' })
    const converter: DocumentParser = {
      name: 'converter',
      accepts: ({ path: file }) => file.endsWith('.pdf'),
      parse: async (file) => ({ title: 'Slides', text: `converted ${String(await file.read())}` }),
    }
    const record = await ingest(site.service({ parsers: [converter] }))
    expect(record).toMatchObject({ status: 'completed', counts: { documents_parsed: 4 } })
    expect(phase(record, 'parse').note).toBeNull()
    expect((await site.store.chunks('RagBase_smoke')).at(-1)).toMatchObject({
      title: 'Slides',
      content: 'converted binary',
    })
  })

  it('uploads to the graph engine when there is one', async () => {
    const uploaded: string[] = []
    const graph: GraphTargetClient = {
      upload: async ({ id }) => {
        uploaded.push(id)
        return { trackId: id }
      },
      drain: async (ids) => ({ processed: ids.length, failed: [] }),
    }
    const record = await ingest(site.service({ graph }))
    expect(uploaded).toEqual(['doc-000.md', 'doc-001.md', 'doc-002.md'])
    expect(record.counts).toMatchObject({ documents_uploaded: 3, documents_processed: 3 })
  })

  it('takes each profile to a graph of its own, keeps it in step with the corpus, and clears it with the profile', async () => {
    const graphs = new Map<string, Set<string>>()
    const documentsOf = (profile: string) => graphs.get(profile) ?? graphs.set(profile, new Set()).get(profile)!
    const graph = (profile: string): GraphTargetClient => ({
      async upload({ id }) {
        documentsOf(profile).add(id)
        return { trackId: id }
      },
      drain: async (ids) => ({ processed: ids.length, failed: [] }),
      retain(ids) {
        const gone = [...documentsOf(profile)].filter((id) => !ids.includes(id))
        for (const id of gone) documentsOf(profile).delete(id)
        return gone.length
      },
      async clear() {
        const count = documentsOf(profile).size
        documentsOf(profile).clear()
        return count
      },
    })
    const service = site.service({ graph })
    await ingest(service)
    await rm(path.join(site.corpusRoot, 'smoke/doc-001.md'))
    expect((await ingest(service)).counts).toMatchObject({ documents_uploaded: 2, documents_removed: 1 })
    expect([...graphs]).toEqual([['smoke', new Set(['doc-000.md', 'doc-002.md'])]])
    await service.resetProfile('smoke')
    expect(documentsOf('smoke').size).toBe(0)
  })

  it.each([
    ['a file that no parser accepts', { 'movie.mp4': 'x' }, 'parse', 'movie.mp4'],
    ['a file that is not UTF-8', { 'latin.md': Buffer.from('h\xe4user', 'latin1') }, 'parse', 'latin.md'],
  ])('fails on %s and names it', async (_, files, failedPhase, file) => {
    await writeFiles(path.join(site.corpusRoot, 'smoke'), files)
    const record = await ingest(site.service())
    expect(record).toMatchObject({ status: 'failed', errors: [{ phase: failedPhase, file }] })
    expect(phase(record, failedPhase)).toMatchObject({ status: 'failed', error: expect.stringContaining(file) })
    expect(phase(record, 'chunk').status).toBe('pending')
    expect(await site.store.info('RagBase_smoke')).toBeNull()
  })

  it('fails when the corpus is another than was submitted', async () => {
    const service = site.service({ dispatch: async () => undefined })
    const { ingestion_id: id } = await service.submit({ profile: 'smoke' })
    await writeFile(path.join(site.corpusRoot, 'smoke/doc-001.md'), 'changed')
    service.start()
    expect(await service.settled(id)).toMatchObject({
      status: 'failed',
      errors: [{ phase: 'discover', message: "corpus 'smoke' changed after it was submitted; submit it again" }],
    })
  })

  it('records what the embedding model answered', async () => {
    const embed = () => Promise.reject(Object.assign(new Error('model is gone'), { status: 404 }))
    expect(await ingest(site.service({ embed }))).toMatchObject({
      status: 'failed',
      errors: [{ phase: 'embed', message: 'embedding failed: model is gone', service: 'embedding', http_status: 404 }],
    })
    const miscounting = await ingest(site.service({ embed: async () => [] }))
    expect(miscounting.errors[0]!.message).toMatch(/^0 embeddings for \d+ chunks$/)
  })

  it('skips an unavailable vector store where the profile says so, and fails elsewhere', async () => {
    const store = Object.create(site.store) as typeof site.store
    store.replace = () => Promise.reject(new VectorStoreUnavailableError('disk full'))
    store.info = (name) => site.store.info(name)
    const skip = testProfile('smoke', { vector_target: { collection_prefix: 'RagBase', on_unavailable: 'skip' } })
    const skipped = await ingest(site.service({ store, profiles: [skip] }))
    expect(skipped.status).toBe('completed')
    expect(phase(skipped, 'vector_write')).toMatchObject({
      status: 'skipped',
      note: 'vector store unavailable: disk full',
    })
    expect(await ingest(site.service({ store }))).toMatchObject({
      status: 'failed',
      errors: [{ phase: 'vector_write', service: 'vector_store' }],
    })
  })
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

  it('runs anew when the collection is gone, was overwritten, or belongs to another model', async () => {
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

    const otherModel = await ingest(site.service({ embeddingModelName: 'other-768' }))
    expect(otherModel.id).not.toBe(fourth.id)
    expect(await site.store.info('RagBase_smoke')).toMatchObject({ embeddingModel: 'other-768' })
  })

  it('runs anew for another revision of the profile', async () => {
    const first = await ingest(site.service())
    const profile = testProfile('smoke', { chunker: { strategy: 'token', chunk_size: 30, overlap: 5 } })
    const second = await ingest(site.service({ profiles: [profile] }))
    expect(second.content_digest).toBe(first.content_digest)
    expect(second.revision).not.toBe(first.revision)
    // The first job's chunks are no more, so it is no answer to its own fingerprint.
    expect((await ingest(site.service())).id).not.toBe(first.id)
  })

  it('runs anew after a failure', async () => {
    let down = true
    const service = site.service({
      embed: (texts) => (down ? Promise.reject(new Error('down')) : hashEmbeddings(texts)),
    })
    const first = await ingest(service)
    down = false
    const second = await ingest(service)
    expect([first.status, second.status]).toEqual(['failed', 'completed'])
    expect(second.id).not.toBe(first.id)
  })

  it('records a failed dispatch as a job that may run again', async () => {
    const service = site.service({ dispatch: () => Promise.reject(new Error('broker gone')) })
    await expect(service.submit({ profile: 'smoke' })).rejects.toThrow(DispatchError)
    const [record] = service.list({ limit: 1 })!.records
    expect(record).toMatchObject({
      status: 'failed',
      errors: [{ phase: 'dispatch', message: 'broker gone', retryable: true }],
    })
    expect((await ingest(site.service())).status).toBe('completed')
  })
})

describe('cancelling', () => {
  it('ends a run in the middle of embedding, also one that does not listen', async () => {
    const { embed, gate } = gatedEmbedding()
    const service = site.service({ embed })
    service.start()
    const { ingestion_id: id } = await service.submit({ profile: 'smoke' })
    await gate.reached
    expect(service.cancel(id)).toMatchObject({ status: 'running', cancel_requested: true })
    const record = await service.settled(id)
    expect(record.status).toBe('cancelled')
    expect(phase(record, 'embed')).toMatchObject({ status: 'cancelled', error: null })
    expect(phase(record, 'vector_write').status).toBe('pending')
    expect(await site.store.info('RagBase_smoke')).toBeNull()
    expect(service.cancel(id)).toMatchObject({ status: 'cancelled' })
    expect(service.cancel('unknown')).toBeNull()
  })

  it('reaches the run of another process at its next write', async () => {
    await writeFiles(path.join(site.corpusRoot, 'smoke'), someDocuments(60))
    const other = site.service()
    let calls = 0
    const service = site.service({
      // Time that runs fast makes every count worth storing.
      clock: { now: () => Date.now() + calls * 1000, sleep: systemClock.sleep },
      embed: async (texts) => {
        calls += 1
        if (calls === 2) other.cancel(other.list({ limit: 1 })!.records[0]!.id)
        return hashEmbeddings(texts)
      },
    })
    service.start()
    const record = await ingest(service)
    expect(record.status).toBe('cancelled')
    expect(calls).toBe(2)
  })
})

describe('two services on one state file', () => {
  it('run every job once', async () => {
    const profiles = ['one', 'two', 'three', 'four'].map((name) => testProfile(name))
    for (const { name } of profiles) await writeFiles(path.join(site.corpusRoot, name), { 'a.md': `About ${name}.` })
    const ran: string[] = []
    const counting =
      (who: string): EmbedDocuments =>
      async (texts) => {
        ran.push(`${who} ${texts.join()}`)
        return hashEmbeddings(texts)
      }
    const left = site.service({ profiles, embed: counting('left') })
    const right = site.service({ profiles, embed: counting('right') })
    left.start()
    right.start()
    const submitted = await Promise.all(
      profiles.flatMap(({ name }) => [left, right].map((service) => service.submit({ profile: name }))),
    )
    const ids = [...new Set(submitted.map(({ ingestion_id: id }) => id))]
    expect(ids).toHaveLength(4)
    const records = await Promise.all(ids.map((id) => right.settled(id)))
    expect(records.map(({ status, executions }) => [status, executions])).toEqual(ids.map(() => ['completed', 1]))
    expect(ran).toHaveLength(4)
  })

  it('hand a job over when its lease runs out; the former owner writes nothing any more', async () => {
    const { embed, gate, release } = gatedEmbedding()
    const stalled = site.service({ embed })
    stalled.start()
    const { ingestion_id: id } = await stalled.submit({ profile: 'smoke' })
    await gate.reached
    // For this one the lease of 10 s is long over.
    const rescuer = site.service({
      clock: { now: () => Date.now() + 60_000, sleep: systemClock.sleep },
      embeddingModelName: 'rescuer',
    })
    rescuer.start()
    const record = await rescuer.settled(id)
    expect(record).toMatchObject({ status: 'completed', executions: 2 })
    release()
    await stalled.close()
    expect(rescuer.get(id)).toEqual(record)
    expect(await site.store.info('RagBase_smoke')).toMatchObject({ embeddingModel: 'rescuer' })
  })

  it('keep a stale writer from switching the collection', async () => {
    const gate = { reached: Promise.withResolvers<undefined>(), opened: Promise.withResolvers<undefined>() }
    const attempt = Promise.withResolvers<unknown>()
    const slow = Object.create(site.store) as typeof site.store
    slow.replace = async (...args) => {
      gate.reached.resolve(undefined)
      await gate.opened.promise
      const written = site.store.replace(...args)
      written.then(attempt.resolve, attempt.resolve)
      return written
    }
    const stalled = site.service({ store: slow })
    stalled.start()
    const { ingestion_id: id } = await stalled.submit({ profile: 'smoke' })
    await gate.reached.promise
    const rescuer = site.service({
      embeddingModelName: 'rescuer',
      clock: { now: () => Date.now() + 60_000, sleep: systemClock.sleep },
    })
    rescuer.start()
    const record = await rescuer.settled(id)
    const written = await site.store.info('RagBase_smoke')
    gate.opened.resolve(undefined)
    expect(await attempt.promise).toMatchObject({ name: 'RunInterrupted', reason: 'lease_lost' })
    expect(await site.store.info('RagBase_smoke')).toEqual(written)
    expect(written).toMatchObject({ embeddingModel: 'rescuer' })
    expect(rescuer.get(id)).toEqual(record)
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
    expect(second.get(id)).toMatchObject({ status: 'pending' })
    second.start()
    expect(await second.settled(id)).toMatchObject({ status: 'completed', executions: 1 })
  })

  it('ends those who wait', async () => {
    const { embed, gate } = gatedEmbedding()
    const service = site.service({ embed })
    const request = service.submit({ profile: 'smoke' })
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

describe('resetProfile', () => {
  it('removes jobs and collections of this profile only', async () => {
    const profiles = [testProfile('smoke'), testProfile('big_smoke')]
    await writeFiles(path.join(site.corpusRoot, 'big_smoke'), { 'a.md': 'Smoke.' })
    const service = site.service({ profiles })
    const smoke = await ingest(service)
    const big = await ingest(service, 'big_smoke')
    const [chunk] = await site.store.chunks('RagBase_smoke')
    const source = { dimensions: 2, contentDigest: 'x', embeddingModel: 'x' }
    await site.store.replace('RagContextual_smoke', source, [chunk!], [new Float32Array([1, 0])])
    expect(await service.resetProfile('smoke')).toEqual({
      profile: 'smoke',
      removed_collections: ['RagBase_smoke', 'RagContextual_smoke'],
      removed_jobs: [smoke.id],
    })
    expect((await site.store.list()).map(({ name }) => name)).toEqual(['RagBase_big_smoke'])
    expect(service.list({ limit: 10 })!.records.map(({ id }) => id)).toEqual([big.id])
    expect((await ingest(service)).id).not.toBe(smoke.id)
    await expect(service.resetProfile('unknown')).rejects.toThrow(UnknownProfileError)
  })

  it('keeps a run under way from writing', async () => {
    const { embed, gate, release } = gatedEmbedding()
    const service = site.service({ embed })
    service.start()
    const { ingestion_id: id } = await service.submit({ profile: 'smoke' })
    await gate.reached
    expect(await service.resetProfile('smoke')).toMatchObject({ removed_jobs: [id] })
    release()
    await expect(service.settled(id)).rejects.toThrow(UnknownIngestionError)
    await service.close()
    expect(await site.store.list()).toEqual([])
  })
})
