import type {
  Aggregate,
  ApproachSummary,
  JudgeSection,
  MetricClass,
  MetricSummary,
  OperationalSummary,
} from '../../../contract/evidence/aggregate.ts'
import type { ModelUsage } from '../../../contract/evidence/model-usage.ts'
import { OPERATIONAL_METRICS, type OperationalMetric } from '../../../contract/metrics/metrics.ts'
import { factsFound } from '../../../contract/metrics/facts-found.ts'
import { share } from '../../lib/text/numbers.ts'
import { comparedMetric, meanEstimate, type ComparedName } from '../aggregate/aggregate-access.ts'
import { intervalFields, reasonList, spread, type LongRow } from './long-row.ts'
import { cachedTokens, runUse } from '../tables/run-use.ts'
import { SCORE_CLASSES, type ScoreClass, type ScoreMetric } from '../aggregate/metric-outcome.ts'

type Head = Pick<LongRow, 'dataset_id' | 'run_id' | 'model' | 'base_model' | 'flavor'>

/** An aggregate in the long form: approaches in their order, the metrics of each class in theirs; then every pair, metric by metric. */
export function* aggregateRows(aggregate: Aggregate): Generator<LongRow> {
  const dataset_id = aggregate.dataset.id
  const { run_id } = aggregate
  for (const approach of aggregate.approaches) {
    const { model, base_model, flavor } = approach
    const head = { dataset_id, run_id, model, base_model, flavor }
    const interval = (name: ComparedName) => intervalFields(meanEstimate(comparedMetric(aggregate, name), model))
    yield* operationalRows(head, approach, interval)
    for (const scoreClass of SCORE_CLASSES) yield* scoreRows(head, approach, scoreClass, interval)
    if (approach.all_contexts !== undefined) {
      const { n, recall: mean } = approach.all_contexts
      yield {
        ...head,
        metric_class: 'retrieval',
        metric: 'recall_all_contexts',
        mean,
        n,
        expected: aggregate.questions.length,
      }
    }
    yield* amountRows(head, approach, aggregate.questions.length)
    yield* judgeRows(head, aggregate.judge_panel, interval)
  }
  for (const { model, base_model, flavor, reason } of aggregate.unavailable)
    yield {
      dataset_id,
      run_id,
      model,
      base_model,
      flavor,
      metric_class: 'operational',
      metric: 'cells',
      state: 'unavailable',
      reasons: reason,
    }
  yield* useRows(aggregate)
  yield* pairRows(aggregate)
}

/** Tokens handed over, and facts found in the first of them. */
function* amountRows(head: Head, { context_tokens: tokens, budget_curve: curve }: ApproachSummary, expected: number) {
  if (tokens !== null) {
    const { median, mean, n } = tokens
    yield { ...head, metric_class: 'operational' as const, metric: 'context_tokens', median, mean, n }
  }
  for (const { tokens: first, found: mean, n } of curve ?? [])
    yield {
      ...head,
      metric_class: 'retrieval' as const,
      metric: `${factsFound.id}_in_${first}_tokens`,
      mean,
      n,
      expected,
    }
}

/** Lists what each work used of models; without a name where it is no approach's own, and without a sum where it is not known. */
function* useRows(aggregate: Aggregate): Generator<LongRow> {
  const { run_id, dataset } = aggregate
  for (const { part, model, models, unknown, seconds } of runUse(aggregate)) {
    const head = { dataset_id: dataset.id, run_id, model: model ?? '', metric_class: 'operational' as const }
    const all = models ?? []
    const sum = (of: (usage: ModelUsage) => number) =>
      models === null ? null : all.reduce((total, usage) => total + of(usage), 0)
    const calls = sum(({ calls: made }) => made)
    const silent = sum(({ unreported }) => unreported)
    const isEstimated = all.some(({ estimated }) => estimated !== undefined)
    const state = models === null ? 'unknown' : unknown + silent! > 0 ? 'partial' : isEstimated ? 'estimated' : 'ok'
    const known = { state, n: calls === null ? null : calls - silent!, eligible: calls }
    yield { ...head, metric: `${part}_calls`, state: unknown > 0 ? 'partial' : known.state, sum: calls }
    yield { ...head, metric: `${part}_tokens_read`, ...known, sum: sum(({ input_tokens: read }) => read) }
    const cached = cachedTokens(all)
    if (cached > 0) yield { ...head, metric: `${part}_tokens_cached`, ...known, sum: cached }
    yield { ...head, metric: `${part}_tokens_written`, ...known, sum: sum(({ output_tokens: written }) => written) }
    yield { ...head, metric: `${part}_seconds`, state: seconds === null ? 'unknown' : 'ok', sum: seconds }
  }
}

const isMetric = (name: string): name is OperationalMetric => (OPERATIONAL_METRICS as readonly string[]).includes(name)

type IntervalOf = (name: ComparedName) => ReturnType<typeof intervalFields>

