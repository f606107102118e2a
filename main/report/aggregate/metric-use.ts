import type { EvaluationMetric } from '../../../contract/common.ts'
import type { Aggregate, ComparedMetric } from '../../../contract/evidence/aggregate.ts'
import { isRuleBased } from '../../../contract/manifests/model-backends.ts'
import { artifactNameOf, metricNamed, metricOfId, PRIMARY_METRICS } from '../../../contract/metrics/metrics.ts'
import {
  isRuleJudge,
  isValidated,
  SHOWN_NOT_VALIDATED,
  unvalidatedJudges,
  VALIDATED_GRADES,
  type ValidatedGrade,
} from '../../../contract/validated-grades.ts'
import { holmAdjusted } from '../../statistics/pair-decision.ts'
import { comparedMetric, type ComparedName } from './aggregate-access.ts'
import { capital } from '../../../contract/words.ts'
import { nameWords } from '../words.ts'

/** Metrics that can be primary, in the order in which they become it (decision 005). */
const PRIMARY: readonly ComparedName[] = PRIMARY_METRICS.map((id) => artifactNameOf(metricOfId(id)))

/** The metric that a run declared before its first cell to decide about it; undefined where it declared none. */
const declaredPrimary = (aggregates: readonly Aggregate[]): ComparedName | undefined =>
  aggregates
    .map(({ reproducibility }) => reproducibility?.runtime.primary_metric)
    .flatMap((id) => PRIMARY_METRICS.filter((each) => each === id))
    .map((id) => artifactNameOf(metricOfId(id)))[0]

/**
 * The metric that decides about a run: the declared one, else the first that the run has. Every other one is exploratory. Null where the run
 * has no score of it, or of any.
 */
export function primaryMetric(aggregates: readonly Aggregate[]): ComparedName | null {
  const declared = declaredPrimary(aggregates)
  const possible = declared === undefined ? PRIMARY : [declared]
  const isThere = (name: ComparedName): boolean =>
    aggregates.some((aggregate) => comparedMetric(aggregate, name) !== null)
  return possible.find((name) => isThere(name) && judgesReason(aggregates, name) === null) ?? null
}

/** Why a run has no primary metric. */
export function noPrimaryReason(aggregates: readonly Aggregate[]): string {
  if (aggregates.every(({ approaches }) => approaches.every(({ cells }) => cells.ok === 0)))
    return 'no question was answered, so nothing has a score'
  const declared = declaredPrimary(aggregates)
  return declared === undefined
    ? 'no question has gold evidence or answer keys, so no metric can decide (add gold or answer_keys to questions)'
    : `the declared primary metric, ${nameWords(declared)}, ${judgesReason(aggregates, declared) ?? 'has no score'}`
}

/** Name of the evaluator by rules, in the manifest of models. */
const BUILTIN_EVALUATOR = 'rule-critic'

/** Returns true when a metric was graded by built-in rules, which do not follow people's grades, in any of the runs. */
export function isRuleGraded(aggregates: readonly Aggregate[], name: ComparedName): boolean {
  if (metricNamed(name)?.ranking !== 'when_validated') return false
  return aggregates.some(
    ({ reproducibility, metrics, approaches }) =>
      metrics.includes(name as EvaluationMetric) &&
      (isRuleBased(reproducibility?.runtime.models?.roles['evaluator']?.backend ?? '') ||
        // `matrix` does not ask the gateway for its models: the answers of the evaluator name them.
        approaches.some(({ evaluation }) => evaluation.evaluator_models.includes(BUILTIN_EVALUATOR))),
  )
}

/** Evaluator models of a graded metric for which no agreement with people's grades is recorded, in any of the runs; empty for other metrics. */
export function unvalidatedGraders(
  aggregates: readonly Aggregate[],
  name: ComparedName,
  grades: readonly ValidatedGrade[] = VALIDATED_GRADES,
): string[] {
  if (metricNamed(name)?.ranking !== 'when_validated') return []
  const graders = aggregates
    .filter(({ metrics }) => metrics.includes(name as EvaluationMetric))
    .flatMap(({ approaches }) => approaches.flatMap(({ evaluation }) => evaluation.evaluator_models))
  return [...new Set(graders)].filter((model) => !isValidated(name, model, grades))
}

