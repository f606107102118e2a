// Measures what the experimental approaches find for the questions of one half of a set, beside hybrid-rag, vanilla-rag and bm25 at one budget of context
// tokens, with SmolLM2-135M and all-MiniLM-L6-v2 (docs/real-models.md): passages alone, no answers. The corpus is a part of the set's: what the questions
// need, and the passages before them in the file. `node tests/bench/experimental-approaches.ts --set FOLDER --half second --questions 24 --documents 160`
import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { ConsumerManifest } from '../../contract/manifests/consumer.ts'
import { DatasetFile, datasetOf } from '../../contract/manifests/datasets.ts'
import { FlavorsManifest } from '../../contract/manifests/flavors.ts'
import { ModelsManifest } from '../../contract/manifests/models.ts'
import { selectModels } from '../../core/select-models.ts'
import { comparePairs } from '../../main/statistics/compare-pairs.ts'
import { createModelHost } from '../../providers/platform/models/create-model-host.ts'
import { loadBuiltinModels } from '../../providers/platform/models/load-builtin.ts'
import { createRagPlugin } from '../../providers/platform/rag/plugin.ts'
import { openSqliteVectorStore } from '../../providers/platform/stores/vector-store/sqlite-vector-store.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { realWeights } from '../real/weights.ts'
import { scoreContexts } from './retrieval.bench.ts'
import { retrievalSets } from './retrieval-sets.ts'

const { values } = parseArgs({
  options: {
    set: { type: 'string' },
    half: { type: 'string', default: 'second' },
    questions: { type: 'string', default: '24' },
    documents: { type: 'string', default: '160' },
    budget: { type: 'string', default: '1000' },
    /** Keeps what the model wrote, so that a measurement that was stopped goes on. */
    kept: { type: 'string' },
    aliases: { type: 'string', default: 'bm25,vanilla-rag,hybrid-rag,hyde-rag,multi-query-rag' },
  },
})
if (values.set === undefined) throw new Error('--set FOLDER is missing: a folder with corpus.jsonl and questions.jsonl')
const aliases = values.aliases.split(',')
const budget = Number(values.budget)
const OTHER = 'hybrid-rag'

/** Of one question: shares of its gold documents, and tokens handed over. */
interface Row {
  recall: number
  all: number
  found: number
  tokens: number
}

const manifest = async (name: string): Promise<unknown> =>
  parse(await readFile(join(PROJECT_ROOT, 'manifests', `${name}.yaml`), 'utf8'), { merge: true })