function* pairRows({ run_id, dataset, approaches, comparisons }: Aggregate): Generator<LongRow> {
  const aliases = new Map(approaches.map(({ model, base_model, flavor }) => [model, { base_model, flavor }]))
  for (const { metric_class, metric, pairs } of comparisons?.metrics ?? [])
    for (const { a, b, difference, ...rest } of pairs) {
      const { p, p_adjusted, decision, wins, ties, losses, smallest_detectable } = rest
      yield {
        dataset_id: dataset.id,
        run_id,
        model: a,
        ...aliases.get(a),
        metric_class,
        metric,
        n: difference.n,
        ...intervalFields(difference),
        against: b,
        difference: difference.value,
        p,
        p_adjusted,
        decision,
        wins,
        ties,
        losses,
        smallest_detectable,
      }
    }
}

function* operationalRows(
  head: Head,
  { cells, operational, refusals }: ApproachSummary,
  intervalOf: IntervalOf,
): Generator<LongRow> {
  const { expected, ok, error, timeout, missing, failures_by_type } = cells
  const common = { ...head, metric_class: 'operational' as const }
  yield {
    ...common,
    metric: 'cells',
    state: ok === expected ? 'ok' : ok > 0 ? 'partial' : 'error',
    n: ok,
    eligible: expected,
    expected,
    coverage: share(ok, expected),
    errors: error,
    timeouts: timeout,
    missing,
    reasons: reasonList(failures_by_type),
  }
  const { retries, ...quantities } = operational
  for (const [metric, distribution] of Object.entries(quantities) as [
    keyof typeof quantities,
    OperationalSummary['attempts'],
  ][])
    yield {
      ...common,
      metric,
      ...spread(distribution),
      eligible: metric === 'attempts' ? ok + error + timeout : ok,
      expected,
      coverage: share(distribution.n, expected),
      errors: error,
      timeouts: timeout,
      missing,
      ...(isMetric(metric) ? intervalOf(metric) : {}),
    }
  if (refusals !== undefined) {
    const classified = refusals.refused + refusals.answered
    yield {
      ...common,
      metric: 'refused',
      sum: refusals.refused,
      n: classified,
      eligible: classified + refusals.unknown,
      expected,
      missing,
    }
  }
  yield { ...common, metric: 'retries', sum: retries, n: ok + error + timeout, expected, missing }
}

function* scoreRows(
  head: Head,
  approach: ApproachSummary,
  metricClass: ScoreClass,
  intervalOf: IntervalOf,
): Generator<LongRow> {
  const summaries: Partial<Record<string, MetricSummary>> = approach[metricClass]
  for (const [metric, summary] of Object.entries(summaries)) {
    if (summary === undefined) continue
    const interval = intervalOf(metric as ScoreMetric)
    yield { ...head, metric_class: metricClass, metric, ...scoreFigures(summary), ...interval }
    for (const group of approach.by_hops) {
      const ofHops: Partial<Record<string, { n: number; expected: number; mean: number | null }>> = group[metricClass]
      const { n, expected, mean } = ofHops[metric]!
      const coverage = share(n, expected)
      yield { ...head, metric_class: metricClass, metric, hops: group.hops ?? 'none', mean, n, expected, coverage }
    }
  }
}

function scoreFigures(summary: MetricSummary) {
  const { state, mean, median, stdev, scored, eligible, expected, coverage, errors, timeouts } = summary
  const { unevaluable, disabled, not_run, missing, unequal_coverage, common } = summary
  return {
    state,
    mean,
    median,
    stdev,
    n: scored,
    eligible,
    expected,
    coverage,
    errors,
    timeouts,
    unevaluable,
    disabled,
    not_run,
    missing,
    unequal_coverage,
    common_n: common?.n ?? null,
    common_mean: common?.mean ?? null,
    reasons: reasonList(summary.errors_by_reason, summary.unevaluable_by_reason),
  }
}

/** The judge section's lines of one approach; none when the panel is disabled. */
export function* judgeRows(head: Head, section: JudgeSection, intervalOf: IntervalOf = () => ({})): Generator<LongRow> {
  const common = { ...head, metric_class: 'judge_panel' as MetricClass }
  switch (section.status) {
    case 'disabled':
      return
    case 'pending':
      yield { ...common, metric: 'score', state: 'pending' }
      return
    case 'error':
      yield { ...common, metric: 'score', state: 'error', reasons: `${section.reason}: ${section.message}` }
      return
    case 'ok':
    case 'partial': {
      const approach = section.approaches.find(({ model }) => model === head.model)
      if (approach === undefined) return
      const { mean, n, expected, coverage, votes } = approach
      yield { ...common, metric: 'score', state: section.status, mean, n, expected, coverage, ...intervalOf('score') }
      yield { ...common, metric: 'votes', state: section.status, sum: votes, n, expected, coverage }
    }
  }
}
