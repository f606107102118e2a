import { GAPS_OF_QUESTIONS } from '../../../core/evidence/gap-reasons.ts'
import type { MetricState, MetricSummary } from '../../../contract/evidence/aggregate.ts'
import { quantile, roundedOrNull, sampleDeviation, share } from '../../lib/text/numbers.ts'
import { Column, meanOver, type CommonQuestions } from './column.ts'
import type { MetricOutcome } from './metric-outcome.ts'

/** The scores of one metric for one approach, and the reasons of missing ones. */
export class MetricTally {
  readonly scores = new Column()
  /** Cells with a score. */
  scored = 0
  readonly #errors = new Tally()
  readonly #unevaluable = new Tally()
  #timeouts = 0
  #disabled = 0
  #notRun = 0

  add(index: number, repeat: number, outcome: MetricOutcome): void {
    if (outcome.kind === 'scored') {
      this.scored += 1
      this.scores.set(index, outcome.score, repeat)
    } else if (outcome.kind === 'error') this.#errors.add(outcome.reason)
    else if (outcome.kind === 'unevaluable') this.#unevaluable.add(outcome.reason)
    else if (outcome.kind === 'timeout') this.#timeouts += 1
    else if (outcome.kind === 'disabled') this.#disabled += 1
    else this.#notRun += 1
  }

  summary(questions: readonly number[], repeats: number, missing: number, common: CommonQuestions): MetricSummary {
    const expected = questions.length * repeats
    const values = this.scores.take(questions)
    const sorted = values.toSorted()
    return {
      state: this.#state(expected, missing),
      mean: meanOver(this.scores, questions),
      median: roundedOrNull(quantile(sorted, 0.5)),
      stdev: roundedOrNull(sampleDeviation(values)),
      scored: this.scored,
      eligible: this.scored + this.#errors.total + this.#timeouts,
      expected,
      coverage: share(this.scored, expected),
      errors: this.#errors.total,
      timeouts: this.#timeouts,
      errors_by_reason: this.#errors.toRecord(),
      unevaluable: this.#unevaluable.total,
      unevaluable_by_reason: this.#unevaluable.toRecord(),
      disabled: this.#disabled,
      not_run: this.#notRun,
      missing,
      unequal_coverage: common.unequal,
      common: common.unequal && this.scored > 0 ? this.#common(common.indexes) : null,
    }
  }

  #common(indexes: readonly number[]): MetricSummary['common'] {
    return { n: indexes.length, mean: meanOver(this.scores, indexes) }
  }

  #state(expected: number, missing: number): MetricState {
    const ofQuestions = Object.keys(GAPS_OF_QUESTIONS).reduce((sum, reason) => sum + this.#unevaluable.of(reason), 0)
    if (this.scored > 0) return this.scored + ofQuestions === expected ? 'ok' : 'partial'
    if (this.#errors.total > 0) return 'error'
    if (this.#timeouts > 0) return 'timeout'
    if (this.#unevaluable.total > ofQuestions) return 'not_evaluable'
    if (this.#disabled > 0) return 'disabled'
    return this.#notRun + missing > 0 || ofQuestions === 0 ? 'not_run' : 'not_evaluable'
  }
}

/** Distinct reasons kept by name; rarer ones are pooled, because evaluators may put any text into a reason. */
const MAX_REASONS = 20
const MAX_REASON_CHARS = 200

/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  add(name: string): void {
    this.#total += 1
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  names(): string[] {
    return [...this.#counts.keys()].sort()
  }

  /** Names with their counts, by name; long names cut, and what is beyond the most frequent ones under `other`. */
  toRecord(): Record<string, number> {
    const cut = new Map<string, number>()
    for (const [name, count] of this.#counts) {
      const short = name.length > MAX_REASON_CHARS ? `${name.slice(0, MAX_REASON_CHARS)}…` : name
      cut.set(short, (cut.get(short) ?? 0) + count)
    }
    const byFrequency = [...cut].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    const kept = byFrequency.slice(0, MAX_REASONS)
    const pooled = byFrequency.slice(MAX_REASONS).reduce((sum, [, count]) => sum + count, 0)
    kept.sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(pooled === 0 ? kept : [...kept, ['other', pooled]])
  }
}