const folder = await mkdtemp(join(tmpdir(), 'experimental-approaches-'))
const [language, embedding] = [await realWeights('smollm2-135m'), await realWeights('minilm-int8')]
if (language.folder === null) throw new Error(language.reason)
if (embedding.folder === null) throw new Error(embedding.reason)
const chosen = selectModels(ModelsManifest.parse(await manifest('models')), 'local-small', {
  RAG_LADDER_GGUF_FILE: join(language.folder, 'SmolLM2-135M-Instruct.Q4_1.gguf'),
  RAG_LADDER_EMBEDDING_DIR: embedding.folder,
})
if (!chosen.ok) throw new Error(chosen.problems.join('; '))
const host = createModelHost(chosen.models, {
  secret: () => undefined,
  onnxCacheDir: join(folder, 'onnx'),
  loadBuiltin: loadBuiltinModels,
})
const kept = new Map<string, Awaited<ReturnType<typeof host.chat>>>(
  values.kept === undefined || !existsSync(values.kept)
    ? []
    : (await readFile(values.kept, 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as [string, Awaited<ReturnType<typeof host.chat>>]),
)
const models: typeof host = {
  ...host,
  chat: async (role, request, signal, onText) => {
    const key = JSON.stringify([role, request.messages, request.max_tokens])
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = await host.chat(role, request, signal, onText)
    if (values.kept !== undefined) await appendFile(values.kept, `${JSON.stringify([key, made])}\n`)
    return made
  },
}
const store = openSqliteVectorStore(join(folder, 'store.db'))
const declared = ConsumerManifest.parse(await manifest('consumer'))
const { profile } = datasetOf('smoke', DatasetFile.parse(await manifest('datasets/smoke')))
const unasked = (): Promise<never> => Promise.reject(new Error('this bench asks the store only'))
const plugin = createRagPlugin({
  graph: { answer: unasked, find: unasked },
  workflow: { ask: unasked },
  own: { problem: () => null, ask: unasked, close: async () => undefined },
  aliases: { ...declared, ingestion_profiles: [...declared.ingestion_profiles, profile] },
  flavors: FlavorsManifest.parse(await manifest('flavors')),
  profile: 'smoke',
  store,
  models,
  stateDir: join(folder, 'rag'),
  routePrefix: '/rag',
})

try {
  const [set] = await retrievalSets([values.set])
  const half = set!.questions.filter(({ secondHalf }) => secondHalf === (values.half === 'second'))
  const questions = half.slice(0, Number(values.questions))
  const needed = new Set(questions.flatMap(({ gold }) => gold.map(({ document }) => document)))
  const others = [...set!.documents.keys()].filter((document) => !needed.has(document))
  const documents = [...needed, ...others].slice(0, Math.max(needed.size, Number(values.documents)))
  const chunks = documents.map((document) => {
    const content = set!.documents.get(document)!.trim()
    const title = /^# (.+)$/m.exec(content)?.[1] ?? document
    return { document, title, chunkIndex: 0, startChar: 0, endChar: content.length, content, indexText: content }
  })
  let started = performance.now()
  const seconds = (): number => Math.round((performance.now() - started) / 100) / 10
  const texts = chunks.map(({ indexText }) => indexText)
  const vectors: Float32Array[] = []
  for (let at = 0; at < texts.length; at += 16)
    vectors.push(...(await models.embed('embed', texts.slice(at, at + 16), 'document')))
  const source = { dimensions: vectors[0]!.length, contentDigest: 'bench', embeddingModel: models.embeddingSpace() }
  await store.replace('RagBase_smoke', source, chunks, vectors)
  console.log(
    `${basename(values.set)}, ${values.half} half: ${questions.length} questions, ${chunks.length} passages, ${seconds()} s`,
  )

  if (aliases.includes('raptor-rag')) {
    started = performance.now()
    const { layers, summaries } = await plugin.buildTree('smoke')
    console.log(`tree: ${summaries} summaries in ${layers} layers, ${seconds()} s`)
  }
  const scores = new Map<string, Row[]>()
  for (const alias of aliases) {
    started = performance.now()
    const rows: Row[] = []
    for (const { text, gold } of questions) {
      const trial = { parameters: {}, answer: false }
      const messages = [{ role: 'user' as const, content: text }]
      const answered = await plugin.answer(alias, { model: alias, messages, trial, context_budget: budget })
      const { sources, metrics, ...rest } = answered.rag_extension!
      const contexts = sources.map(({ document = '', text: content = '' }) => ({ document, text: content }))
      const { recall, all } = scoreContexts(contexts, gold)
      const found = gold.filter((one) => contexts.some(({ document }) => document === one.document)).length
      rows.push({ recall, all, found: found / gold.length, tokens: metrics.context_tokens ?? 0 })
      if ('searched_with' in rest) console.log(JSON.stringify({ alias, text, searched_with: rest['searched_with'] }))
    }
    scores.set(alias, rows)
    const mean = (of: 'recall' | 'all' | 'found' | 'tokens') =>
      rows.reduce((sum, row) => sum + row[of], 0) / rows.length
    console.log(
      `${alias}: recall@5 ${mean('recall').toFixed(3)}, both in 5 ${mean('all').toFixed(3)}, found in ${budget} tokens ${mean('found').toFixed(3)}, tokens ${Math.round(mean('tokens'))}, ${seconds()} s`,
    )
  }
  for (const alias of aliases)
    for (const metric of ['recall', 'found'] as const) {
      if (alias === OTHER || !scores.has(OTHER)) continue
      const table = {
        metric,
        questions: questions.map(({ id }) => ({ id, cluster: id })),
        approaches: [alias, OTHER],
        scores: Float64Array.from(
          questions.flatMap((_, at) => [alias, OTHER].map((one) => scores.get(one)![at]![metric])),
        ),
        range: [0, 1] as const,
      }
      const { difference } = comparePairs(table, { seed: 'experimental' }).pairs[0]!
      const [low, high] = [difference.interval?.low, difference.interval?.high].map(
        (end) => end?.toFixed(3) ?? 'unknown',
      )
      console.log(`${alias} − ${OTHER}, ${metric}: ${difference.value!.toFixed(3)} [${low}, ${high}]`)
    }
} finally {
  await plugin.close()
  await store.close()
  await models.close()
  await rm(folder, { recursive: true, force: true })
}
