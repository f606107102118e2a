import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { DECLARABLE_APPROACHES, KEYWORD_BASELINE } from '../../contract/approaches.ts'
import { ChatCompletion } from '../../contract/http/chat.ts'
import { IngestionAccepted, IngestionRecord } from '../../contract/http/ingestion.ts'
import { comparePairs } from '../../main/statistics/compare-pairs.ts'
import { startPlatformProcess } from '../helpers/platform-process.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { shown, type Figure } from './figure.ts'
import { plainBm25, stemmedBm25 } from './plain-bm25.ts'
import { retrievalSets, writeCorpus } from './retrieval-sets.ts'
import { type Gold, type RetrievalQuestion, type RetrievalSet } from './retrieval-set.ts'

// P20: which gold documents, or gold facts of long documents, the contexts of each approach hold. The contexts are those of an answer: each
// question goes through the gateway of an embedded platform with the built-in models, and `rag_extension.sources` is scored in its order.

/** The profile that the corpus of a set is mounted as. */
const PROFILE = 'smoke'
const TOKEN = 'operator-token-of-this-bench'
const FLOOR = 'plain BM25'
const STEMMED = 'stemmed BM25'
const RECALL_CUTOFF = 5
const NDCG_CUTOFF = 10
const GAIN_OVER_FLOOR = 0.02
/** Limits what hybrid search may lose on a single set against BM25 with stems. */
const LOSS_OF_A_SET = 0.005
const LIFT_OF_ALL = 4 / 3
/** Search that fuses a dense and a keyword leg without reranking, and the approaches that search one leg each. */
const FUSED = 'hybrid-rag-fast'
const LEGS = ['vanilla-rag', KEYWORD_BASELINE]
/** Approaches that collect passages from several documents; the best of them has a target. */
const GATHERING = ['agentic-rag', 'graph-rag', 'lazy-graph-rag']
/** Asked unless the caller names others. */
const ALIASES = [...DECLARABLE_APPROACHES, FUSED, KEYWORD_BASELINE]
/** Limits what fusion may lose against the better of its legs. */
const FUSION_LOSS = 0.01
/** Differences of means are not exact: a loss of 0.01 may come out a little larger. */
const ROUNDING = 1e-9
/** Contexts that the floor is scored on; an approach returns its own number. */
const FLOOR_DEPTH = 10
const PASSAGE_CHARS = 800

interface Scores {
  recall: number
  all: number
  ndcg: number
  contexts: number
}

/** Scores of each question, by approach and question id. */
type ScoresByAlias = ReadonlyMap<string, ReadonlyMap<string, Scores>>

interface Scored {
  questions: readonly RetrievalQuestion[]
  scores: ScoresByAlias
}

/** A context of an answer, or what the floor returns. */
interface Context {
  document: string
  text: string
}

export interface RetrievalOptions {
  /** Folders of imported sets, or names of own ones; none for all. */
  data?: readonly string[]
  /** The half whose questions are asked: the other stays unseen while something is chosen. */
  half?: string
  /** Aliases to ask; all that the bench compares by default. */
  aliases?: readonly string[]
  /** Model set of this project whose models the platform has; the built-in ones unless given. */
  modelSet?: string
}

const plain = (text: string): string => text.replace(/\s+/g, ' ')

const holds = ({ document, text }: Context, gold: Gold): boolean =>
  document === gold.document && (gold.fact === undefined || plain(text).includes(plain(gold.fact)))

/** Gold among the contexts, in their order; it counts at the first context that holds it. */
export function scoreContexts(contexts: readonly Context[], gold: readonly Gold[]): Scores {
  const ranks = gold.map((one) => contexts.findIndex((context) => holds(context, one)))
  const found = ranks.filter((rank) => rank !== -1 && rank < RECALL_CUTOFF).length
  const discount = (rank: number): number => 1 / Math.log2(rank + 2)
  const gained = ranks.reduce((sum, rank) => (rank === -1 || rank >= NDCG_CUTOFF ? sum : sum + discount(rank)), 0)
  const ideal = gold.slice(0, NDCG_CUTOFF).reduce((sum, _, rank) => sum + discount(rank), 0)
  return {
    recall: found / gold.length,
    all: found === gold.length ? 1 : 0,
    ndcg: gained / ideal,
    contexts: contexts.length,
  }
}

