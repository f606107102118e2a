// A gate decides whether a change may pass: for each approach of each dataset, is the new run not worse than the baseline by more than a margin? In: the scores
// of both runs by question (question-scores.ts). Out: a check for each approach, with its sentence. A gate fails closed: what could not be shown does not pass.
// junit.ts and gate-markdown.ts write the result for a build server.
import type { ScoreMetric } from '../aggregate/metric-outcome.ts'
import { plural } from '../../../contract/words.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { clusterable, clusterQuestions } from '../../statistics/clusters.ts'
import { comparePairs } from '../../statistics/compare-pairs.ts'
import { MIN_CLUSTERS } from '../../statistics/estimate.ts'
import type { QuestionScores } from '../question-scores.ts'
import { signedWords, valueWords } from '../words.ts'

export interface GateRules {
  metric: ScoreMetric
  /** Largest fall of the mean that passes, in the unit of the metric; above 0. */
  margin: number
  /** Least mean of the new run that passes; null for none. */
  failBelow: number | null
  /** Lets pass what is open or has too few questions; never what is worse. */
  allowOpen: boolean
}

/**
 * not_worse: the fall is smaller than the margin. worse: it is larger. open: the questions show neither. too_few: they fall into fewer than 8 groups. unscored: the
 * new run lacks scores that the baseline has. no_baseline: there is nothing to compare with.
 */
export type GateState = 'not_worse' | 'worse' | 'open' | 'too_few' | 'unscored' | 'no_baseline'

/** One approach of one dataset. */
export interface GateCheck {
  dataset: string
  model: string
  state: GateState
  passed: boolean
  /** Questions that both runs have a score for. */
  questions: number
  /** Means over them; null without any. */
  before: number | null
  after: number | null
  /** Ends of the 90 % interval of after − before: the lower one is the one-sided 95 % limit that is compared with the margin. */
  low: number | null
  high: number | null
  sentence: string
}

export interface DatasetOfGate {
  dataset: string
  after: QuestionScores
  /** Null where the baseline does not have the dataset. */
  before: QuestionScores | null
}

/**
 * Tests each approach for non-inferiority (Piaggio et al. 2012, JAMA 308:2594-2604): one-sided at 5 %, paired by question, over clusters. All of them must
 * pass, so that no correction for their number is due (Berger 1982, Technometrics 24:295-300). `models` are those that must be there; all of the baseline and of the
 * new run where it is null.
 */
export const gateChecks = (
  datasets: readonly DatasetOfGate[],
  rules: GateRules,
  models: readonly string[] | null = null,
): GateCheck[] =>
  datasets.flatMap(({ dataset, after, before }) =>
    (models ?? [...new Set([...(before?.models ?? []), ...after.models])].sort()).map((model) =>
      checkOf({ dataset, model, after, before }, rules),
    ),
  )

const SEED = 'gate'

