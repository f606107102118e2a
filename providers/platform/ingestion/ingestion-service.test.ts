import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeEach, describe, expect, it } from 'vitest'
import { INGESTION_PHASES, IngestionRecord } from '../../../contract/http/ingestion.ts'
import {
  gatedEmbedding,
  ingest,
  openIngestionSite,
  phase,
  writeFiles,
} from '../../../tests/helpers/ingestion-fixture.ts'
import { testProfile } from '../../../tests/helpers/ingestion-profile.ts'
import type { IngestionSite } from '../../../tests/helpers/ingestion-fixture.ts'
import { VectorStoreUnavailableError, type CollectionInfo } from '../stores/vector-store/vector-store.ts'
import { systemClock } from './clock.ts'
import { CorpusError, UnknownIngestionError, UnknownProfileError } from './errors.ts'
import type { GraphTargetClient } from './graph-phases.ts'
import type { DocumentParser } from './parsers.ts'
import { PhaseLog } from './phase-log.ts'

let site: IngestionSite
beforeEach(async () => {
  site = await openIngestionSite()
})

it('a phase reports its rate and the time left', async () => {
  let nowMs = 0
  const log = new PhaseLog(
    () => nowMs,
    async () => undefined,
  )
  await log.run('embed', async (count) => {
    nowMs = 2000
    count('chunks_embedded', 100, 250)
    return { result: undefined }
  })
  const embed = log.progress.phases.find(({ name }) => name === 'embed')!
  expect(embed.progress).toEqual({ done: 100, total: 250, per_second: 50, seconds_left: 3 })
})

it('holds no list of files after the documents are parsed', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const files: WeakRef<object>[] = []
  const parser: DocumentParser = {
    name: 'plain_text',
    accepts(file) {
      files.push(new WeakRef(file))
      return false
    },
    parse: () => Promise.reject(new Error('accepts no file')),
  }
  let held = -1
  const drain: GraphTargetClient['drain'] = async (trackIds) => {
    await new Promise(setImmediate)
    collect()
    held = files.filter((file) => file.deref() !== undefined).length
    return { processed: trackIds.length, failed: [] }
  }
  const graph: GraphTargetClient = { upload: async ({ id }) => ({ trackId: id }), drain }
  expect(await ingest(site.service({ graph: () => graph, parsers: [parser] }))).toMatchObject({ status: 'completed' })
  expect([files.length > 0, held]).toEqual([true, 0])
})

describe('a corpus too large to be read in the request', () => {
  it('is read by its job, and answered as unchanged afterwards without being read again', async () => {
    const later = { now: () => Date.now() + 60_000, sleep: systemClock.sleep }
    const service = site.service({ readInRequest: { files: 0, bytes: 0 }, clock: later })
    service.start()
    const accepted = await service.submit({ profile: 'smoke' })
    expect(await service.get(accepted.ingestion_id)).toMatchObject({ content_digest: '' })
    const [record, again] = [await service.settled(accepted.ingestion_id), await service.submit({ profile: 'smoke' })]
    const small = await ingest(site.service({ stateFile: path.join(site.folder, 'other.sqlite') }))
    expect(record).toMatchObject({ status: 'completed', content_digest: small.content_digest })
    expect(again).toMatchObject({ ingestion_id: accepted.ingestion_id, unchanged: true })
    await writeFile(path.join(site.corpusRoot, 'smoke/doc-000.md'), 'Another text.')
    const changed = await ingest(service)
    expect([changed.status, changed.id === record.id]).toEqual(['completed', false])
    expect(changed.content_digest).not.toBe(record.content_digest)
  })

  it('has one active job, however often it is submitted', async () => {
    const { embed, gate, release } = gatedEmbedding()
    const service = site.service({ readInRequest: { files: 0, bytes: 0 }, embed })
    service.start()
    const submitted = await Promise.all([1, 2, 3].map(() => service.submit({ profile: 'smoke' })))
    expect(new Set(submitted.map(({ ingestion_id: id }) => id)).size).toBe(1)
    await gate.reached
    release()
    expect(await service.settled(submitted[0]!.ingestion_id)).toMatchObject({ status: 'completed' })
  })
})

it('what is derived from a collection is made ready while readers still find the present chunks', async () => {
  const seen: unknown[] = []
  const service = site.service({
    prepare: async (collection, contentDigest, chunks) => {
      const present = await site.store.info(collection)
      seen.push({ contentDigest, chunks: chunks.length, present: present?.chunkCount ?? null })
    },
  })
  const infos: CollectionInfo[] = []
  for (const text of ['One text.', 'Another text.']) {
    await writeFile(path.join(site.corpusRoot, 'smoke/doc-000.md'), text)
    expect(await ingest(service)).toMatchObject({ status: 'completed' })
    infos.push((await site.store.list())[0]!)
  }
  expect(seen).toEqual(
    infos.map(({ contentDigest, chunkCount }, at) => ({
      contentDigest,
      chunks: chunkCount,
      present: infos[at - 1]?.chunkCount ?? null,
    })),
  )
})

