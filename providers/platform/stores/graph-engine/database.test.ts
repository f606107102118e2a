import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { embedText } from '../../models/builtin/embedding/embed-text.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { createDeferredSync, createVectorCache, openGraphDatabase, withoutVectorCache } from './database.ts'
import { createDocumentStore, createExtractionStore } from './document-store.ts'
import { chunkId } from './stored-graph.ts'
import { embedTables } from './pipeline.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'

const NORMAL = 1
const FULL = 2

let folder: string
let database: Database

beforeEach(async () => {
  folder = await temporaryFolder('graph-database')
  database = openGraphDatabase(join(folder, 'graph.sqlite'))
})

afterEach(() => {
  vi.restoreAllMocks()
  database.close()
})

const level = () => database.pragma('synchronous', { simple: true })

/** Records the level under which each row of a table is written. */
function watch(table: string, event: 'INSERT' | 'UPDATE'): () => number[] {
  database.exec(`CREATE TEMP TABLE levels_${table}_${event} (level INTEGER);
    CREATE TEMP TRIGGER watch_${table}_${event} AFTER ${event} ON main.${table}
    BEGIN INSERT INTO levels_${table}_${event} SELECT synchronous FROM pragma_synchronous; END`)
  return () => database.prepare<[], number>(`SELECT level FROM levels_${table}_${event}`).pluck().all()
}

describe('work that can be repeated', () => {
  test('is synced once a second, and all other commits are', () => {
    let nowMs = 0
    const deferSync = createDeferredSync(database, () => nowMs)
    const levels = [0, 400, 999, 1000, 1400, 2000].map((atMs) => {
      nowMs = atMs
      const during = deferSync(level)
      expect(level()).toBe(FULL)
      return during
    })
    expect(levels).toEqual([NORMAL, NORMAL, NORMAL, FULL, NORMAL, FULL])
  })

  test('leaves other commits synced when a write throws', () => {
    const deferSync = createDeferredSync(database, () => 0)
    const write = () =>
      deferSync(() => {
        throw new Error('disk full')
      })
    expect(write).toThrow('disk full')
    expect(level()).toBe(FULL)
  })

  test('does not sync for each claim, extraction and batch of vectors, but for uploads and states', () => {
    vi.spyOn(performance, 'now').mockReturnValue(0)
    const documents = createDocumentStore(database)
    const extractions = createExtractionStore(database)
    const vectors = createVectorCache(database, 'model')
    const added = watch('documents', 'INSERT')
    const changed = watch('documents', 'UPDATE')
    const saved = watch('extractions', 'INSERT')
    const embedded = watch('vectors', 'INSERT')
    const chunks = [{ index: 0, startChar: 0, endChar: 4, tokens: 1, content: 'text' }]
    const fields = { filePath: 'a.md', title: 'A', content: 'text', trackId: 'track', extractModel: 'model' }
    documents.add({ id: 'a', ...fields, chunks }, [], 0)
    expect(documents.claim(1, 0)).toHaveLength(1)
    expect(extractions.save(chunkId('a', 0), { entities: [], relations: [], dropped: 0, truncated: false })).toBe(true)
    vectors.put([{ key: 1n, vector: { scale: 1, components: new Int8Array(4) } }])
    documents.end(['a'], 'processed', null, 0)
    expect(added()).toEqual([FULL])
    expect(changed()).toEqual([NORMAL, FULL])
    expect(saved()).toEqual([NORMAL])
    expect(embedded()).toEqual([NORMAL])
  })
})

test('a vector is read from the file at most once while tables are embedded, and equals the one that was stored', async () => {
  const cache = createVectorCache(database, 'model')
  const get = vi.spyOn(cache, 'get')
  const embed = vi.fn(async (_role: string, texts: readonly string[]) =>
    texts.map((text) => Float32Array.of(text.length, 1, 0, -0.5)),
  )
  const models = { embed } as unknown as ModelHost
  const texts = ['one', 'three', 'one', 'seventeen', 'three']
  const entities = { count: texts.length, text: (row: number) => texts[row]! }

  const fresh = await embedTables({ entities }, cache, models, 4)
  expect(get).toHaveBeenCalledTimes(texts.length)
  expect(embed.mock.calls.map(([, asked]) => asked)).toEqual([['one', 'three', 'seventeen']])

  const stored = await embedTables({ entities }, cache, models, 4)
  expect(embed).toHaveBeenCalledTimes(1)
  const query = Float32Array.of(0.5, 0.5, 0.5, 0.5)
  expect(fresh.tables.entities.similarities(query)).toEqual(stored.tables.entities.similarities(query))
  expect(fresh.keys).toEqual(stored.keys)
})

test('vectors by rules leave no bytes in the file, also those that an earlier version stored, and are equal when made again', async () => {
  const stored = createVectorCache(database, 'model')
  stored.put([{ key: 1n, vector: { scale: 1, components: new Int8Array(4) } }])
  const cache = withoutVectorCache(database)
  const embed = vi.fn(async (_role: string, texts: readonly string[]) => texts.map((text) => embedText(text)))
  const entities = { count: 3, text: (row: number) => ['a yard', 'a ship', 'a yard'][row]! }

  const first = await embedTables({ entities }, cache, { embed } as unknown as ModelHost, 4)
  cache.keepOnly(first.keys)
  const again = await embedTables({ entities }, cache, { embed } as unknown as ModelHost, 4)

  expect(database.prepare('SELECT count(*) FROM vectors').pluck().get()).toBe(0)
  expect(embed.mock.calls.map(([, texts]) => texts)).toEqual(Array(2).fill(['a yard', 'a ship']))
  const query = embedText('which yard?')
  expect(again.tables.entities.similarities(query)).toEqual(first.tables.entities.similarities(query))
})