/** Whose questions the figures are of: those of an imported set or half, of all such sets together, or of this repository, which has no targets. */
type Questions = 'of a set' | 'of all sets' | 'of this repository'

/** The figures of every set chosen, then those of all imported sets together. */
export async function benchRetrieval({ data = [], half, aliases = ALIASES, modelSet }: RetrievalOptions = {}): Promise<
  Figure[]
> {
  if (half !== undefined && half !== 'first' && half !== 'second')
    throw new Error(`--half is first or second, got ${half}`)
  const figures: Figure[] = []
  const together: Scored[] = []
  for (const whole of await retrievalSets(data)) {
    const asked = ({ secondHalf }: RetrievalQuestion): boolean =>
      half === undefined || secondHalf === (half === 'second')
    const set = { ...whole, questions: whole.imported ? whole.questions.filter(asked) : whole.questions }
    const scores = await scoresOf(set, aliases, modelSet)
    const parts = set.imported
      ? [
          [`${set.name}, first half`, set.questions.filter(({ secondHalf }) => !secondHalf)] as const,
          [`${set.name}, second half`, set.questions.filter(({ secondHalf }) => secondHalf)] as const,
        ]
      : [[set.name, set.questions] as const]
    for (const [name, questions] of parts)
      if (questions.length > 0)
        figures.push(...figuresOf(name, questions, scores, set.imported ? 'of a set' : 'of this repository'))
    if (set.imported) together.push(underName(set, scores))
  }
  return together.length < 2 ? figures : [...figures, ...pooledFigures(together)]
}

/** Question ids of several sets may be the same. */
function underName({ name, questions }: RetrievalSet, scores: ScoresByAlias): Scored {
  const idOf = (id: string): string => `${name} ${id}`
  return {
    questions: questions.map((question) => ({ ...question, id: idOf(question.id) })),
    scores: new Map(
      [...scores].map(([alias, own]) => [alias, new Map([...own].map(([id, score]) => [idOf(id), score]))]),
    ),
  }
}

/** Each question counts once, whichever set it is from; approaches that were scored on every set. */
export function pooledFigures(sets: readonly Scored[]): Figure[] {
  const aliases = [...sets[0]!.scores.keys()].filter((alias) => sets.every(({ scores }) => scores.has(alias)))
  const pooled = new Map(
    aliases.map((alias) => [alias, new Map(sets.flatMap(({ scores }) => [...scores.get(alias)!]))]),
  )
  const questions = sets.flatMap((set) => set.questions)
  return figuresOf('sets together', questions, pooled, 'of all sets')
}

/** Holds what the platform reads of a model set: the project's manifests, and the folders of its weights. */
const modelSetEnvironment = (name: string): Record<string, string> => ({
  RAG_LADDER_MANIFESTS: join(PROJECT_ROOT, 'manifests'),
  RAG_MODEL_SET: name,
  ...Object.fromEntries(
    ['RAG_LADDER_EMBEDDING_DIR', 'RAG_LADDER_MODELS_DIR', 'HF_ENDPOINT'].flatMap((variable) => {
      const value = process.env[variable]
      return value === undefined ? [] : [[variable, value]]
    }),
  ),
})

