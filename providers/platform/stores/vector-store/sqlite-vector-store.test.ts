import { statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { hashEmbedding } from '../../../../tests/helpers/hash-embedding.ts'
import { storedChunk } from '../../../../tests/helpers/stored-chunk.ts'
import { openDatabase, vec0Rows } from './database.ts'
import { openSqliteVectorStore } from './sqlite-vector-store.ts'
import { UnknownCollectionError, VectorStoreUnavailableError } from './vector-store.ts'
import type { CollectionSource, StoredChunk, VectorStore } from './vector-store.ts'

const SOURCE: CollectionSource = { dimensions: 768, contentDigest: 'digest-1', embeddingModel: 'hash' }

const DOCUMENTS = [
  storedChunk('codes.md', 'Fault code E-4471 is shown when the coolant pressure falls.'),
  storedChunk('other-codes.md', 'Fault code E-4472 is shown when a sensor is unplugged; 4471 units were recalled.'),
  storedChunk(
    'longer-code.md',
    'Fault code E-4471-B belongs to another machine with its own coolant and its own pressure.',
  ),
  storedChunk('crews.md', 'Night crews repaired the swing bridge after the flood.'),
  storedChunk('tea.md', 'Green tea is steamed, black tea is left to oxidise.'),
]

let folder: string
let file: string
let store: VectorStore

beforeEach(async () => {
  folder = await temporaryFolder('vector-store')
  file = path.join(folder, 'vectors.sqlite')
  store = openSqliteVectorStore(file)
})

afterEach(() => store.close())

const write = (name: string, chunks: StoredChunk[], source: Partial<CollectionSource> = {}, target = store) =>
  target.replace(
    name,
    { ...SOURCE, ...source },
    chunks,
    chunks.map(({ indexText }) => hashEmbedding(indexText)),
  )

const documents = (hits: { chunk: StoredChunk }[]): string[] => hits.map((hit) => hit.chunk.document)

it('vectors in memory are read again after they were released', async () => {
  await write('RagBase_smoke', DOCUMENTS)
  const find = () => store.dense('RagBase_smoke', hashEmbedding(DOCUMENTS[4]!.indexText), 1).then(documents)
  expect(await find()).toEqual(['tea.md'])
  // Deleted in the file by another connection, which a search in memory does not see.
  const other = openDatabase(file)
  const { generation } = other.prepare<[], { generation: number }>('SELECT generation FROM collections').get()!
  const { id } = other
    .prepare<[], { id: number }>(`SELECT id FROM chunks_${generation} WHERE document = 'tea.md'`)
    .get()!
  other.prepare(`DELETE FROM dense_${generation} WHERE rowid = ?`).run(BigInt(id))
  other.close()
  expect(await find()).toEqual(['tea.md'])
  await store.releaseVectors('RagBase_smoke')
  expect(await find()).not.toContain('tea.md')
  await expect(store.releaseVectors('absent')).resolves.toBeUndefined()
})

describe('collections', () => {
  it('keeps chunks and facts of a collection over a restart', async () => {
    const written = await write('RagBase_smoke', [
      storedChunk('b.md', 'two', 1),
      storedChunk('b.md', 'one', 0),
      storedChunk('a.md', 'nul \0 und ü'),
    ])
    expect(written).toEqual({ name: 'RagBase_smoke', chunkCount: 3, ...SOURCE })
    await store.close()
    store = openSqliteVectorStore(file)
    expect(await store.info('RagBase_smoke')).toEqual(written)
    expect(await store.list()).toEqual([written])
    expect(await store.chunks('RagBase_smoke')).toEqual([
      storedChunk('a.md', 'nul \0 und ü'),
      storedChunk('b.md', 'one', 0),
      storedChunk('b.md', 'two', 1),
    ])
  })

  it('names a file that is no database', async () => {
    const text = path.join(folder, 'text.sqlite')
    await writeFile(text, 'not a database, only words that go on for a while'.repeat(200))
    expect(() => openSqliteVectorStore(text)).toThrow(VectorStoreUnavailableError)
    expect(() => openSqliteVectorStore(path.join(folder, 'missing', 'x.sqlite'))).toThrow(VectorStoreUnavailableError)
  })
})

it('term statistics count the chunks that hold each content word, stemmed as the keyword index does, function words left out', async () => {
  await write('facts', DOCUMENTS)
  const { passages, holding } = await store.termStatistics(
    'facts',
    'Which codes mean the coolant, E-4471 or a zeppelin?',
  )
  expect(passages).toBe(5)
  expect(Object.fromEntries(holding)).toEqual({
    codes: 3,
    mean: 0,
    coolant: 2,
    'e-4471': 2,
    e4471: 1,
    '4471': 3,
    zeppelin: 0,
  })
  await expect(store.termStatistics('absent', 'tea')).rejects.toThrow(UnknownCollectionError)
})

describe('replace', () => {
  const generation = (label: string, count: number): StoredChunk[] =>
    Array.from({ length: count }, (_, index) =>
      storedChunk(`${label}-${String(index).padStart(4, '0')}.md`, `${label} shared word ${index}`),
    )

  it('shows other connections the old or the new collection, never a mixture', async () => {
    const reader = openSqliteVectorStore(file)
    onTestFinished(() => reader.close())
    await write('live', generation('old', 400))
    const seen = new Set<string>()
    const progress = { done: false }
    const look = async (): Promise<void> => {
      const all = await reader.chunks('live')
      const hybrid = await reader.hybrid('live', {
        text: 'shared word',
        vector: hashEmbedding('shared word'),
        alpha: 0.5,
        limit: 50,
      })
      const labels = new Set(
        [...documents(hybrid), ...all.map(({ document }) => document)].map((name) => name.split('-')[0]!),
      )
      expect(labels.size).toBe(1)
      expect((await reader.info('live'))!.chunkCount).toBe(all.length)
      seen.add(`${[...labels].join()} ${all.length}`)
    }
    const writing = write('live', generation('new', 700)).finally(() => (progress.done = true))
    let looks = 0
    while (!progress.done) {
      await look()
      looks += 1
      await new Promise(setImmediate)
    }
    await writing
    await look()
    expect(looks).toBeGreaterThan(3)
    expect([...seen]).toEqual(['old 400', 'new 700'])
  })

  it('keeps the old collection when the switch is refused, and leaves no data of the new one', async () => {
    await write('live', generation('old', 20))
    const refused = store.replace(
      'live',
      SOURCE,
      DOCUMENTS,
      DOCUMENTS.map(({ content }) => hashEmbedding(content)),
      {
        beforeSwitch: () => {
          throw new Error('lease lost')
        },
      },
    )
    await expect(refused).rejects.toThrow('lease lost')
    expect(await store.chunks('live')).toHaveLength(20)
    const { default: Database } = await import('better-sqlite3')
    const raw = new Database(file)
    expect(raw.prepare('SELECT count(*) FROM generations').pluck().get()).toBe(1)
    expect(raw.prepare("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'chunks~_%' ESCAPE '~'").pluck().get()).toBe(
      1,
    )
    raw.close()
  })

  it('lets two writers of one collection end in the state of one of them', async () => {
    const other = openSqliteVectorStore(file)
    onTestFinished(() => other.close())
    await Promise.all([write('both', generation('a', 300)), write('both', generation('b', 300), {}, other)])
    const labels = new Set((await store.chunks('both')).map(({ document }) => document[0]))
    expect(labels.size).toBe(1)
    expect(await other.chunks('both')).toEqual(await store.chunks('both'))
  })
})

describe('blobs of vectors', () => {
  it('have room for few more than the vectors of their collection', () => {
    expect([0, 1, 8, 9, 250, 512, 513, 2000, 20_000].map((count) => [count, vec0Rows(count)])).toEqual([
      [0, 8],
      [1, 8],
      [8, 8],
      [9, 16],
      [250, 256],
      [512, 512],
      [513, 264],
      [2000, 504],
      [20_000, 504],
    ])
  })

  it('keep the file of a small collection small', async () => {
    await write('docs', DOCUMENTS)
    // One blob of 512 vectors would be 1.5 MB.
    expect(statSync(file).size).toBeLessThan(1_000_000)
  })
})

describe('the write-ahead log', () => {
  const logBytes = () => statSync(`${file}-wal`).size

  it('is empty after a collection was written', async () => {
    await write('docs', DOCUMENTS)
    expect(logBytes()).toBe(0)
    expect(await store.chunks('docs')).toHaveLength(DOCUMENTS.length)
  })

  it('is left to a later write while another connection reads, without waiting for it', async () => {
    await write('docs', DOCUMENTS)
    const { default: Database } = await import('better-sqlite3')
    const reader = new Database(file)
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM collections').get()
    const startMs = performance.now()
    await write('more', DOCUMENTS)
    // The connection of the store would wait for five seconds.
    expect(performance.now() - startMs).toBeLessThan(4000)
    expect(logBytes()).toBeGreaterThan(0)
    reader.close()
    await write('last', DOCUMENTS)
    expect(logBytes()).toBe(0)
  })
})

describe('keyword search', () => {
  beforeEach(() => write('docs', DOCUMENTS))

  it('ranks the very code first and does not find its neighbours by it', async () => {
    for (const text of ['E-4471', 'e-4471', 'E4471', 'What does E-4471 mean?']) {
      expect(documents(await store.keyword('docs', text, 5))[0], text).toBe('codes.md')
    }
    // Its part 4471 alone is a weaker find; E-4472 shares only a letter and is none.
    expect(documents(await store.keyword('docs', 'E-4472', 5))).toEqual(['other-codes.md'])
    expect(documents(await store.keyword('docs', 'E-9999', 5))).toEqual([])
  })

  it('finds other forms of a word', async () => {
    expect(documents(await store.keyword('docs', 'repairs by a crew', 5))).toEqual(['crews.md'])
  })

  it('reports positive BM25 with k1 1.2 and b 0.75', async () => {
    const [hit] = await store.keyword('docs', 'oxidise', 5)
    // One of five passages has the term once; lengths counted in tokens of both columns (9 of 63).
    const idf = Math.log((5 - 1 + 0.5) / (1 + 0.5))
    const lengths = [10 + 1, 15 + 1, 16 + 1, 9, 9 + 1]
    expect(hit!.keywordScore).toBeGreaterThan(0)
    expect(hit).toMatchObject({ denseScore: null, score: hit!.keywordScore })
    const mean = lengths.reduce((sum, length) => sum + length, 0) / 5
    const expected = (idf * (1 * 2.2)) / (1 + 1.2 * (0.25 + (0.75 * 9) / mean))
    expect(hit!.score / expected).toBeGreaterThan(0.9)
    expect(hit!.score / expected).toBeLessThan(1.1)
  })

  it('takes any text as a query', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ maxLength: 60 })),
        async (text) => {
          const hits = await store.keyword('docs', text, 3)
          expect(hits.length).toBeLessThanOrEqual(3)
        },
      ),
      { numRuns: 300 },
    )
    for (const text of [
      '"',
      "'",
      'AND OR NOT',
      'text:tea',
      '(',
      '*',
      '^tea',
      'tea NEAR/2 x',
      '-- DROP',
      '\0tea',
      'a'.repeat(100_000),
    ]) {
      await expect(store.keyword('docs', text, 3)).resolves.toBeInstanceOf(Array)
    }
  })
})

