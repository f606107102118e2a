import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chunkTextWith } from '../../providers/platform/ingestion/chunking/chunk-in-turns.ts'
import { mergingExtractions } from '../../providers/platform/stores/graph-engine/graph/merged-graph.ts'
import type { ExtractedChunk } from '../../providers/platform/stores/graph-engine/stored-graph.ts'
import { createConceptIndexes } from '../../providers/platform/rag/lazy-graph/concept-indexes.ts'
import { runInTurns } from '../../providers/platform/stores/graph-engine/sliced-work.ts'
import { openSqliteVectorStore } from '../../providers/platform/stores/vector-store/sqlite-vector-store.ts'
import type { VectorStore } from '../../providers/platform/stores/vector-store/vector-store.ts'
import { longestSliceMs } from '../helpers/longest-slice.ts'
import { storedChunk } from '../helpers/stored-chunk.ts'

/** A turn is 10 ms on an idle machine; its last step, and a collection of garbage, may add to it. Undivided, each work below takes several times as long. */
const LONGEST_MS = 40

describe('a collection of a long document', () => {
  const CHUNKS = 6000
  const DIMENSIONS = 768
  let folder: string
  let store: VectorStore
  const vector = Float32Array.from({ length: DIMENSIONS }, (_, at) => Math.sin(at + 1))
  const chunks = Array.from({ length: CHUNKS }, (_, chunkIndex) =>
    storedChunk('long.md', `Crossing ${chunkIndex} of the ferry ${chunkIndex % 97}. `.repeat(30), chunkIndex),
  )

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longest-slice-'))
    store = openSqliteVectorStore(join(folder, 'vectors.sqlite'))
    const source = { dimensions: DIMENSIONS, contentDigest: 'd', embeddingModel: 'm' }
    await store.replace('long', source, chunks, { length: CHUNKS, at: () => vector })
  }, 120_000)
  afterAll(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })

  it.each<[string, () => Promise<unknown>]>([
    ['the first search after it was written', () => store.dense('long', vector, 5)],
    ['reading all its chunks', () => store.chunks('long')],
    ['finding the vectors of texts', async () => (await store.vectors('long'))!.get([chunks[7]!.indexText])],
    ['checking it for damage', () => store.damage!('long')],
  ])('%s gives way to other requests', async (_name, work) => {
    const released = async (): Promise<unknown> => {
      await store.releaseVectors('long')
      return work()
    }
    expect(await longestSliceMs(released)).toBeLessThan(LONGEST_MS)
  })
})

it('merging the extractions of a long document gives way to other requests', async () => {
  const document = Array.from({ length: 3000 }, (_, index): ExtractedChunk => {
    const [source, target] = [`Ferry ${index % 300} of Tidewater`, `Captain Tolland ${index % 40}`]
    return {
      id: `long#${index}`,
      documentId: 'long',
      filePath: 'long.md',
      title: 'Long',
      index,
      tokens: 20,
      content: `${target} commands the ${source} (TF-${index % 300}).`,
      extraction: {
        entities: [source, target].map((name) => ({ name, type: 'thing', description: `${name} is named` })),
        relations: [{ source, target, keywords: ['commands'], description: 'commands' }],
      },
    }
  })
  expect(await longestSliceMs(() => runInTurns(mergingExtractions([document], 12)))).toBeLessThan(LONGEST_MS)
})

it('cutting a long text into chunks gives way to other requests', async () => {
  const text = 'The ferry Marigold runs from Tidewater Quay since 2001, and Agnes Tolland commands it. '.repeat(60_000)
  const settings = { text, strategy: 'recursive', chunk_size: 900, overlap: 0 } as const
  const embed = () => Promise.reject(new Error('not asked'))
  expect(await longestSliceMs(() => chunkTextWith(settings, embed))).toBeLessThan(LONGEST_MS)
})

it('an index of concepts that follows a change of a long document gives way to other requests', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longest-slice-'))
  const store = openSqliteVectorStore(join(folder, 'vectors.sqlite'))
  try {
    const chunks = Array.from({ length: 1500 }, (_, chunkIndex) => {
      const content = Array.from(
        { length: 8 },
        (__, at) =>
          `Crossing ${chunkIndex} of ferry X${(chunkIndex * at) % 97} met Captain Tolland ${at} at pier${at}.`,
      ).join(' ')
      return storedChunk('long.md', content, chunkIndex)
    })
    const vector = Float32Array.of(1, 0)
    const source = { dimensions: 2, contentDigest: 'd', embeddingModel: 'm' }
    await store.replace('long', source, chunks, { length: chunks.length, at: () => vector })
    const indexes = createConceptIndexes(store, join(folder, 'concepts'))
    await indexes.load((await store.info('long'))!, 24)
    const changed = chunks.with(7, { ...chunks[7]!, content: 'The ferry Marigold is late.' })
    expect(await longestSliceMs(() => indexes.prepare('long', 'e', changed))).toBeLessThan(LONGEST_MS)
  } finally {
    await store.close()
    await rm(folder, { recursive: true })
  }
})
