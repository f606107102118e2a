// Figures that are computed from the rows of a run only where a caller asks for them (contract/asked-figures.ts). In: an evidence file. Out: a value with its interval over
// groups of questions for each approach, or for each pair of them. Nothing is called and nothing is stored.
import type { CanonicalRow, RowQuestion } from '../../../contract/evidence/canonical-row.ts'
import type { Estimate } from '../../../contract/evidence/statistics.ts'
import { factsFound } from '../../../contract/metrics/facts-found.ts'
import { PERSISTENCE, type AskedFigureId } from '../../../contract/asked-figures.ts'
import { handedOver } from '../../evaluation/handed-over.ts'
import { clusterable, clusterQuestions } from '../../statistics/clusters.ts'
import { comparePairs } from '../../statistics/compare-pairs.ts'
import { estimateStatistic } from '../../statistics/estimate.ts'
import { metricOutcome } from '../aggregate/metric-outcome.ts'
import { readEvidenceRows } from '../read-evidence.ts'
import { rankBiasedOverlap } from './rank-overlap.ts'

export interface AskedValue {
  figure: AskedFigureId
  datasetId: string
  runId: string
  model: string
  /** The other approach of a pair; null for a figure of one approach. */
  against: string | null
  estimate: Estimate
}

const SEED = 'asked'

interface Answer {
  question: string
  repeat: number
  /** Documents in the order of their first passage; null where the approach does not report what it read. */
  ranking: string[] | null
  facts: number | null
  tokens: number | null
}

/** The figures of a dataset run, those of single approaches before those of pairs. Throws `ReportError`. */
export async function askedFigures(evidence: string, wanted: readonly AskedFigureId[]): Promise<AskedValue[]> {
  const questions = new Map<string, RowQuestion>()
  const byModel = new Map<string, Answer[]>()
  let head = { datasetId: '', runId: '' }
  for await (const row of readEvidenceRows(evidence)) {
    head = { datasetId: row.dataset.id, runId: row.run_id }
    questions.set(row.question.id, row.question)
    const answers = byModel.get(row.approach.model) ?? []
    byModel.set(row.approach.model, answers)
    if (row.evidence !== null) answers.push(answerOf(row))
  }
  const models = [...byModel.keys()]
  const values: AskedValue[] = []
  if (wanted.includes('facts_per_1000_tokens'))
    for (const model of models) {
      const estimate = factsPerTokens(byModel.get(model)!, questions)
      if (estimate !== null) values.push({ figure: 'facts_per_1000_tokens', ...head, model, against: null, estimate })
    }
  if (wanted.includes('rank_biased_overlap'))
    for (const [at, model] of models.entries())
      for (const against of models.slice(at + 1)) {
        const estimate = overlapOf(byModel.get(model)!, byModel.get(against)!, questions)
        if (estimate !== null) values.push({ figure: 'rank_biased_overlap', ...head, model, against, estimate })
      }
  return values
}

function answerOf(row: CanonicalRow): Answer {
  const { sources, used_passages: used } = row.evidence!
  const outcome = metricOutcome(row, factsFound.id)
  // The source of an answer-only approach names its engine, not a document.
  const passages = row.approach.evidence_capability === 'answer_only' ? used : sources
  return {
    question: row.question.id,
    repeat: row.repeat ?? 1,
    ranking: passages === undefined ? null : [...new Set(passages.map(({ document, title }) => document ?? title))],
    facts: outcome.kind === 'scored' ? outcome.score * row.question.gold.length : null,
    tokens: handedOver(row)?.tokens ?? null,
  }
}

function factsPerTokens(answers: readonly Answer[], questions: ReadonlyMap<string, RowQuestion>): Estimate | null {
  const known = answers.filter(({ facts, tokens }) => facts !== null && tokens !== null)
  const asked = [...new Set(known.map(({ question }) => question))]
  if (asked.length === 0) return null
  const { clusters } = clusterQuestions(asked.map((id) => clusterable(questions.get(id)!)))
  const names = [...new Set(clusters)]
  const column = (): Float64Array => new Float64Array(names.length)
  const [facts, tokens, weights] = [column(), column(), column()]
  const clusterOf = new Map(asked.map((id, at) => [id, names.indexOf(clusters[at]!)]))
  for (const [id, cluster] of clusterOf) {
    weights[cluster]! += 1
    for (const answer of known)
      if (answer.question === id) {
        facts[cluster]! += answer.facts!
        tokens[cluster]! += answer.tokens!
      }
  }
  const of = (sums: Float64Array): number => (sums[1]! === 0 ? Number.NaN : (1000 * sums[0]!) / sums[1]!)
  const statistic = { columns: [facts, tokens], weights, n: asked.length, method: 'student' as const, of }
  return estimateStatistic(statistic, 'facts', { seed: SEED })
}

/** Mean over questions of the mean over the repetitions that both have. */
function overlapOf(
  one: readonly Answer[],
  other: readonly Answer[],
  questions: ReadonlyMap<string, RowQuestion>,
): Estimate | null {
  const keyOf = ({ question, repeat }: Answer): string => `${repeat} ${question}`
  const others = new Map(other.map((answer) => [keyOf(answer), answer]))
  const byQuestion = new Map<string, number[]>()
  for (const answer of one) {
    const match = others.get(keyOf(answer))
    if (match === undefined || answer.ranking === null || match.ranking === null) continue
    const overlap = rankBiasedOverlap(answer.ranking, match.ranking, PERSISTENCE)
    if (Number.isNaN(overlap)) continue
    byQuestion.set(answer.question, [...(byQuestion.get(answer.question) ?? []), overlap])
  }
  const asked = [...byQuestion.keys()]
  if (asked.length === 0) return null
  const { clusters, cutPerKept } = clusterQuestions(asked.map((id) => clusterable(questions.get(id)!)))
  const { approaches } = comparePairs(
    {
      metric: 'rank_biased_overlap',
      questions: asked.map((id, at) => ({ id, cluster: clusters[at]! })),
      cutPerKept,
      approaches: ['overlap'],
      scores: Float64Array.from(asked, (id) => {
        const values = byQuestion.get(id)!
        return values.reduce((sum, value) => sum + value, 0) / values.length
      }),
      range: [0, 1],
    },
    { seed: SEED },
  )
  return approaches[0]!.mean
}
