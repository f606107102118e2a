import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { chunkText } from '../../core/chunking/chunk-text.ts'
import { PLAIN_TEXT_EXTENSIONS } from '../../core/document-formats.ts'
import { KEYWORD_BASELINE_PARAMETERS } from '../../contract/approaches.ts'
import type { MeasuredLevel } from '../../contract/evidence/measured-level.ts'
import type { IngestionProfile } from '../../contract/manifests/consumer.ts'
import type { Question } from '../../contract/manifests/queries.ts'
import { filesBelow } from '../lib/files/files-below.ts'
import { rounded, roundedDeep } from '../lib/text/numbers.ts'
import type { LadderDataset } from '../manifests/experiment.ts'
import { clusterable, clusterQuestions } from '../statistics/clusters.ts'
import { estimateStatistic } from '../statistics/estimate.ts'
import { KeywordSearch } from './keyword-search.ts'
import { recallIn } from './retrieval-scores.ts'

// The declared level of a dataset is its author's opinion. Measured is how much less of the gold facts keyword search finds with each further passage
// that an answer combines: a dataset on which it finds as much has relations that words already lead to (decision 196).

/** More is not read for a figure beside others: about 30,000 documents of a page. */
const MOST_BYTES = 64 * 1024 * 1024
const MOST_KEPT = 32
const kept = new Map<string, MeasuredLevel>()

const undefinedFor = (reason: NonNullable<MeasuredLevel['reason']>): MeasuredLevel => ({
  questions: 0,
  recall: null,
  by_hops: [],
  slope: null,
  reason,
})

/** Measures a dataset from its documents and questions; the same content is measured once in a process. */
export async function measuredLevel(
  root: string,
  { dataset, profile, questions }: Pick<LadderDataset, 'dataset' | 'profile' | 'questions'>,
): Promise<MeasuredLevel> {
  const documents = await textsOf(join(root, dataset.corpus_path))
  if (typeof documents === 'string') return undefinedFor(documents)
  const hash = createHash('sha256').update(JSON.stringify([profile.chunker, questions]))
  for (const { path, text } of documents) hash.update(JSON.stringify([path, text]))
  const key = hash.digest('hex')
  const known = kept.get(key) ?? (await measure(documents, profile.chunker, questions))
  kept.delete(key)
  kept.set(key, known)
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break
    kept.delete(oldest)
  }
  return known
}

interface DocumentText {
  path: string
  text: string
}

/** The documents of a corpus in the order of their ingestion, or why they cannot be measured: what a service reads first has no text yet. */
async function textsOf(folder: string): Promise<DocumentText[] | 'no_documents' | 'not_text' | 'too_large'> {
  const files = await filesBelow(folder).catch((): string[] => [])
  const paths = files.filter((path) => !path.split('/').some((part) => part.startsWith('.')))
  if (paths.length === 0) return 'no_documents'
  if (paths.some((path) => !PLAIN_TEXT_EXTENSIONS.includes(extname(path).toLowerCase()))) return 'not_text'
  let bytes = 0
  for (const path of paths) bytes += (await stat(join(folder, path))).size
  if (bytes > MOST_BYTES) return 'too_large'
  const documents: DocumentText[] = []
  for (const path of paths) documents.push({ path, text: new TextDecoder().decode(await readFile(join(folder, path))) })
  return documents
}

