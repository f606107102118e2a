import { expect, test } from 'vitest'
import type { ModelChoice } from '../../contract/manifests/model-backends.ts'
import { ModelRole } from '../../contract/manifests/models.ts'
import { chunkText } from '../../core/chunking/chunk-text.ts'
import { createModelHost } from '../../providers/platform/models/create-model-host.ts'
import { loadBuiltinModels } from '../../providers/platform/models/load-builtin.ts'
import type { ApproachServices } from '../../providers/platform/rag/approach.ts'
import { hybridSearch } from '../../providers/platform/rag/steps/hybrid-search.ts'
import { modelReranker } from '../../providers/platform/models/tei/reranker.ts'
import { longDocuments } from '../bench/long-documents.ts'
import { joinAliases } from '../../contract/manifests/aliases.ts'
import { floorOf, scoreContexts } from '../bench/retrieval.bench.ts'
import { COLLECTIONS, consumer, flavors, ingest, testStore } from '../helpers/rag-fixture.ts'

// Targets of the retrieval benchmark that a change of the built-in models could break unnoticed, on its own documents. All figures follow from a seed.

const set = longDocuments()
const { chunker } = consumer.ingestion_profiles.find(({ name }) => name === 'smoke')!

/** Searches over the documents with the built-in models, by the flavor's own parameters. */
async function searches() {
  const store = await testStore()
  const roles = Object.fromEntries(
    ModelRole.options.map((role) => [role, { backend: 'builtin', model: `builtin-${role}` }]),
  ) as Record<ModelRole, ModelChoice>
  const models = createModelHost(
    { name: 'rules', roles },
    { secret: () => undefined, onnxCacheDir: '', loadBuiltin: loadBuiltinModels },
  )
  const chunks = [...set.documents].flatMap(([document, text]) =>
    chunkText({ text, ...chunker }).map(({ index, content, start_char, end_char }) => ({
      document,
      title: /^# (.+)$/m.exec(text)![1]!,
      chunkIndex: index,
      startChar: start_char,
      endChar: end_char,
      content,
      indexText: content,
    })),
  )
  await ingest(store, models, 'smoke', chunks)
  const services = {
    store,
    models,
    reranker: modelReranker(models),
    collections: COLLECTIONS,
  } as unknown as ApproachServices
  const { aliases } = joinAliases(consumer, flavors)
  const recallOf = async (alias: string): Promise<number> => {
    const { flavor } = aliases.get(alias)!
    let found = 0
    for (const { text, gold } of set.questions) {
      const hits = await hybridSearch(text, flavor.parameters as never, 'plain', services)
      const contexts = hits.map(({ chunk }) => ({ document: chunk.document, text: chunk.content }))
      found += scoreContexts(contexts, gold).recall
    }
    return found / set.questions.length
  }
  return { recallOf, close: () => store.close() }
}

test('hybrid search of long documents finds 0.02 more than BM25 over their passages, and fusion alone what keywords find', async () => {
  const { recallOf, close } = await searches()
  const floor = floorOf(set)
  const floors = set.questions.map((question) => scoreContexts(floor(question), question.gold).recall)
  const bm25 = floors.reduce((sum, recall) => sum + recall, 0) / floors.length
  expect((await recallOf('hybrid-rag')) - bm25).toBeGreaterThanOrEqual(0.02)
  // One question of 96 is 0.0104.
  expect((await recallOf('hybrid-rag-fast')) - (await recallOf('bm25'))).toBeGreaterThanOrEqual(-0.0105)
  await close()
})
