// A gate decides whether a change may pass: for each approach of each dataset, is the new run not worse than the baseline by more than a margin? In: the scores
// of both runs by question (question-scores.ts). Out: a check for each approach, with its sentence. A gate fails closed: what could not be shown does not pass.
// junit.ts and gate-markdown.ts write the result for a build server.
import type { ScoreMetric } from '../aggregate/metric-outcome.ts'
import { countWords, plural } from '../../../contract/words.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { clusterable, clusterQuestions } from '../../statistics/clusters.ts'
import { MIN_CLUSTERS } from '../../statistics/estimate.ts'
import { changeOf } from '../../statistics/non-inferiority.ts'
import type { QuestionScores } from '../question-scores.ts'
import { valueWords } from '../words.ts'

export interface GateRules {
  metric: ScoreMetric
  /** Largest fall of the mean that passes, in the unit of the metric; above 0. */
  margin: number
  /** Worst mean of the new run that passes; null for none. */
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
  /** Ends of the 95 % interval of after − before, which are compared with the margin; null where there is none. */
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
 * Tests each approach for non-inferiority, paired by question, over clusters. `models` are those that must be there; all of the baseline and of the new run where it is
 * null.
 *
 * An approach is not worse when the whole 95 % interval of its change lies above minus the margin, so that its test is one-sided at 2.5 % as guidance for such trials asks (Piaggio et
 * al. 2012, JAMA 308:2594-2604); at 5 % a fall of exactly the margin passed in 4 to 9 % of simulated runs. All approaches must pass, so that passing
 * needs no correction for their number (intersection-union test, Berger 1982, Technometrics 24:295-300). One that is worse is enough to fail, so that these tests are corrected by Holm.
 */
export function gateChecks(
  datasets: readonly DatasetOfGate[],
  rules: GateRules,
  models: readonly string[] | null = null,
): GateCheck[] {
  const measured = datasets.flatMap(({ dataset, after, before }) =>
    (models ?? [...new Set([...(before?.models ?? []), ...after.models])].sort()).map((model) =>
      measure({ dataset, model, after, before }, rules),
    ),
  )
  const worse = worseAfterHolm(measured, rules.margin)
  return measured.map((each) => ('comparison' in each ? checkOf(each, rules, worse) : each))
}

/** Chance that a test is wrong, one-sided. */
const ALPHA = 0.025
const SEED = 'gate'

/** An approach with scores in both runs. */
interface Measured {
  name: Pick<GateCheck, 'dataset' | 'model'>
  questions: number
  before: number
  after: number
  groups: number
  /** Questions that lost their score. */
  unscored: number
  /** States which questions did not count; empty where all did. */
  left: string
  /** Ends of the change, of a test with this chance of an error on each side; null where there are too few groups. `better` has the sign with which up is better. */
  comparison: (alpha: number) => { low: number; high: number; better: { low: number; high: number } } | null
}

function measure(
  { dataset, model, after, before }: DatasetOfGate & { model: string },
  { metric, margin }: GateRules,
): Measured | GateCheck {
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
  const { better, range, label, class: metricClass } = metricOfId(metric)
  if (scored.length === 0) return untested('no_baseline', `the baseline has no score of ${label}`)
  if (metricClass === 'ragas' && after.graders.symmetricDifference(before.graders).size > 0)
    return untested(
      'no_baseline',
      `graded by ${namesOf(after.graders)}, the baseline by ${namesOf(before.graders)}: score both with the same evaluator (rag-ladder evaluate)`,
    )
  const same = scored.filter((question) => isSame(question, after.questions.get(question.id)))
  const shared = same.filter(({ id }) => !Number.isNaN(after.score(metric, model, id)))
  const changed = scored.length - same.length
  const left = changed === 0 ? '' : `; ${plural(changed, 'question')} of the baseline changed or went and did not count`
  if (shared.length === 0) return untested('unscored', `no question of the baseline has a score in the new run${left}`)

  const { clusters, cutPerKept, summary } = clusterQuestions(shared.map(clusterable))
  const [least, greatest] = [range[0], range[1]!]
  const table = {
    metric,
    questions: shared.map(({ id }, index) => ({ id, cluster: clusters[index]! })),
    cutPerKept,
    approaches: ['after', 'before'],
    scores: Float64Array.from(shared.flatMap(({ id }) => [after, before].map((run) => run.score(metric, model, id)))),
    range: [least, greatest] as const,
    lowerIsBetter: better === 'lower',
  }
  const changeAt = (alpha: number) => changeOf(table, { seed: SEED, margin, alpha })
  const { now, before: then } = changeAt(ALPHA)
  return {
    name: { dataset, model },
    questions: shared.length,
    before: then,
    after: now,
    groups: summary.clusters,
    unscored: same.length - shared.length,
    left,
    comparison: (alpha) => {
      const { limits } = changeAt(alpha)
      if (limits === null) return null
      const { low, high } = limits
      return { low, high, better: better === 'lower' ? { low: -high, high: -low } : { low, high } }
    },
  }
}

const namesOf = (graders: ReadonlySet<string>): string => [...graders].sort().join(' and ') || 'no model'

/** Those that are worse by more than the margin, with Holm's correction over all that were tested. */
function worseAfterHolm(all: readonly (Measured | GateCheck)[], margin: number): ReadonlySet<Measured> {
  const worse = new Set<Measured>()
  let open = all.filter((each) => 'comparison' in each)
  for (;;) {
    const alpha = ALPHA / open.length
    const found = open.filter(({ comparison }) => (comparison(alpha)?.better.high ?? 0) < -margin)
    if (found.length === 0) return worse
    for (const each of found) worse.add(each)
    open = open.filter((each) => !worse.has(each))
  }
}

function checkOf(
  measured: Measured,
  { metric, margin, failBelow, allowOpen }: GateRules,
  worse: ReadonlySet<Measured>,
): GateCheck {
  const { name, questions, before, after, groups, unscored, left, comparison } = measured
  const limits = comparison(ALPHA)
  const [low, high] = [limits?.low ?? null, limits?.high ?? null]
  const means = `${valueWords(metric, after)} against ${valueWords(metric, before)} on ${plural(questions, 'question')}`
  const made = (state: GateState, why: string, passed = false): GateCheck => ({
    ...name,
    questions,
    before,
    after,
    low,
    high,
    state,
    passed,
    sentence: `${means}: ${why}${left}`,
  })
  if (unscored > 0)
    return made(
      'unscored',
      `${plural(unscored, 'question')} that the baseline has a score for ${unscored === 1 ? 'has' : 'have'} none in the new run`,
    )
  if (failBelow !== null && (metricOfId(metric).better === 'lower' ? after > failBelow : after < failBelow))
    return made('worse', `worse than ${valueWords(metric, failBelow)}, the worst mean that passes`)
  if (limits === null)
    return made(
      'too_few',
      `${plural(groups, 'independent group')} of questions, a test needs ${MIN_CLUSTERS}`,
      allowOpen,
    )
  const ends = `change ${signedPoints(after - before)} [${signedPoints(limits.low)}, ${signedPoints(limits.high)}] points`
  const of = `the margin of ${points(margin)}`
  if (limits.better.low > -margin) return made('not_worse', `${ends}, within ${of}`, true)
  if (worse.has(measured)) return made('worse', `${ends}, beyond ${of}`)
  const needed = questionsNeeded(measured, limits, margin)
  const next = needed === null ? 'more questions' : `about ${countWords(needed)} questions`
  return made('open', `${ends} reaches beyond ${of}: ${next} or a wider margin can decide it`, allowOpen)
}

const points = (share: number): string => (100 * share).toFixed(1).replace(/\.0$/, '')

function signedPoints(share: number): string {
  const size = (100 * Math.abs(share)).toFixed(1)
  return `${size === '0.0' ? '±' : share < 0 ? '−' : '+'}${size}`
}

/** Questions after which an approach would pass, if change and spread stay as they are; null where it would not, and above 100,000. Two digits count. */
function questionsNeeded(
  { questions, before, after }: Measured,
  { low, better }: { low: number; better: { low: number; high: number } },
  margin: number,
): number | null {
  const change = better.low === low ? after - before : before - after
  const [error, room] = [change - better.low, margin + change]
  if (room <= 0) return null
  const needed = questions * (error / room) ** 2
  if (needed > 100_000) return null
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(needed)) - 1)
  return Math.ceil(needed / digit) * digit
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