/** Says after the name of a graded metric why grades of these models decide nothing; null where each is validated, and for other metrics. */
export function gradesReason(
  name: ComparedName,
  graders: readonly string[],
  grades: readonly ValidatedGrade[] = VALIDATED_GRADES,
): string | null {
  if (metricNamed(name)?.ranking !== 'when_validated') return null
  if (graders.includes(BUILTIN_EVALUATOR)) return "was graded by built-in rules, which do not follow people's grades"
  const open = graders.filter((model) => !isValidated(name, model, grades))
  return open.length === 0
    ? null
    : `was graded by ${open.join(', ')}, whose agreement with people's grades is not measured`
}

/** Returns true when built-in rules are among the judges of any of the runs. */
export const hasRuleJudges = (aggregates: readonly Aggregate[]): boolean =>
  aggregates.some(({ judge_panel: panel }) => 'judges' in panel && panel.judges.some(isRuleJudge))

/** Says of a metric that is the mean of judges why it decides nothing; null where each judge is validated, and for other metrics. */
const judgesReason = (aggregates: readonly Aggregate[], name: ComparedName): string | null =>
  metricNamed(name)?.class !== 'judge_panel'
    ? null
    : unvalidatedJudges([
        ...new Set(aggregates.flatMap(({ judge_panel: panel }) => ('judges' in panel ? panel.judges : []))),
      ])

/** Returns true when a metric of short answers was computed on answers that built-in rules wrote: they quote sentences, which are not short answers. */
function isRuleAnswered(aggregates: readonly Aggregate[], name: ComparedName): boolean {
  if (metricNamed(name)?.ranking !== 'unless_answered_by_rules') return false
  return aggregates.some(({ reproducibility }) =>
    isRuleBased(reproducibility?.runtime.models?.roles['light_gen']?.backend ?? ''),
  )
}

/** Holds what retrieval metrics look into where an approach answers without contexts. */
export const REPORTED_PASSAGES = 'passages reported as used'

/** Mean number of contexts per answer, or of passages reported as used, of each approach that has retrieval scores. */
export function contextsOf({ approaches }: Aggregate): { model: string; mean: number; isReported: boolean }[] {
  return approaches.flatMap((approach) => {
    const { mean } = approach.operational.chunks
    const isScored = Object.values(approach.retrieval).some(({ scored }) => scored > 0)
    const isReported = approach.evidence_capability === 'answer_only'
    return mean === null || !isScored ? [] : [{ model: approach.model, mean, isReported }]
  })
}

/** Shorter lists of contexts cannot reach the value of a metric that looks at `depth` of them. */
function differInDepth(aggregate: Aggregate, depth: number): boolean {
  const deep = contextsOf(aggregate).map(({ mean }) => mean > depth / 2 + 0.5)
  return deep.includes(true) && deep.includes(false)
}

/** Why a metric ranks no approach; null where it does. */
export function unrankedReason(aggregates: readonly Aggregate[], name: ComparedName): string | null {
  if (isRuleGraded(aggregates, name))
    return `${nameWords(name)} was graded by built-in rules, which do not follow people's grades: it describes the pipeline and ranks no approach`
  const grades = gradesReason(name, unvalidatedGraders(aggregates, name))
  if (grades !== null) return `${nameWords(name)} ${grades}: it is shown and ranks no approach`
  const judges = judgesReason(aggregates, name)
  if (judges !== null) return `${nameWords(name)} ${judges}: ${SHOWN_NOT_VALIDATED}`
  if (isRuleAnswered(aggregates, name))
    return `${nameWords(name)} needs answers of a language model: those of built-in rules quote sentences, so it ranks no approach`
  return depthReason(aggregates, [name])
}

/** Why metrics that look at a number of contexts rank no approach; null where they do. */
export function depthReason(aggregates: readonly Aggregate[], names: readonly ComparedName[]): string | null {
  const unfit = names.flatMap((name) => {
    const metric = metricNamed(name)
    if (metric === undefined || typeof metric.ranking !== 'object') return []
    const { contexts, instead } = metric.ranking
    return aggregates.some((aggregate) => differInDepth(aggregate, contexts)) ? [{ label: metric.label, instead }] : []
  })
  if (unfit.length === 0) return null
  const labels = unfit.map(({ label }) => label).join(' and ')
  return `the approaches return different numbers of contexts, so ${labels} ${unfit.length === 1 ? 'does' : 'do'} not compare them: ${unfit[0]!.instead} does`
}