async function scoresOf(
  set: RetrievalSet,
  aliases: readonly string[],
  modelSet: string | undefined,
): Promise<ScoresByAlias> {
  const folder = await mkdtemp(join(tmpdir(), 'retrieval-bench-'))
  try {
    await writeCorpus(set, join(folder, 'corpus', PROFILE))
    const scores = new Map([
      [FLOOR, scoresBy(set, floorOf(set))],
      [STEMMED, scoresBy(set, floorOf(set, stemmedBm25))],
    ])
    const platform = await startPlatformProcess({
      RAG_LADDER_STATE_DIR: join(folder, 'state'),
      RAG_INGESTION_CORPUS_ROOT: join(folder, 'corpus'),
      RAG_PROFILE: PROFILE,
      BACKEND_INTERNAL_API_TOKEN: TOKEN,
      ...(modelSet === undefined ? {} : modelSetEnvironment(modelSet)),
    })
    try {
      await ingest(platform.url)
      for (const alias of aliases) {
        const ranked = new Map<string, Context[]>()
        for (const { id, text } of set.questions) ranked.set(id, await contextsOf(platform.url, alias, text))
        if ([...ranked.values()].some((contexts) => contexts.length > 0))
          scores.set(
            alias,
            scoresBy(set, ({ id }) => ranked.get(id)!),
          )
      }
    } finally {
      await platform.stop()
    }
    return scores
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const scoresBy = (set: RetrievalSet, rank: (question: RetrievalQuestion) => Context[]): Map<string, Scores> =>
  new Map(set.questions.map((question) => [question.id, scoreContexts(rank(question), question.gold)]))

/** BM25 over whole documents, or over their passages where facts of long documents are to be found. */
export function floorOf(
  { documents, questions }: RetrievalSet,
  bm25 = plainBm25,
): (question: RetrievalQuestion) => Context[] {
  const byFact = questions.some(({ gold }) => gold.some(({ fact }) => fact !== undefined))
  const units = new Map<string, Context>(
    [...documents].flatMap(([document, text]) =>
      (byFact ? passagesOf(text) : [text]).map((part, at) => [`${document} ${at}`, { document, text: part }] as const),
    ),
  )
  const rank = bm25(new Map([...units].map(([id, { text }]) => [id, text])))
  return ({ text }) =>
    rank(text)
      .slice(0, FLOOR_DEPTH)
      .map((id) => units.get(id)!)
}

/** Paragraphs in their order, joined while they have at most 800 characters together. */
function passagesOf(text: string): string[] {
  const passages: string[] = []
  for (const paragraph of text.split(/\n{2,}/)) {
    const joined = `${passages.at(-1) ?? ''}\n\n${paragraph}`.trim()
    if (passages.length > 0 && joined.length <= PASSAGE_CHARS) passages[passages.length - 1] = joined
    else passages.push(paragraph)
  }
  return passages
}

async function call(url: string, path: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const response = await fetch(
    url + path,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  )
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status}: ${(await response.text()).slice(0, 500)}`)
  return response.json()
}

async function ingest(url: string): Promise<void> {
  const { ingestion_id: id } = IngestionAccepted.parse(
    await call(url, '/api/rag/ingestions?async_job=true', { profile: PROFILE }),
  )
  for (;;) {
    const record = IngestionRecord.parse(await call(url, `/api/rag/ingestions/${id}`))
    if (record.status === 'completed') break
    if (record.status !== 'pending' && record.status !== 'running')
      throw new Error(`the ingestion ended as ${record.status}: ${JSON.stringify(record).slice(0, 500)}`)
    await pause(200)
  }
  await call(url, '/rag/contextual/build', { profile: PROFILE })
}

/** The contexts of an answer in their order, or what the graph engine reports as used; none for an approach that returns no text. */
async function contextsOf(url: string, alias: string, question: string): Promise<Context[]> {
  const request = { model: alias, messages: [{ role: 'user', content: question }], cache: { 'no-cache': true } }
  const { rag_extension: extension } = ChatCompletion.parse(await call(url, '/v1/chat/completions', request))
  const { sources, used_passages: used = [] } = extension!
  const contexts = sources.filter(({ text }) => text !== undefined)
  return (contexts.length > 0 ? contexts : used).flatMap(({ document, text = '' }) =>
    document === undefined ? [] : [{ document, text }],
  )
}

/** The figures of one set or half of it: means, and differences of the same questions with their intervals. */
export function figuresOf(
  name: string,
  questions: readonly RetrievalQuestion[],
  scores: ScoresByAlias,
  whose: Questions,
): Figure[] {
  const mean = (alias: string, metric: keyof Scores, asked = questions): number =>
    asked.reduce((sum, { id }) => sum + scores.get(alias)!.get(id)![metric], 0) / asked.length
  const severalDocuments = questions.filter(({ gold }) => new Set(gold.map(({ document }) => document)).size > 1)
  const gathering = GATHERING.filter((alias) => scores.has(alias))
  const liftOf = (alias: string, floor = FLOOR): number =>
    mean(alias, 'all', severalDocuments) / mean(floor, 'all', severalDocuments)
  return [...scores.keys()].flatMap((alias): Figure[] => {
    const about = (metric: string): string => `${name}: ${alias}: ${metric}`
    const figures = [
      shown('P20', about('gold documents in the first 5'), mean(alias, 'recall'), ''),
      shown('P20', about('all gold documents in the first 5'), mean(alias, 'all'), ''),
      shown('P20', about('nDCG@10'), mean(alias, 'ndcg'), ''),
      shown('P20', about('contexts handed over'), mean(alias, 'contexts'), ''),
    ]
    if (alias === FLOOR) return figures
    const beyond = (other: string, metric: PairedMetric, least?: number, asked = questions): Figure => {
      const { value, low, high } = pairedGain(asked, scores, [alias, other], metric)
      const end = (at: number | undefined): string => (at === undefined ? 'unknown' : at.toFixed(3))
      const what = `${PAIRED_METRICS[metric]} beyond ${other}, 95 % interval ${end(low)} to ${end(high)}`
      const figure = shown('P20', about(what), value, '')
      if (least === undefined || whose === 'of this repository') return figure
      return { ...figure, target: `≥ ${least}`, met: value >= least - ROUNDING }
    }
    figures.push(beyond(FLOOR, 'recall', alias === 'hybrid-rag' ? GAIN_OVER_FLOOR : undefined))
    const stems = alias !== STEMMED && scores.has(STEMMED)
    const least = whose === 'of all sets' ? GAIN_OVER_FLOOR : -LOSS_OF_A_SET
    if (stems) figures.push(beyond(STEMMED, 'recall', alias === 'hybrid-rag' ? least : undefined))
    if (GATHERING.includes(alias) && severalDocuments.length > 0) {
      const lift = liftOf(alias)
      const best = whose === 'of a set' && lift === Math.max(...gathering.map((other) => liftOf(other)))
      figures.push({
        ...shown('P20', about(`all of several gold documents in the first 5, times ${FLOOR}`), lift, ''),
        ...(best ? { target: `≥ ${LIFT_OF_ALL.toFixed(2)}`, met: lift >= LIFT_OF_ALL } : {}),
      })
      figures.push(beyond(FLOOR, 'all', undefined, severalDocuments))
      if (stems) {
        const beyondStems = liftOf(alias, STEMMED)
        const isAim = alias === 'graph-rag' && whose === 'of a set'
        figures.push({
          ...shown('P20', about(`all of several gold documents in the first 5, times ${STEMMED}`), beyondStems, ''),
          ...(isAim ? { target: `≥ ${LIFT_OF_ALL.toFixed(2)}`, met: beyondStems >= LIFT_OF_ALL } : {}),
        })
      }
    }
    // Context of their section should help passages of long documents.
    if (alias === 'contextual-rag' && scores.has('hybrid-rag')) figures.push(beyond('hybrid-rag', 'recall'))
    // The reranker gains or loses this.
    if (alias === FUSED && scores.has('hybrid-rag')) figures.push(beyond('hybrid-rag', 'recall'))
    if (alias === FUSED && LEGS.every((leg) => scores.has(leg))) {
      const better = LEGS.reduce((best, leg) => (mean(leg, 'recall') > mean(best, 'recall') ? leg : best))
      figures.push(beyond(better, 'recall', -FUSION_LOSS))
    }
    return figures
  })
}

const PAIRED_METRICS = {
  recall: 'gold documents in the first 5',
  all: 'all gold documents in the first 5',
} as const
type PairedMetric = keyof typeof PAIRED_METRICS

/** Mean difference between two approaches on the same questions: the first minus the second. */
function pairedGain(
  questions: readonly RetrievalQuestion[],
  scores: ScoresByAlias,
  approaches: readonly [string, string],
  metric: PairedMetric,
): { value: number; low: number | undefined; high: number | undefined } {
  const table = {
    metric,
    questions: questions.map(({ id }) => ({ id, cluster: id })),
    approaches: [...approaches],
    scores: Float64Array.from(
      questions.flatMap(({ id }) => approaches.map((approach) => scores.get(approach)!.get(id)![metric])),
    ),
    range: [0, 1] as const,
  }
  const { difference } = comparePairs(table, { seed: 'retrieval' }).pairs[0]!
  return { value: difference.value!, low: difference.interval?.low, high: difference.interval?.high }
}
