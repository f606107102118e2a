import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startFakeWeaviate } from '../../../../tests/helpers/fake-weaviate.ts'
import { hashEmbedding } from '../../../../tests/helpers/hash-embedding.ts'
import { storedChunk } from '../../../../tests/helpers/stored-chunk.ts'
import { openSqliteVectorStore } from './sqlite-vector-store.ts'
import { CountMismatchError, InvalidVectorError, UnknownCollectionError } from './vector-store.ts'
import type { CollectionSource, StoredChunk, VectorStore } from './vector-store.ts'
import { openWeaviateVectorStore } from './weaviate-vector-store.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'

// Every vector store must do this. `RAG_LADDER_WEAVIATE_URL` (and `…_KEY`) names a real server, whose collections `Contract_…` are replaced.

interface Opened {
  open(): VectorStore
  close(): Promise<void>
}

async function sqlite(): Promise<Opened> {
  const folder = await temporaryFolder('vectors')
  return { open: () => openSqliteVectorStore(join(folder, 'vectors.sqlite')), close: async () => undefined }
}

async function fakeWeaviate(): Promise<Opened> {
  const server = await startFakeWeaviate({ apiKey: 'key-of-the-store' })
  return { open: () => openWeaviateVectorStore(server.url, 'key-of-the-store'), close: () => server.close() }
}

const REAL = process.env['RAG_LADDER_WEAVIATE_URL']
const STORES: [string, () => Promise<Opened>][] = [
  ['SQLite', sqlite],
  ['Weaviate (fake)', fakeWeaviate],
]
if (REAL !== undefined) {
  const open = () => openWeaviateVectorStore(REAL, process.env['RAG_LADDER_WEAVIATE_KEY'] ?? null)
  STORES.push(['Weaviate', async () => ({ open, close: async () => undefined })])
}

const SOURCE: CollectionSource = { dimensions: 768, contentDigest: 'digest-1', embeddingModel: 'hash' }
const NAME = 'Contract_smoke'

const DOCUMENTS = [
  storedChunk('codes.md', 'Fault code E-4471 is shown when the coolant pressure falls.'),
  storedChunk('other-codes.md', 'Fault code E-4472 is shown when a sensor is unplugged; many units were recalled.'),
  storedChunk('crews.md', 'Night crews repaired the swing bridge after the flood.'),
  storedChunk('tea.md', 'Green tea is steamed, black tea is left to oxidise.'),
]

const documents = (hits: readonly { chunk: StoredChunk }[]): string[] => hits.map((hit) => hit.chunk.document)