async function measure(
  documents: readonly DocumentText[],
  { strategy, chunk_size, overlap }: IngestionProfile['chunker'],
  questions: readonly Question[],
): Promise<MeasuredLevel> {
  const withGold = questions.filter(({ answerable, gold }) => answerable && gold.length > 0)
  if (withGold.length === 0) return undefinedFor('no_gold')
  const scored = withGold.filter(({ hops }) => hops !== null)
  if (scored.length === 0) return undefinedFor('no_hops')
  const search = new KeywordSearch()
  try {
    for (const { path, text } of documents) {
      // Where the subject changes is a model's opinion; the sizes are the same without it.
      const chunks = chunkText({
        text,
        chunk_size,
        overlap,
        strategy: strategy === 'semantic' ? 'recursive' : strategy,
      })
      search.add(chunks.map(({ content }) => ({ document: path, text: content })))
      await nextTurn()
    }
    const recalls: number[] = []
    for (const question of scored) {
      recalls.push(recallOf(question, search))
      await nextTurn()
    }
    return levelOf(scored, recalls)
  } finally {
    search.close()
  }
}

function recallOf({ query, gold }: Question, search: KeywordSearch): number {
  const found = search.best(query, KEYWORD_BASELINE_PARAMETERS.top_n)
  return recallIn(
    found.map(({ document, text }) => ({ source: { title: document, document, snippet: '', score: null }, text })),
    gold,
  )
}

/** The slope of recall over hops and what it rests on, from one recall per question. */
export function levelOf(questions: readonly Question[], recalls: readonly number[]): MeasuredLevel {
  const groups = [...Map.groupBy(questions.keys(), (at) => questions[at]!.hops!)].sort(([one], [other]) => one - other)
  const meanOf = (indexes: readonly number[]): number =>
    rounded(indexes.reduce((sum, at) => sum + recalls[at]!, 0) / indexes.length)
  const head = {
    questions: questions.length,
    recall: meanOf([...recalls.keys()]),
    by_hops: groups.map(([hops, indexes]) => ({ hops, questions: indexes.length, recall: meanOf(indexes) })),
  }
  if (groups.length < 2) return { ...head, slope: null, reason: 'one_hop' }
  const { clusters, cutPerKept } = clusterQuestions(questions.map(clusterable))
  const names = [...new Set(clusters)]
  const columns = Array.from({ length: 5 }, () => new Float64Array(names.length))
  for (const [at, name] of clusters.entries()) {
    const [hops, recall, place] = [questions[at]!.hops!, recalls[at]!, names.indexOf(name)]
    for (const [column, value] of [1, hops, recall, hops * recall, hops * hops].entries())
      columns[column]![place]! += value
  }
  const slope = estimateStatistic(
    {
      columns,
      weights: columns[0]!,
      method: 'student',
      n: questions.length,
      cut: { perKept: cutPerKept, variance: influenceVariance(questions, recalls) },
      of: slopeOf,
    },
    'measured level',
    { seed: 'measured level' },
  )
  const reason =
    slope.interval !== null ? null : slope.no_interval === 'no_variation' ? 'no_variation' : 'too_few_questions'
  return { ...head, slope: roundedDeep(slope), reason }
}

/** Least squares from the sums of 1, hops, recall, hops · recall and hops²; NaN where all questions have as many hops. */
function slopeOf(sums: Float64Array): number {
  const [n, x, y, xy, xx] = sums as unknown as [number, number, number, number, number]
  const spread = n * xx - x * x
  return spread <= 1e-9 ? NaN : (n * xy - x * y) / spread
}

/** Variance of what single questions add to the slope, as if they were independent: what links between clusters add to its error is measured by it. */
function influenceVariance(questions: readonly Question[], recalls: readonly number[]): number {
  const n = questions.length
  const x = questions.map(({ hops }) => hops!)
  const [meanX, meanY] = [x, recalls].map((values) => values.reduce((sum, value) => sum + value, 0) / n) as [
    number,
    number,
  ]
  const spread = x.reduce((sum, value) => sum + (value - meanX) ** 2, 0)
  const slope = x.reduce((sum, value, at) => sum + (value - meanX) * (recalls[at]! - meanY), 0) / spread
  const squares = x.reduce(
    (sum, value, at) => sum + ((n * (value - meanX) * (recalls[at]! - meanY - slope * (value - meanX))) / spread) ** 2,
    0,
  )
  return squares / (n - 1)
}