function checkOf(
  { dataset, model, after, before }: DatasetOfGate & { model: string },
  { metric, margin, failBelow, allowOpen }: GateRules,
): GateCheck {
  const nothing = { questions: 0, before: null, after: null, low: null, high: null }
  const untested = (state: GateState, sentence: string): GateCheck => ({
    dataset,
    model,
    state,
    passed: false,
    ...nothing,
    sentence,
  })
  if (before === null || !before.models.has(model))
    return untested(
      'no_baseline',
      before === null ? 'the baseline does not have this dataset' : 'the baseline does not have this approach',
    )
  if (!after.models.has(model)) return untested('unscored', 'the new run does not have this approach')
  const scored = [...before.questions.values()].filter(({ id }) => !Number.isNaN(before.score(metric, model, id)))
  if (scored.length === 0) return untested('no_baseline', `the baseline has no score of ${metricOfId(metric).label}`)
  const same = scored.filter((question) => isSame(question, after.questions.get(question.id)))
  const shared = same.filter(({ id }) => !Number.isNaN(after.score(metric, model, id)))
  const changed = scored.length - same.length
  const left = changed === 0 ? '' : `; ${plural(changed, 'question')} of the baseline changed or went and did not count`
  if (shared.length === 0) return untested('unscored', `no question of the baseline has a score in the new run${left}`)

  const { clusters, cutPerKept, summary } = clusterQuestions(shared.map(clusterable))
  const { better, range } = metricOfId(metric)
  const scale = range[1]! - range[0]
  const { approaches, pairs } = comparePairs(
    {
      metric,
      questions: shared.map(({ id }, index) => ({ id, cluster: clusters[index]! })),
      cutPerKept,
      approaches: ['after', 'before'],
      scores: Float64Array.from(shared.flatMap(({ id }) => [after, before].map((run) => run.score(metric, model, id)))),
      range: [range[0], range[1]!],
      lowerIsBetter: better === 'lower',
    },
    { seed: SEED, equivalenceMargin: margin / scale },
  )
  const [now, then] = approaches.map(({ mean }) => mean.value!) as [number, number]
  const limits = pairs[0]!.equivalence ?? null
  const check = {
    dataset,
    model,
    questions: shared.length,
    before: then,
    after: now,
    low: limits?.low ?? null,
    high: limits?.high ?? null,
  }
  const means = `${valueWords(metric, now)} against ${valueWords(metric, then)} on ${plural(shared.length, 'question')}`
  const made = (state: GateState, why: string, passed = false): GateCheck => ({
    ...check,
    state,
    passed,
    sentence: `${means}: ${why}${left}`,
  })

  const unscored = same.length - shared.length
  if (unscored > 0)
    return made(
      'unscored',
      `${plural(unscored, 'question')} that the baseline has a score for ${unscored === 1 ? 'has' : 'have'} none in the new run`,
    )
  if (failBelow !== null && now < failBelow)
    return made('worse', `below ${valueWords(metric, failBelow)}, the least that passes`)
  if (limits === null)
    return made(
      'too_few',
      `${plural(summary.clusters, 'independent group')} of questions, a test needs ${MIN_CLUSTERS}`,
      allowOpen,
    )
  // Of the sign with which up is better.
  const [least, most] = better === 'lower' ? [-limits.high, -limits.low] : [limits.low, limits.high]
  const interval = `change ${signedWords(metric, now - then)} [${signedWords(metric, limits.low)}, ${signedWords(metric, limits.high)}]`
  if (least > -margin) return made('not_worse', `${interval}, within the margin of ${valueWords(metric, margin)}`, true)
  if (most < -margin) return made('worse', `${interval}, beyond the margin of ${valueWords(metric, margin)}`)
  return made(
    'open',
    `${interval} reaches beyond the margin of ${valueWords(metric, margin)}: more questions or a wider margin decide it`,
    allowOpen,
  )
}

/** A question whose text, reference or gold evidence changed is another question. */
const isSame = (one: QuestionOf, other: QuestionOf | undefined): boolean =>
  other !== undefined &&
  one.query === other.query &&
  one.ground_truth === other.ground_truth &&
  JSON.stringify(one.gold) === JSON.stringify(other.gold)

type QuestionOf = QuestionScores['questions'] extends ReadonlyMap<string, infer Question> ? Question : never

export const STATE_NAMES: Readonly<Record<GateState, string>> = {
  not_worse: 'not worse',
  worse: 'worse',
  open: 'open',
  too_few: 'too few questions',
  unscored: 'not scored',
  no_baseline: 'no baseline',
}

export const hasPassed = (checks: readonly GateCheck[]): boolean =>
  checks.length > 0 && checks.every(({ passed }) => passed)

/** `The gate failed: 2 of 8 checks (1 worse, 1 open)`. */
export function gateHeadline(checks: readonly GateCheck[]): string {
  if (checks.length === 0) return 'The gate failed: there is nothing to check'
  const failed = checks.filter(({ passed }) => !passed)
  if (failed.length === 0) return `The gate passed: ${plural(checks.length, 'check')}`
  const counts = [...Map.groupBy(failed, ({ state }) => state)].map(
    ([state, of]) => `${of.length} ${STATE_NAMES[state]}`,
  )
  return `The gate failed: ${failed.length} of ${plural(checks.length, 'check')} (${counts.join(', ')})`
}
