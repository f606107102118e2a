import { approachLabel } from '../../../contract/approaches.ts'
import { PARAPHRASED } from '../../../contract/manifests/datasets.ts'
import { factsFound } from '../../../contract/metrics/facts-found.ts'
import { pointsCovered } from '../../../contract/metrics/points-covered.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { ConfidenceInterval } from '../../../contract/evidence/statistics.ts'
import { clusterable, clusterQuestions } from '../../statistics/clusters.ts'
import { comparePairs } from '../../statistics/compare-pairs.ts'
import { readQuestionScores } from '../question-scores.ts'
import { intervalWords, nameWords, signedWords, valueWords } from '../words.ts'

const METRICS = [factsFound.id, pointsCovered.id] as const

/** An approach on the questions that were asked both ways. */
export interface ParaphraseDifference {
  /** Dataset of the originals. */
  dataset: string
  metric: (typeof METRICS)[number]
  model: string
  questions: number
  original: number
  paraphrased: number
  /** Mean of original − paraphrased. */
  difference: number
  interval: ConfidenceInterval | null
}

/** True for a dataset that asks the questions of another in other words; its figures are shown as differences only. */
export const isParaphrased = ({ dataset }: Pick<Aggregate, 'dataset'>): boolean => dataset.id.endsWith(PARAPHRASED)

/** Returns what the wording of questions changes for each approach: original minus paraphrased, paired by question, with a 95 % interval over clusters. */
async function paraphraseDifferences(
  dataset: string,
  originalEvidence: string,
  paraphrasedEvidence: string,
): Promise<ParaphraseDifference[]> {
  const original = await readQuestionScores(originalEvidence, METRICS)
  const paraphrased = await readQuestionScores(paraphrasedEvidence, METRICS)
  return METRICS.flatMap((metric) =>
    [...paraphrased.models].sort().flatMap((model): ParaphraseDifference[] => {
      const both = [...paraphrased.questions.values()].filter(({ id }) =>
        [original, paraphrased].every((scores) => !Number.isNaN(scores.score(metric, model, id))),
      )
      if (both.length === 0) return []
      const { clusters, cutPerKept } = clusterQuestions(both.map(clusterable))
      const { approaches, pairs } = comparePairs(
        {
          metric,
          questions: both.map(({ id }, index) => ({ id, cluster: clusters[index]! })),
          cutPerKept,
          approaches: ['original', 'paraphrased'],
          scores: Float64Array.from(
            both.flatMap(({ id }) => [original, paraphrased].map((scores) => scores.score(metric, model, id))),
          ),
          range: [0, 1],
        },
        { seed: 'paraphrases' },
      )
      const [one, other] = approaches.map(({ mean: { value } }) => value ?? 0)
      const { value, interval } = pairs[0]!.difference
      return [
        {
          dataset,
          metric,
          model,
          questions: both.length,
          original: one!,
          paraphrased: other!,
          difference: value!,
          interval,
        },
      ]
    }),
  )
}

/** The differences of every paraphrased dataset among the dataset runs of a run. */
export async function differencesOf(
  runs: readonly { datasetId: string; files: { evidence: string } }[],
): Promise<ParaphraseDifference[]> {
  const differences: ParaphraseDifference[] = []
  for (const paraphrased of runs) {
    const original = runs.find(({ datasetId }) => `${datasetId}${PARAPHRASED}` === paraphrased.datasetId)
    if (original !== undefined)
      differences.push(
        ...(await paraphraseDifferences(original.datasetId, original.files.evidence, paraphrased.files.evidence)),
      )
  }
  return differences
}

/** Heads of the table of differences. */
export const PARAPHRASE_HEADS = ['approach', 'questions', 'original', 'paraphrased', 'original − paraphrased']
export const PARAPHRASE_NOTE =
  'The same questions in other words, with the same answers and gold facts: mean difference by question, with its 95 % interval of this approach alone. A difference away from 0 shows that an approach, or a rule in it, depends on the wording.'

export const paraphraseTables = (differences: readonly ParaphraseDifference[]): { title: string; rows: string[][] }[] =>
  [...Map.groupBy(differences, ({ dataset, metric }) => `${dataset}: ${nameWords(metric)}`)].map(([title, rows]) => ({
    title,
    rows: rows.map(({ model, metric, questions, original, paraphrased, difference, interval }) => [
      approachLabel(model),
      String(questions),
      valueWords(metric, original),
      valueWords(metric, paraphrased),
      `${signedWords(metric, difference)} ${intervalWords(metric, interval)}`.trim(),
    ]),
  }))

/** The tables as text of a terminal; nothing for none. */
export function paraphraseText(differences: readonly ParaphraseDifference[]): string {
  return paraphraseTables(differences)
    .map(({ title, rows }) => {
      const lines = [PARAPHRASE_HEADS, ...rows]
      const widths = PARAPHRASE_HEADS.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
      const padded = lines.map(
        (line) =>
          `  ${line
            .map((cell, column) => cell.padEnd(widths[column]!))
            .join('  ')
            .trimEnd()}`,
      )
      return ['', `asked in other words, ${title}`, ...padded, ''].join('\n')
    })
    .join('')
}
