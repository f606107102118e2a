import { describe, expect, it } from 'vitest'
import { fakeModelHost, type FakeModelHostOptions } from '../../../../tests/helpers/fake-model-host.ts'
import { chunksOf, COLLECTIONS, ingest, testStore, type Documents } from '../../../../tests/helpers/rag-fixture.ts'
import type { HybridQuery, VectorStore } from '../../stores/vector-store/vector-store.ts'
import type { ApproachServices } from '../approach.ts'
import { hybridSearch } from './hybrid-search.ts'

const QUESTION = 'Which lamp burns at Port Esker?'
const NOTES = Array.from(
  { length: 30 },
  (_, at) => `Note ${at}: the keeper of Port Esker trims lamp ${at % 4} in the evening.`,
)
const FAST = { retrieve_k: 10, top_n: 5, alpha: 0.5, rerank: false }

/** Returns what a search asked of its store, and what it found. */
async function search(parameters: typeof FAST, options: FakeModelHostOptions = {}) {
  const models = fakeModelHost(options)
  const store = await testStore()
  await ingest(store, models, 'smoke', chunksOf({ 'notes.md': { title: 'Notes', paragraphs: NOTES } }))
  const asked: string[] = []
  const limits: number[] = []
  const watched = {
    ...watchOf(store),
    hybrid: (name: string, query: HybridQuery) => {
      asked.push(`hybrid ${query.fusion} ${query.alpha}`)
      limits.push(query.limit)
      return store.hybrid(name, query)
    },
    dense: (...given: Parameters<VectorStore['dense']>) => {
      asked.push('dense')
      return store.dense(...given)
    },
    keyword: (...given: Parameters<VectorStore['keyword']>) => {
      asked.push('keyword')
      return store.keyword(...given)
    },
  }
  const services = {
    store: watched,
    models,
    reranker: {
      ranksPools: true,
      rank: async (_: string, texts: readonly string[]) => texts.map((_text, index) => ({ index, score: 0 })),
    },
    collections: COLLECTIONS,
  } as unknown as ApproachServices
  const found = await hybridSearch(QUESTION, parameters, 'plain', services)
  return { asked, limits, found: found.map(({ chunk }) => chunk.chunkIndex) }
}

const watchOf = (store: VectorStore): Pick<VectorStore, 'info' | 'termStatistics'> => ({
  info: (name) => store.info(name),
  termStatistics: (name, text) => store.termStatistics(name, text),
})

it('keyword search spreads its places over documents: the sixth best document is before the fourth passage of one', async () => {
  const models = fakeModelHost()
  const store = await testStore()
  const paragraphs = Array.from({ length: 6 }, (_, at) => `The lamp of Port Esker, the lamp, part ${at}.`)
  const others = Array.from({ length: 40 }, (_, at): [string, Documents[string]] => [
    `other-${at}.md`,
    {
      title: `Other ${at}`,
      paragraphs: [`Keeper ${at} at Port Esker has a lamp and much else to look after all day.`],
    },
  ])
  const documents: Documents = { 'much.md': { title: 'Much', paragraphs }, ...Object.fromEntries(others) }
  await ingest(store, models, 'smoke', chunksOf(documents))
  const services = { store, models, collections: COLLECTIONS } as unknown as ApproachServices
  const found = await hybridSearch(QUESTION, { ...FAST, retrieve_k: 5, alpha: 0 }, 'plain', services)
  expect(found).toHaveLength(5)
  expect(new Set(found.map(({ chunk }) => chunk.document)).size).toBeGreaterThan(2)
})

const HASHED: FakeModelHostOptions = { builtin: ['embed'] }

describe('hybrid search', () => {
  it('fuses by relative scores, as specified, where a model made the vectors', async () => {
    expect((await search(FAST)).asked).toEqual(['hybrid relative_score 0.5'])
  })

  it('fuses hashed vectors by what they add to the keywords where no reranker follows', async () => {
    const { asked, found } = await search(FAST, HASHED)
    expect(asked).toEqual(['dense', 'keyword'])
    expect(found).toHaveLength(5)
  })

  it.each([0.2, 0.49, 0.7])('weighs hashed vectors by alpha %d exactly, which a person chose', async (alpha) => {
    expect((await search({ ...FAST, alpha }, HASHED)).asked).toEqual([`hybrid relative_score ${alpha}`])
  })

  it('searches one leg alone at alpha 0 and 1, whatever the vectors are', async () => {
    expect((await search({ ...FAST, alpha: 0 }, HASHED)).asked).toEqual(['keyword'])
    expect((await search({ ...FAST, alpha: 1 }, HASHED)).asked).toEqual(['hybrid relative_score 1'])
  })

  it('leaves the order of hashed vectors to a reranker where one follows', async () => {
    expect((await search({ ...FAST, rerank: true }, HASHED)).asked).toEqual(['hybrid relative_score 0.5'])
  })

  it('gives a reranker of a service, or of a model, the first of the search as they are', async () => {
    expect((await search({ ...FAST, rerank: true }, HASHED)).limits).toEqual([FAST.retrieve_k])
  })

  it('looks deeper for the built-in reranker, which weighs whole documents, and returns no more for it', async () => {
    const { limits, found } = await search({ ...FAST, rerank: true, top_n: 10 }, { builtin: ['embed', 'rerank'] })
    expect(limits).toEqual([100])
    expect(found).toHaveLength(FAST.retrieve_k)
  })
})
