import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { ConsumerManifest, type IngestionProfile } from '../../contract/manifests/consumer.ts'
import { DatasetFile, datasetOf } from '../../contract/manifests/datasets.ts'
import { FlavorsManifest } from '../../contract/manifests/flavors.ts'
import { createRagPlugin, type RagPluginDeps } from '../../providers/platform/rag/plugin.ts'
import { type RagPlugin } from '../../providers/platform/rag/rag-plugin.ts'
import type { ModelHost } from '../../providers/platform/models/model-host.ts'
import { openSqliteVectorStore } from '../../providers/platform/stores/vector-store/sqlite-vector-store.ts'
import type { StoredChunk, VectorStore } from '../../providers/platform/stores/vector-store/vector-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

const manifest = (name: string): unknown =>
  parse(readFileSync(new URL(`../../manifests/${name}.yaml`, import.meta.url), 'utf8'))

const profileOf = (dataset: string): IngestionProfile =>
  datasetOf(dataset, DatasetFile.parse(manifest(`datasets/${dataset}`))).profile

const declared = ConsumerManifest.parse(manifest('consumer'))

/** The project's own manifests, with the ingestion profile of the dataset that tests ingest. */
export const consumer: ConsumerManifest = {
  ...declared,
  ingestion_profiles: [...declared.ingestion_profiles, profileOf('smoke')],
}
export const flavors = FlavorsManifest.parse(manifest('flavors'))

/** Collections of the profile `smoke`. */
export const COLLECTIONS = {
  profile: 'smoke',
  plain: 'RagBase_smoke',
  contextual: 'RagContextual_smoke',
  tree: 'RagTree_smoke',
}

/** Documents as their paragraphs: each becomes one chunk, with a blank line between two. */
export type Documents = Record<string, { title: string; paragraphs: string[] }>

export function chunksOf(documents: Documents): StoredChunk[] {
  return Object.entries(documents).flatMap(([document, { title, paragraphs }]) => {
    let start = 0
    return paragraphs.map((content, chunkIndex) => {
      const chunk = {
        document,
        title,
        chunkIndex,
        startChar: start,
        endChar: start + content.length,
        content,
        indexText: content,
      }
      start = chunk.endChar + 2
      return chunk
    })
  })
}

export function openStore(folder: string): VectorStore {
  return openSqliteVectorStore(join(folder, 'store.db'))
}

/** A store of the running test, in its own folder unless one is named. */
export async function testStore(folder?: string): Promise<VectorStore> {
  const store = openStore(folder ?? (await temporaryFolder('store')))
  onTestFinished(() => store.close())
  return store
}

/** Writes chunks as the plain collection of a profile, embedded by the host. */
export async function ingest(
  store: VectorStore,
  models: ModelHost,
  profile: string,
  chunks: readonly StoredChunk[],
  contentDigest = 'digest-1',
): Promise<void> {
  const embeddings = await models.embed(
    'embed',
    chunks.map((chunk) => chunk.indexText),
    'document',
  )
  const source = { dimensions: embeddings[0]!.length, contentDigest, embeddingModel: models.embeddingSpace() }
  await store.replace(`RagBase_${profile}`, source, chunks, embeddings)
}

export interface RagFixture {
  plugin: RagPlugin
  store: VectorStore
  folder: string
}

const unasked = (): Promise<never> => Promise.reject(new Error('no engine is there'))

/** Engines that answer nothing. */
export const engines: Pick<RagPluginDeps, 'graph' | 'workflow' | 'own'> = {
  graph: { answer: unasked, find: unasked },
  workflow: { ask: unasked },
  own: { problem: () => 'the project has no own approach', ask: unasked, close: async () => undefined },
}

/** A plugin with the project's manifests, its folder below `folder`. */
export const pluginOver = (
  store: VectorStore,
  models: ModelHost,
  folder: string,
  overrides: Partial<RagPluginDeps> = {},
): RagPlugin =>
  createRagPlugin({
    ...engines,
    aliases: consumer,
    flavors,
    profile: 'smoke',
    store,
    models,
    stateDir: join(folder, 'rag'),
    routePrefix: '/rag',
    ...overrides,
  })

/** A plugin over a real store in a temporary folder, the `smoke` profile active and ingested, until the running test ends. */
export async function ragFixture(
  models: ModelHost,
  documents: Documents,
  overrides: Partial<RagPluginDeps> = {},
): Promise<RagFixture> {
  const folder = await temporaryFolder('rag')
  const store = await testStore(folder)
  if (Object.keys(documents).length > 0) await ingest(store, models, 'smoke', chunksOf(documents))
  const plugin = pluginOver(store, models, folder, overrides)
  onTestFinished(() => plugin.close())
  return { plugin, store, folder }
}

/** A small world in which the second hop shares no word with the question. */
export const WORLD: Documents = {
  'harbour-report.md': {
    title: 'Harbour report',
    paragraphs: [
      'The pilot cutter Grey Heron was lost off Port Esker in the autumn gale. Her master at the time was Ysolde Marrack.',
      'The harbour board paid for two new buoys. Their lamps burn for forty days.',
    ],
  },
  'marrack.md': {
    title: 'Ysolde Marrack',
    paragraphs: [
      'Ysolde Marrack grew up in Tarnwick as the daughter of a clockmaker and later taught arithmetic there.',
    ],
  },
  'bread.md': {
    title: 'Bread',
    paragraphs: [
      'Sourdough rises by wild yeast. Bakers keep a starter alive with flour and water.',
      'Rye loaves keep for weeks.',
    ],
  },
  'salt.md': { title: 'Salt', paragraphs: ['Sea salt is won in shallow pans. The sun dries the brine in summer.'] },
  'wind.md': { title: 'Wind', paragraphs: ['The foehn is a warm dry wind of the Alps. It melts the snow in a day.'] },
}