/** Once where metrics are compared: what their marks mean. */
export function useLegend(aggregates: readonly Aggregate[]): string {
  const primary = primaryMetric(aggregates)
  const rest =
    'exploratory: their pairs are corrected within one metric and level only, and among so many some pair is decided by chance. Take such a decision as a reason for another run.'
  return primary === null
    ? `No metric is primary: ${noPrimaryReason(aggregates)}. All are ${rest}`
    : `The primary metric is ${nameWords(primary)}: its decisions are results. All others are ${rest}`
}

/** Returns what a decision on a metric is worth, in a few words. */
export function useWords(aggregates: readonly Aggregate[], name: ComparedName): string {
  const reason = unrankedReason(aggregates, name)
  if (reason !== null) return `${capital(reason)}.`
  return name === primaryMetric(aggregates) ? 'Primary metric.' : 'Exploratory.'
}

/** Approaches that failed cells: their latencies are of the others only. */
export const censoredIn = ({ approaches }: Aggregate): { model: string; failed: number; expected: number }[] =>
  approaches.flatMap(({ model, cells }) => {
    const failed = cells.error + cells.timeout
    return failed === 0 ? [] : [{ model, failed, expected: cells.expected }]
  })

/** Decided pairs of a metric, the primary one unless named, with all rungs as one family; a pair must be decided on its own rung too. */
export function ladderDecisions(
  aggregates: readonly Aggregate[],
  name: ComparedName | null = primaryMetric(aggregates),
): { aggregate: Aggregate; a: string; b: string; decision: 'better' | 'worse'; p: number }[] {
  if (name === null) return []
  const pairs = aggregates.flatMap((aggregate) =>
    pairsOf(comparedMetric(aggregate, name)).map((pair) => ({ aggregate, ...pair })),
  )
  const adjusted = holmAdjusted(pairs.map(({ p }) => p))
  return pairs.flatMap(({ aggregate, a, b, decision, level }, index) => {
    const p = adjusted[index]!
    return decision === 'undecided' || p > 1 - level ? [] : [{ aggregate, a, b, decision, p }]
  })
}

/** Pairs of the primary metric that are equivalent with all datasets as one family; a pair must be so on its own dataset too. */
export function ladderEquivalences(aggregates: readonly Aggregate[]): { aggregate: Aggregate; a: string; b: string }[] {
  const name = primaryMetric(aggregates)
  if (name === null) return []
  const pairs = aggregates.flatMap((aggregate) => {
    const compared = comparedMetric(aggregate, name)
    return (compared?.pairs ?? []).flatMap(({ a, b, equivalence }) =>
      equivalence === null || equivalence === undefined
        ? []
        : [{ aggregate, a, b, equivalence, level: compared!.settings.level }],
    )
  })
  const adjusted = holmAdjusted(pairs.map(({ equivalence }) => equivalence.p))
  return pairs.filter(({ equivalence, level }, at) => equivalence.equivalent && adjusted[at]! <= 1 - level)
}

/**
 * The pairs that are tested. Questions in too few groups have no interval, so that no answer could decide a pair: it is not a test, and does not
 * make those of other rungs stricter (Tarone 1990, Biometrics 46:515-522). The groups are known before the first answer.
 */
const pairsOf = (compared: ComparedMetric | null) =>
  (compared?.pairs ?? []).flatMap(({ a, b, p, decision, difference }) =>
    p === null || difference.no_interval === 'too_few_clusters'
      ? []
      : [{ a, b, p, decision, level: compared!.settings.level }],
  )

/** Returns what is decided on the primary metric over the whole ladder, as a sentence; empty without a primary metric or with one rung. */
export function ladderDecisionWords(aggregates: readonly Aggregate[]): string {
  const name = primaryMetric(aggregates)
  if (name === null) return ''
  const counts = aggregates
    .map((aggregate) => pairsOf(comparedMetric(aggregate, name)).length)
    .filter((count) => count > 0)
  if (counts.length < 2) return ''
  const total = counts.reduce((sum, count) => sum + count, 0)
  const decided = ladderDecisions(aggregates)
  const head = `Over all ${counts.length} datasets as one family (Holm over ${total} pairs of ${nameWords(name)})`
  if (decided.length === 0) return `${head}, no pair is decided.`
  const listed = decided.map(
    ({ aggregate, a, b, decision }) => `${a} ${decision} than ${b} (${aggregate.dataset.label})`,
  )
  return `${head}, ${decided.length === 1 ? 'this pair stays decided' : `these ${decided.length} pairs stay decided`}: ${listed.join('; ')}.`
}