describe.each(STORES)('a vector store: %s', (_name, start) => {
  let opened: Opened
  let store: VectorStore

  beforeEach(async () => {
    opened = await start()
    store = opened.open()
    await store.remove(NAME)
  })
  afterEach(async () => {
    await store.close()
    await opened.close()
  })

  const write = (chunks: readonly StoredChunk[], source: Partial<CollectionSource> = {}) =>
    store.replace(
      NAME,
      { ...SOURCE, ...source },
      chunks,
      chunks.map(({ indexText }) => hashEmbedding(indexText)),
    )

  it('keeps chunks and facts of a collection for who opens it again', async () => {
    const written = await write([
      storedChunk('b.md', 'two', 1),
      storedChunk('b.md', 'one "quoted" \n line', 0),
      storedChunk('a.md', 'ü'),
    ])
    expect(written).toEqual({ name: NAME, chunkCount: 3, ...SOURCE })
    await store.close()
    store = opened.open()
    expect(await store.info(NAME)).toEqual(written)
    expect(await store.list()).toContainEqual(written)
    expect(await store.chunks(NAME)).toEqual([
      storedChunk('a.md', 'ü'),
      storedChunk('b.md', 'one "quoted" \n line', 0),
      storedChunk('b.md', 'two', 1),
    ])
  })

  it('gives the vectors of a collection by their texts, as they are written again', async () => {
    expect(await store.vectors(NAME)).toBeNull()
    await write([...DOCUMENTS, storedChunk('marks.md', '—')])
    const stored = (await store.vectors(NAME))!
    expect(stored.embeddingModel).toBe('hash')
    const texts = ['—', 'not there', ...DOCUMENTS.map(({ indexText }) => indexText)]
    const [mark, missing, ...vectors] = await stored.get(texts)
    expect([mark, missing]).toEqual([new Float32Array(768), null])
    for (const [at, vector] of vectors.entries())
      expect((await store.dense(NAME, vector!, 1))[0]!.chunk).toEqual(DOCUMENTS[at])
    await store.replace(NAME, SOURCE, DOCUMENTS, vectors as Float32Array[])
    expect(await (await store.vectors(NAME))!.get(texts)).toEqual([null, null, ...vectors])
  })

  it('gives more chunks than a batch or a page holds, in order', async () => {
    const many = Array.from({ length: 1207 }, (_, index) =>
      storedChunk(`d${String(index).padStart(4, '0')}.md`, `n ${index}`),
    )
    await write([...many].reverse())
    expect(await store.chunks(NAME)).toEqual(many)
  })

  it('replaces a collection with one of another dimension', async () => {
    await write(DOCUMENTS)
    const source = { ...SOURCE, dimensions: 4, contentDigest: 'digest-2' }
    await store.replace(NAME, source, [DOCUMENTS[0]!], [new Float32Array([0, 1, 0, 0])])
    expect(await store.info(NAME)).toMatchObject({ dimensions: 4, chunkCount: 1, contentDigest: 'digest-2' })
    const [hit] = await store.dense(NAME, new Float32Array([1, 1, 0, 0]), 5)
    expect(hit!.score).toBeCloseTo(Math.SQRT1_2, 5)
    await expect(store.dense(NAME, new Float32Array(768).fill(1), 5)).rejects.toThrow(InvalidVectorError)
  })

  it('removes a collection and reports whether there was one', async () => {
    await write(DOCUMENTS)
    expect(await store.remove(NAME)).toBe(true)
    expect(await store.remove(NAME)).toBe(false)
    expect(await store.info(NAME)).toBeNull()
    await expect(store.keyword(NAME, 'tea', 3)).rejects.toThrow(UnknownCollectionError)
    await expect(store.termStatistics(NAME, 'tea')).rejects.toThrow(UnknownCollectionError)
  })

  it('refuses unequal or empty input, and keeps what there was', async () => {
    await write(DOCUMENTS)
    const vectors = DOCUMENTS.map(({ content }) => hashEmbedding(content))
    await expect(store.replace(NAME, SOURCE, DOCUMENTS, vectors.slice(1))).rejects.toThrow(CountMismatchError)
    await expect(store.replace(NAME, SOURCE, [], [])).rejects.toThrow(CountMismatchError)
    await expect(store.replace(NAME, SOURCE, [DOCUMENTS[0]!], [new Float32Array(3)])).rejects.toThrow(
      InvalidVectorError,
    )
    const broken = new Float32Array(768).fill(Number.NaN)
    await expect(store.replace(NAME, SOURCE, [DOCUMENTS[0]!], [broken])).rejects.toThrow(InvalidVectorError)
    expect(await store.chunks(NAME)).toHaveLength(DOCUMENTS.length)
  })

  it('keeps the old collection when the switch is refused', async () => {
    await write(DOCUMENTS)
    const refuse = (): void => {
      throw new Error('lease lost')
    }
    const one = [storedChunk('new.md', 'new')]
    await expect(store.replace(NAME, SOURCE, one, [hashEmbedding('new')], { beforeSwitch: refuse })).rejects.toThrow(
      'lease lost',
    )
    expect(await store.chunks(NAME)).toHaveLength(DOCUMENTS.length)
  })

  it('ranks the very code first, and takes any text as a query', async () => {
    await write(DOCUMENTS)
    for (const text of ['E-4471', 'e-4471', 'What does E-4471 mean?'])
      expect(documents(await store.keyword(NAME, text, 5))[0], text).toBe('codes.md')
    expect((await store.keyword(NAME, 'oxidise', 5))[0]).toMatchObject({
      denseScore: null,
      chunk: { document: 'tea.md' },
    })
    for (const text of ['"', "'", '\\', '}) { x', '(', '*', '\0tea', '\ud800', '', 'a'.repeat(10_000)])
      await expect(store.keyword(NAME, text, 3)).resolves.toBeInstanceOf(Array)
  })

  it('counts the chunks that hold a word', async () => {
    await write(DOCUMENTS)
    const { passages, holding } = await store.termStatistics(NAME, 'coolant or tea, fault, zeppelin')
    expect(passages).toBe(4)
    expect(Object.fromEntries(holding)).toEqual({ coolant: 1, tea: 1, fault: 2, zeppelin: 0 })
  })

  it('gives cosine similarities, whatever the length of the vectors', async () => {
    const vectors = [
      [3, 0],
      [0, 0.001],
      [-2, 0],
      [0, 0],
    ].map((values) => new Float32Array(values))
    const chunks = ['same', 'across', 'opposite', 'nowhere'].map((name) => storedChunk(name, name))
    await store.replace(NAME, { ...SOURCE, dimensions: 2 }, chunks, vectors)
    const hits = await store.dense(NAME, new Float32Array([10, 0]), 10)
    expect(documents(hits)).toEqual(['same', 'across', 'opposite'])
    expect(hits.map(({ score }) => Math.round(score * 1e5) / 1e5)).toEqual([1, 0, -1])
    expect(await store.dense(NAME, new Float32Array([0, 0]), 10)).toEqual([])
    expect(documents(await store.keyword(NAME, 'nowhere', 3))).toEqual(['nowhere'])
  })

  it('follows alpha from the words to the meaning', async () => {
    await write(DOCUMENTS)
    const ask = (text: string, alpha: number, limit = 4) =>
      store.hybrid(NAME, { text, vector: hashEmbedding('black green tea'), alpha, limit })
    expect(documents(await ask('E-4471', 0))[0]).toBe('codes.md')
    expect(documents(await ask('E-4471', 1))[0]).toBe('tea.md')
    expect(new Set(documents(await ask('E-4471', 0.5, 2)))).toEqual(new Set(['codes.md', 'tea.md']))
    // Full weight of the vector leg for the nearest, of the keyword leg for the best match.
    expect((await ask('steamed', 0.3, 1))[0]!.score).toBeCloseTo(1, 5)
    expect(documents(await ask('', 0.5))[0]).toBe('tea.md')
    expect(await ask('', 0)).toEqual([])
  })

  it('fuses by ranks where that is asked for', async () => {
    await write(DOCUMENTS)
    const query = { text: 'steamed', vector: hashEmbedding('black green tea'), alpha: 0.5, limit: 4 }
    const [best] = await store.hybrid(NAME, { ...query, fusion: 'ranked' })
    expect(best!.score).toBeCloseTo(1 / 60, 5)
    expect(best!.chunk.document).toBe('tea.md')
  })

  it('refuses an alpha outside 0 to 1 and a limit below 1', async () => {
    await write(DOCUMENTS)
    const query = { text: 'tea', vector: hashEmbedding('tea'), alpha: 0.5, limit: 3 }
    for (const wrong of [{ alpha: 1.5 }, { alpha: Number.NaN }, { limit: 0 }])
      await expect(store.hybrid(NAME, { ...query, ...wrong })).rejects.toThrow(RangeError)
  })
})