/** An engine that notes what is uploaded. */
const graphOf = (uploaded: string[]) => (): GraphTargetClient => ({
  upload: async ({ id }) => {
    uploaded.push(id)
    return { trackId: id }
  },
  drain: async (ids) => ({ processed: ids.length, failed: [] }),
})

it('a job that leaves out the graph is opened again for it: the same job, the collection as it is, nothing embedded twice', async () => {
  let embedded = 0
  const uploaded: string[] = []
  const service = site.service({
    graph: graphOf(uploaded),
    embed: async (texts) => {
      embedded += texts.length
      return texts.map(() => Float32Array.of(1, 0))
    },
  })
  const submit = (graph: boolean) => service.submit({ profile: 'smoke', graph }, { inRequest: true })
  const { ingestion_id: id } = await submit(false)
  const without = (await service.get(id))!
  expect(without).toMatchObject({ status: 'completed', graph: false })
  expect(phase(without, 'drain')).toMatchObject({
    status: 'skipped',
    note: 'no approach of the run reads the graph',
  })
  expect(uploaded).toEqual([])
  const [chunks, before] = [without.counts['chunks_written'], embedded]
  expect(before).toBe(chunks)
  expect(await submit(false)).toMatchObject({ ingestion_id: id, unchanged: true })

  expect(await submit(true)).toMatchObject({ ingestion_id: id, unchanged: false })
  const complete = (await service.get(id))!
  expect(complete).toMatchObject({ status: 'completed', graph: true, content_digest: without.content_digest })
  expect(uploaded).toHaveLength(3)
  const skipped = complete.phases.filter(({ status }) => status === 'skipped').map(({ name }) => name)
  expect(skipped).toEqual(['chunk', 'embed', 'vector_write'])
  expect(complete.phases.every(({ status }) => status === 'skipped' || status === 'completed')).toBe(true)
  expect([embedded, complete.counts['chunks_written']]).toEqual([before, chunks])
  for (const graph of [true, false]) expect(await submit(graph)).toMatchObject({ ingestion_id: id, unchanged: true })
})

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
    for (const name of ['discover', 'parse', 'chunk', 'embed'])
      expect(phase(record, name).progress).toMatchObject({
        done: phase(record, name).progress!.total,
        seconds_left: 0,
      })
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

  it('runs in the request where that is asked for', async () => {
    const accepted = await site.service().submit({ profile: 'smoke' }, { inRequest: true })
    expect(accepted).toMatchObject({ status: 'completed', job_id: null, message: 'RAG ingestion completed' })
  })

  it('takes a folder inside the profile and refuses one outside', async () => {
    await writeFiles(path.join(site.corpusRoot, 'smoke/part'), { 'only.md': 'One document of its own.' })
    const service = site.service()
    const part = { profile: 'smoke', corpus_path: 'smoke/part' }
    const { ingestion_id: id } = await service.submit(part, { inRequest: true })
    expect(await service.get(id)).toMatchObject({ corpus: { path: 'smoke/part' }, counts: { files_discovered: 1 } })
    for (const corpusPath of ['elsewhere', 'smoke/../other', 'smoked', '/etc']) {
      await expect(service.submit({ profile: 'smoke', corpus_path: corpusPath })).rejects.toThrow(CorpusError)
    }
    await expect(service.submit({ profile: 'unknown' })).rejects.toThrow(UnknownProfileError)
  })

  it('asks parsers in the order of the profile, and reports their warnings', async () => {
    await writeFiles(path.join(site.corpusRoot, 'smoke'), { 'slides.pdf': 'binary' })
    const converter: DocumentParser = {
      name: 'converter',
      accepts: ({ path: file }) => file.endsWith('.pdf'),
      parse: async (file) => ({
        title: 'Slides',
        text: `converted ${String(await file.read())}`,
        warnings: ['read without pictures'],
      }),
    }
    const record = await ingest(site.service({ parsers: [converter] }))
    expect(record).toMatchObject({ status: 'completed', counts: { documents_parsed: 4 } })
    expect(phase(record, 'parse')).toMatchObject({
      note: "'slides.pdf': read without pictures",
      document_warnings: [
        { file: 'slides.pdf', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), message: 'read without pictures' },
      ],
    })
    expect((await site.store.chunks('RagBase_smoke')).at(-1)).toMatchObject({
      title: 'Slides',
      content: 'converted binary',
    })
  })

  it('uploads to the graph engine when there is one', async () => {
    const uploaded: string[] = []
    const record = await ingest(site.service({ graph: graphOf(uploaded) }))
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
    const service = site.service()
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

  it('skips an unavailable vector store where the profile asks for it, and fails elsewhere', async () => {
    const store = Object.create(site.store) as typeof site.store
    store.replace = () => Promise.reject(new VectorStoreUnavailableError('disk full'))
    store.info = (name) => site.store.info(name)
    store.vectors = (name) => site.store.vectors(name)
    store.damage = (name) => site.store.damage!(name)
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
    expect((await service.list({ limit: 10 }))!.records.map(({ id }) => id)).toEqual([big.id])
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
