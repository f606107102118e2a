import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashEmbeddings } from '../../../tests/helpers/hash-embedding.ts'
import {
  ingest,
  openIngestionSite,
  phase,
  someDocuments,
  writeFiles,
  type IngestionSite,
} from '../../../tests/helpers/ingestion-fixture.ts'
import { testProfile } from '../../../tests/helpers/ingestion-profile.ts'
import { ModelCallError } from '../models/model-host.ts'
import type { EmbedDocuments } from './kept-vectors.ts'

let site: IngestionSite
beforeEach(async () => {
  site = await openIngestionSite()
})

const unusable = new ModelCallError('invalid_response', 'embed', 'data[1].embedding: null')

/** Refuses every request with a text of one of these documents. */
const without =
  (...numbers: readonly number[]): EmbedDocuments =>
  async (texts) => {
    if (numbers.some((number) => texts.some((text) => text.includes(`Lock ${number} `)))) throw unusable
    return hashEmbeddings(texts)
  }

const documentsOf = async (): Promise<string[]> => [
  ...new Set((await site.store.chunks('RagBase_smoke')).map(({ document }) => document)),
]

describe('a document with a text that cannot be embedded', () => {
  it('is left out of the collection and named, and an ingestion that tries it again embeds that document alone', async () => {
    await writeFiles(path.join(site.corpusRoot, 'smoke'), someDocuments(12))
    const record = await ingest(site.service({ embed: without(7) }))
    expect(record).toMatchObject({
      status: 'completed',
      errors: [],
      warnings: [
        'search finds nothing of 1 document of 12: doc-007.md (data[1].embedding: null); a new run tries again',
      ],
      counts: { documents_not_embedded: 1 },
    })
    expect(await documentsOf()).toHaveLength(11)
    expect((await site.store.info('RagBase_smoke'))?.derivation?.left_out).toEqual({
      documents: 12,
      without_vectors: 1,
    })
    // A run with answers from this collection goes on with it.
    expect(await ingest(site.service({ embed: without(7) }))).toMatchObject({ id: record.id })
    const asked: string[] = []
    const repaired = await ingest(
      site.service({
        embed: async (texts) => {
          asked.push(...texts)
          return hashEmbeddings(texts)
        },
      }),
      'smoke',
      { retry: true },
    )
    expect([repaired.status, repaired.warnings, repaired.id === record.id]).toEqual(['completed', [], false])
    expect(asked.filter((text) => !/Document 7|Lock 7 |was built/.test(text))).toEqual([])
    expect(asked.length).toBeLessThan(10)
    expect(await documentsOf()).toHaveLength(12)
    expect((await site.store.info('RagBase_smoke'))?.derivation).not.toHaveProperty('left_out')
    expect(await site.service().submit({ profile: 'smoke' })).toMatchObject({ unchanged: true })
  })

  it('is left out where its vector has another size', async () => {
    const embed: EmbedDocuments = async (texts) => {
      if (texts.length > 1 && texts.some((text) => text.includes('Lock 1 '))) throw unusable
      return (await hashEmbeddings(texts)).map((vector, at) =>
        texts[at]!.includes('Lock 1 ') ? vector.subarray(1) : vector,
      )
    }
    const record = await ingest(site.service({ embed }))
    expect(record.warnings[0]).toMatch(/1 document of 3: doc-001\.md \(.*767 dimensions.*768\)/)
    expect(await documentsOf()).toEqual(['doc-000.md', 'doc-002.md'])
    const repaired = await ingest(site.service(), 'smoke', { retry: true })
    expect([repaired.status, repaired.warnings]).toEqual(['completed', []])
  })

  it('is left out where a semantic chunker embeds its sentences', async () => {
    const profiles = [testProfile('smoke', { chunker: { strategy: 'semantic', chunk_size: 120, overlap: 20 } })]
    const record = await ingest(site.service({ profiles, embed: without(1) }))
    expect(record.errors).toEqual([])
    expect([record.status, record.counts['documents_not_embedded']]).toEqual(['completed', 1])
    expect(await documentsOf()).toEqual(['doc-000.md', 'doc-002.md'])
  })

  it.each([
    ['more than one document in ten has one', without(0, 2)],
    [
      'the service gives no answer in time',
      (texts: string[]) =>
        texts.some((text) => text.includes('Lock 1 '))
          ? Promise.reject(new ModelCallError('timeout', 'embed', 'no answer'))
          : hashEmbeddings(texts),
    ],
  ])('ends the ingestion with the words of the service where %s', async (_, embed) => {
    const record = await ingest(site.service({ embed }))
    expect(record.status).toBe('failed')
    expect(record.errors[0]!.message).toMatch(/^embedding failed: (data\[1\]\.embedding: null|no answer)$/)
    expect(phase(record, 'embed').status).toBe('failed')
  })

  it('ends the ingestion where the model has another size since, and a later one begins again', async () => {
    await writeFiles(path.join(site.corpusRoot, 'smoke'), someDocuments(150))
    let calls = 0
    const changing: EmbedDocuments = async (texts) => {
      calls += 1
      const vectors = await hashEmbeddings(texts)
      return calls === 1 ? vectors : vectors.map((vector) => vector.subarray(1))
    }
    const record = await ingest(site.service({ embed: changing }))
    expect([record.status, record.errors[0]!.message]).toEqual([
      'failed',
      'embedding failed: a vector has 767 dimensions, the first has 768',
    ])
    expect((await ingest(site.service({ embed: changing }))).status).toBe('completed')
  })

  it.each([
    ['HTTP 503', new ModelCallError('upstream_error', 'embed', 'HTTP 503', { status: 503 }), 1],
    ['HTTP 500', new ModelCallError('upstream_error', 'embed', 'HTTP 500', { status: 500 }), 12],
    ['an unreadable answer', unusable, 12],
  ])('ends the ingestion after a few calls where each one gives %s', async (_, error, most) => {
    await writeFiles(path.join(site.corpusRoot, 'smoke'), someDocuments(200))
    let calls = 0
    const embed: EmbedDocuments = () => {
      calls += 1
      return Promise.reject(error)
    }
    expect((await ingest(site.service({ embed }))).status).toBe('failed')
    expect(calls).toBeLessThanOrEqual(most)
  })

  it('ends the ingestion of a corpus without another document', async () => {
    await writeFiles(path.join(site.corpusRoot, 'one'), { 'doc.md': 'Lock 5 is old.' })
    const record = await ingest(site.service({ profiles: [testProfile('one')], embed: without(5) }), 'one')
    expect([record.status, record.errors[0]!.message]).toEqual(['failed', 'embedding failed: data[1].embedding: null'])
  })
})
