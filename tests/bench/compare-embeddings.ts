/**
 * Prints a Markdown table of two runs that differ in the embedding: recall@5 and facts found of each approach and dataset, the paired difference
 * with its 95 % interval by clusters of questions, and whether zero is outside it. Results are not corrected for the number of rows.
 *
 *     node tests/bench/compare-embeddings.ts RESULTS_FOLDER RUN OTHER_RUN
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clusterQuestions } from '../../main/statistics/clusters.ts'
import { comparePairs } from '../../main/statistics/compare-pairs.ts'
import { scoreTableOf, type ScoreEntry } from '../helpers/score-table.ts'

interface Row {
  status: string
  question: { id: string; gold?: { document: string }[] }
  approach: { model: string }
  metrics: { retrieval?: { scores?: Record<string, number | null> } }
}

const METRICS = { recall_at_5: 'recall@5', facts_found: 'facts found' }
const SUFFIX = '-evidence.jsonl'

const [folder, first, second] = process.argv.slice(2)
if (folder === undefined || first === undefined || second === undefined) {
  console.error('usage: node tests/bench/compare-embeddings.ts RESULTS_FOLDER RUN OTHER_RUN')
  process.exit(2)
}

console.log(`| dataset | approach | metric | questions | ${first} | ${second} | difference | 95 % interval | result |`)
console.log('|---|---|---|---|---|---|---|---|---|')
const files = (await readdir(folder)).filter((file) => file.startsWith(`${first}-`) && file.endsWith(SUFFIX))
for (const file of files.toSorted()) {
  const dataset = file.slice(first.length + 1, -SUFFIX.length)
  const runs = { [first]: await rowsOf(file), [second]: await rowsOf(`${second}-${dataset}${SUFFIX}`) }
  for (const model of new Set(runs[first]!.map(({ approach }) => approach.model))) {
    // Both metrics have the same values where an approach returns five contexts: one line names both.
    const lines = new Map<string, string[]>()
    for (const [metric, name] of Object.entries(METRICS)) {
      const line = lineOf(runs, model, metric)?.join(' | ')
      if (line !== undefined) lines.set(line, [...(lines.get(line) ?? []), name])
    }
    for (const [line, names] of lines) console.log(`| ${dataset} | ${model} | ${names.join(', ')} | ${line} |`)
  }
}

async function rowsOf(file: string): Promise<Row[]> {
  const lines = (await readFile(join(folder!, file), 'utf8')).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Row)
}

/** Cells of the table after the metric; null where the two runs have no question with a score in both. */
function lineOf(runs: Record<string, Row[]>, model: string, metric: string): string[] | null {
  const scored = (rows: Row[]): Map<string, number> =>
    new Map(
      rows.flatMap((row) => {
        const score = row.metrics.retrieval?.scores?.[metric]
        return row.approach.model === model && row.status === 'ok' && typeof score === 'number'
          ? [[row.question.id, score] as const]
          : []
      }),
    )
  const scores = { [first!]: scored(runs[first!]!), [second!]: scored(runs[second!]!) }
  const questions = new Map(runs[first!]!.map(({ question }) => [question.id, question]))
  const shared = [...questions.values()].filter(({ id }) => scores[first!]!.has(id) && scores[second!]!.has(id))
  if (shared.length === 0) return null
  const documents = shared.map(({ id, gold = [] }) => ({
    id,
    documents: [...new Set(gold.map((each) => each.document))],
  }))
  const { clusters } = clusterQuestions(documents)
  const entries: ScoreEntry[] = shared.flatMap(({ id }) =>
    [first!, second!].map((approach) => ({ question: id, approach, score: scores[approach]!.get(id)! })),
  )
  const head = {
    metric,
    questions: shared.map(({ id }, at) => ({ id, cluster: clusters[at]! })),
    approaches: [second!, first!],
    range: [0, 1] as const,
  }
  const comparison = comparePairs(scoreTableOf(head, entries), { seed: 'embeddings' })
  const mean = (run: string): string => comparison.approaches.find((each) => each.model === run)!.mean.value!.toFixed(3)
  const { difference } = comparison.pairs[0]!
  const interval = difference.interval
  const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`
  return [
    String(shared.length),
    mean(first!),
    mean(second!),
    signed(difference.value!),
    interval === null ? 'too few clusters' : `${signed(interval.low)} to ${signed(interval.high)}`,
    interval === null || (interval.low <= 0 && interval.high >= 0) ? 'open' : interval.low > 0 ? 'higher' : 'lower',
  ]
}