/**
 * passed: no approach is worse. failed: at least one is worse, or has lost scores. open: none is, and at least one could not be shown to be not worse.
 */
export type GateOutcome = 'passed' | 'failed' | 'open'

export function gateOutcome(checks: readonly GateCheck[]): GateOutcome {
  const stopped = checks.filter(({ passed }) => !passed)
  if (stopped.some(isFailure)) return 'failed'
  return stopped.length > 0 || checks.length === 0 ? 'open' : 'passed'
}

/** True for what shows a loss; false for what only shows nothing. */
export const isFailure = ({ passed, state }: GateCheck): boolean =>
  !passed && (state === 'worse' || state === 'unscored')

/** `The gate failed: 2 of 8 checks (1 worse, 1 open)`. */
export function gateHeadline(checks: readonly GateCheck[]): string {
  if (checks.length === 0) return 'The gate cannot tell: there is nothing to check'
  const stopped = checks.filter(({ passed }) => !passed)
  const outcome = gateOutcome(checks)
  if (outcome === 'passed') {
    const open = checks.filter(({ state }) => state !== 'not_worse').length
    return `The gate passed: ${plural(checks.length, 'check')}${open === 0 ? '' : `, of which ${open} could not tell and may pass`}`
  }
  const counts = [...Map.groupBy(stopped, ({ state }) => state)].map(
    ([state, of]) => `${of.length} ${STATE_NAMES[state]}`,
  )
  const verb = outcome === 'failed' ? 'failed' : 'cannot tell'
  return `The gate ${verb}: ${stopped.length} of ${plural(checks.length, 'check')} (${counts.join(', ')})`
}
