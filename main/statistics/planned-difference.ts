import type { PlannedDifference } from '../../contract/control/run-job.ts'
import type { Question } from '../../contract/index.ts'
import { clusterQuestions } from './clusters.ts'
import { studentQuantile } from './distributions.ts'
import { MIN_CLUSTERS } from './estimate.ts'
import { degreesOfFreedom } from './interval.ts'
import { POWER } from './pair-decision.ts'

/** How much a question's difference between two approaches scatters: the median pair of our rungs has .27 to .33 on facts found, .27 to .38 on points covered. */
const USUAL_SCATTER = 0.35

const LEVEL = 0.95

/**
 * About the smallest true difference of shares that a pair of approaches shows as decided with 80 % power, before anything ran: as
 * `smallestDetectable`, with the usual scatter. Answerable questions count; those that share gold documents cost degrees of freedom and nothing
 * else, because on our rungs the cluster-robust error of the median pair is .87 to 1.07 of the error of independent questions (decision 155).
 * `pairs` are compared at the same time, at Holm's strictest step. Null for fewer groups than an interval needs.
 */
export function plannedDifference(questions: readonly Question[], pairs = 1): number | null {
  const answerable = questions.filter((question) => question.answerable)
  const { summary } = clusterQuestions(
    answerable.map(({ id, gold }) => ({ id, documents: gold.map(({ document }) => document) })),
  )
  if (summary.clusters < MIN_CLUSTERS) return null
  const df = degreesOfFreedom(summary.effective ?? summary.clusters)
  const alpha = (1 - LEVEL) / pairs
  const error = USUAL_SCATTER / Math.sqrt(answerable.length)
  return (studentQuantile(1 - alpha / 2, df) + studentQuantile(POWER, df)) * error
}

/** What a dataset's questions decide between so many approaches: about one pair alone, and about each of all pairs. */
export function plannedDifferences(questions: readonly Question[], approaches: number): PlannedDifference {
  const pairs = (approaches * (approaches - 1)) / 2
  if (pairs === 0) return { pairs, alone: null, among: null }
  return { pairs, alone: plannedDifference(questions), among: plannedDifference(questions, pairs) }
}
