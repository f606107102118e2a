import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { request } from 'undici'
import { createLogger } from '../../providers/kit/logger.ts'
import { closeGracefully, createHttpServer, listen } from '../../providers/kit/server.ts'
import { registerSearchRoutes } from '../../providers/platform/stores/vector-store/routes.ts'
import { openSqliteVectorStore } from '../../providers/platform/stores/vector-store/sqlite-vector-store.ts'
import type { StoredChunk, VectorStore } from '../../providers/platform/stores/vector-store/vector-store.ts'
import { storedChunk } from '../helpers/stored-chunk.ts'
import { median } from './figure.ts'

export interface VectorStoreBench {
  chunks: number
  dimensions: number
  queries: number
  p50Ms: number
  p95Ms: number
  /** First query after opening: it loads the vectors. */
  coldMs: number
  buildMs: number
  /** The same through `POST /api/rag/search`, the embedding of the query left out. */
  httpP50Ms: number
}

const CHUNKS = 10_000
const DIMENSIONS = 768
const QUERIES = 100
/** Commoner words than these are function words in real text, which a query leaves out; a word of this rank is in a quarter of the chunks. */
const CONTENT_RANK = 50
const VOCABULARY = 20_000

/** P15: hybrid search over 10,000 chunks of about 120 words with Zipf-distributed words, top 20, through the store's own API. */
export async function benchVectorStore(): Promise<VectorStoreBench> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vector-bench-'))
  try {
    const random = generator(42)
    const chunks = Array.from({ length: CHUNKS }, (_, index) => chunkOf(index, words(random, 120)))
    const vectors = chunks.map(() => direction(random))
    const file = path.join(folder, 'bench.sqlite')
    const writer = openSqliteVectorStore(file)
    const buildMs = await timed(() =>
      writer.replace(
        'bench',
        { dimensions: DIMENSIONS, contentDigest: 'bench', embeddingModel: 'random' },
        chunks,
        vectors,
      ),
    )
    await writer.close()
    const store = openSqliteVectorStore(file)
    const ask = async (): Promise<number> => {
      const query = {
        text: `What is the ${words(random, 8, CONTENT_RANK)}?`,
        vector: direction(random),
        alpha: 0.5,
        limit: 20,
      }
      return timed(() => store.hybrid('bench', query))
    }
    const coldMs = await ask()
    for (let warm = 0; warm < 10; warm += 1) await ask()
    const times: number[] = []
    for (let query = 0; query < QUERIES; query += 1) times.push(await ask())
    const httpP50Ms = await overHttp(store, random)
    await store.close()
    times.sort((left, right) => left - right)
    const [p50Ms, p95Ms] = [times[Math.floor(QUERIES / 2)]!, times[Math.floor(QUERIES * 0.95)]!]
    return { chunks: CHUNKS, dimensions: DIMENSIONS, queries: QUERIES, p50Ms, p95Ms, coldMs, buildMs, httpP50Ms }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Median of the same searches through the platform's route, by a client that keeps its connection. */
async function overHttp(store: VectorStore, random: () => number): Promise<number> {
  const app = createHttpServer({ logger: createLogger('bench', 'silent') })
  registerSearchRoutes(app, { store, embedQuery: async () => direction(random) })
  const { url } = await listen(app, '127.0.0.1', 0)
  try {
    const times: number[] = []
    for (let query = 0; query < QUERIES + 10; query += 1) {
      const text = `What is the ${words(random, 8, CONTENT_RANK)}?`
      const body = JSON.stringify({ collection: 'bench', query: text, limit: 20 })
      const headers = { 'content-type': 'application/json' }
      times.push(
        await timed(async () => {
          const reply = await request(`${url}/api/rag/search`, { method: 'POST', headers, body })
          await reply.body.json()
        }),
      )
    }
    return median(times.slice(10))
  } finally {
    await closeGracefully(app, 1000)
  }
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await action()
  return performance.now() - start
}

/** Mulberry32: numbers in 0..1, the same for the same seed. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Words whose rank r, from `firstRank`, comes with a frequency near 1/r; the commonest are the ones that everyday text repeats. */
function words(random: () => number, count: number, firstRank = 1): string {
  const common = ['the', 'of', 'and', 'a', 'to', 'in', 'is', 'was', 'for', 'with']
  return Array.from({ length: count }, () => {
    const rank = Math.floor(firstRank * Math.exp(random() * Math.log(VOCABULARY / firstRank)))
    return common[rank - 1] ?? `w${rank.toString(36)}`
  }).join(' ')
}

function direction(random: () => number): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5)
}

const chunkOf = (index: number, content: string): StoredChunk =>
  storedChunk(`document-${Math.floor(index / 10)}.md`, content, index % 10)

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { chunks, dimensions, queries, p50Ms, p95Ms, coldMs, buildMs } = await benchVectorStore()
  console.log(
    `P15 hybrid over ${chunks} × ${dimensions}: p50 ${p50Ms.toFixed(2)} ms, p95 ${p95Ms.toFixed(2)} ms over ${queries} queries; ` +
      `first ${coldMs.toFixed(0)} ms, built in ${buildMs.toFixed(0)} ms`,
  )
}