it('dense search finds the same with the vectors in memory and in the file', async () => {
  const words = 'river bridge code crew tea night flood pressure sensor coolant lamp glass wheel lock canal'.split(' ')
  const chunks = Array.from({ length: 333 }, (_, index) =>
    storedChunk(`d${index}.md`, [3, 5, 7].map((step) => words[(index * step) % words.length]!).join(' ') + ` ${index}`),
  )
  await write('docs', chunks)
  const onFile = openSqliteVectorStore(file, { matrixBudgetBytes: 0 })
  onTestFinished(() => onFile.close())
  for (const text of ['river bridge', 'tea 17', 'canal lock wheel', 'nothing known']) {
    const inMemory = await store.dense('docs', hashEmbedding(text), 25)
    const scanned = await onFile.dense('docs', hashEmbedding(text), 25)
    const lowest = inMemory.at(-1)!.score
    const above = (hits: typeof scanned) => hits.filter(({ score }) => score > lowest + 1e-4)
    // Below that there may be ties for the last places.
    expect(above(inMemory).length).toBeGreaterThan(0)
    expect(new Set(documents(above(scanned)))).toEqual(new Set(documents(above(inMemory))))
    scanned.forEach(({ score }, index) => expect(score).toBeCloseTo(inMemory[index]!.score, 5))
  }
})

describe('hybrid search', () => {
  beforeEach(() => write('docs', DOCUMENTS))
  const ask = (text: string, alpha: number, limit = 5) =>
    store.hybrid('docs', { text, vector: hashEmbedding('black green tea'), alpha, limit })

  it('leaves a leg without weight out', async () => {
    expect((await ask('E-4471', 0)).every(({ denseScore }) => denseScore === null)).toBe(true)
    expect((await ask('E-4471', 1)).every(({ keywordScore }) => keywordScore === null)).toBe(true)
  })

  it('does not change its ranking with the limit', async () => {
    const all = await ask('fault code coolant', 0.5, 5)
    expect(await ask('fault code coolant', 0.5, 2)).toEqual(all.slice(0, 2))
  })
})
