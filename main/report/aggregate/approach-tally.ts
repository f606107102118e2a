import type { EvaluationMetric } from '../../../contract/common.ts'
import type { ApproachSummary, HopSummary, OperationalSummary } from '../../../contract/evidence/aggregate.ts'
import type { AnswerMetric, Refusal } from '../../../contract/evidence/answer-scores.ts'
import { CellErrorType, ContextText, type RowApproach } from '../../../contract/evidence/canonical-row.ts'
import { CURVE_BUDGETS } from '../../../contract/evidence/context-budget.ts'
import type { Derivation } from '../../../contract/evidence/derivation.ts'
import { EvaluationStatus, UnseenEvidence } from '../../../contract/evidence/evaluation-result.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import type { OperationalMetric } from '../../../contract/metrics/metrics.ts'
import { derivationsIn, handedOver } from '../../evaluation/handed-over.ts'
import { isOutdatedFailure, RowKinds } from '../../evidence/rows/conditions.ts'
import type { FigureRow, HandedOver } from '../../evidence/rows/interned-rows.ts'
import { Column, meanOver, spreadOf, type CommonQuestions } from './column.ts'
import {
  forEachKey,
  foundNothing,
  metricOutcome,
  METRICS_OF,
  SCORE_METRICS,
  type ScoreMetric,
} from './metric-outcome.ts'
import { MetricTally, Tally } from './metric-tally.ts'
import type { SummaryAlias, SummaryQuestion } from './run-summary.ts'
import { UsageTally } from './usage-tally.ts'

const QUANTITIES = [
  'latency_ms',
  'queue_ms',
  'waited_ms',
  'attempts',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'server_seconds',
  'chunks',
  'llm_calls',
  'cloud_calls',
  'first_token_s',
  'grading_ms',
] as const
type Quantity = (typeof QUANTITIES)[number]

/** Sets what counts as a budget that an answer filled. */
const NEARLY = 0.9

/** Counts above 0 in the order of the keys; null when there are none. */
function countsOf<Key extends string>(keys: readonly Key[], tally: Tally): Partial<Record<Key, number>> | null {
  const some = keys.filter((key) => tally.of(key) > 0)
  return some.length === 0 ? null : forEachKey(some, (key) => tally.of(key))
}

/** Questions of one hop count, by their indexes. */
export interface HopGroup {
  hops: number | null
  indexes: readonly number[]
}

/** Describes what all approaches share when they are summed up. */
export interface SummaryFrame {
  /** Indexes of the questions in the order of the artifact. */
  order: readonly number[]
  repeats: number
  hops: readonly HopGroup[]
  requested: readonly EvaluationMetric[]
  /** The conditions of the run; null without a row. */
  conditions: Reproducibility | null
  /** Metrics of class `answer`; those of short answers only where a question has one, so that artifacts without any keep their bytes. */
  answer: readonly AnswerMetric[]
  common: Readonly<Record<ScoreMetric, CommonQuestions>>
}

/** Everything that the rows of one alias add up to; questions are given by index. */
export class ApproachTally {
  readonly alias: SummaryAlias
  readonly scores = forEachKey(SCORE_METRICS, () => new MetricTally())
  /** Of all contexts of an answer, whatever their number. */
  readonly #allContexts = { contexts: new Column(), recall: new Column() }
  readonly #tokens = new Column()
  readonly #countedBy = new Tally()
  readonly #curve = CURVE_BUDGETS.map(() => ({ found: new Column(), all: new Column() }))
  readonly #quantities = forEachKey(QUANTITIES, () => new Column())
  readonly #cells = new Tally()
  readonly #failures = new Tally()
  /** Failed rows by what they were made under: one row each, and their number. */
  readonly #failedUnder = new Map<string, { row: FigureRow; cells: number }>()
  readonly #kinds = new RowKinds()
  readonly #statuses = new Tally()
  readonly #evaluators = new Tally()
  readonly #embeddings = new Tally()
  readonly #unseen = new Tally()
  readonly #contextTexts = new Tally()
  readonly #refusals = new Tally()
  readonly #usage = new UsageTally()
  readonly #made = new Map<string, Derivation>()
  #madeLast: readonly Derivation[] | null = null
  #retries = 0
  #cut = 0
  #unsearched = 0
  #repeated = 0

  /** Holds what the approach was called with; null without a row. */
  parameters: RowApproach['parameters'] | null = null

  constructor(alias: SummaryAlias) {
    this.alias = alias
  }

  has(index: number, repeat: number): boolean {
    return this.#quantities.attempts.has(index, repeat)
  }

  /** An operational metric of the cells that answered. */
  operational(metric: OperationalMetric): Column {
    return this.#quantities[metric]
  }

  /** Cells that failed or timed out: they have no latency. */
  get failed(): number {
    return this.#cells.of('error') + this.#cells.of('timeout')
  }

  /** Returns what made the artefacts that answered, each record once, in an order of its own; empty where no row records it. */
  get derivations(): Derivation[] {
    return [...this.#made].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, made]) => made)
  }

  add(index: number, row: FigureRow): void {
    const { operational, ragas, context_text } = row.metrics
    const repeat = row.repeat ?? 1
    this.parameters ??= row.approach.parameters
    this.#cells.add(row.status)
    this.#addDerivations(derivationsIn(row))
    this.#usage.add(row)
    if (row.error !== null) this.#failures.add(row.error.type)
    if (row.status !== 'ok') this.#addFailed(row)
    if (operational.is_cut === true) this.#cut += 1
    if (operational.is_unsearched === true) this.#unsearched += 1
    if (operational.is_repeated_prompt === true) this.#repeated += 1
    this.#statuses.add(ragas.status)
    if (ragas.evaluator_model !== null) this.#evaluators.add(ragas.evaluator_model)
    if (ragas.embeddings_model !== null) this.#embeddings.add(ragas.embeddings_model)
    for (const what of Object.keys(ragas.unseen ?? {})) this.#unseen.add(what)
    if (context_text !== undefined) this.#contextTexts.add(context_text)
    this.#addRefusal(row.metrics.answer?.refusal)
    this.#quantities.attempts.set(index, operational.attempts.length, repeat)
    this.#retries += operational.attempts.length - 1
    if (row.status === 'ok') this.#addCost(index, repeat, operational)
    if (ragas.latency_ms !== undefined && ragas.error_type === undefined)
      this.#quantities.grading_ms.set(index, ragas.latency_ms, repeat)
    for (const metric of SCORE_METRICS) this.scores[metric].add(index, repeat, metricOutcome(row, metric))
    this.#addAllContexts(index, repeat, row)
    this.#addHandedOver(index, repeat, handedOver(row))
  }

  #addDerivations(made: readonly Derivation[]): void {
    // Rows of a file share the objects of equal records.
    if (made === this.#madeLast) return
    this.#madeLast = made
    for (const each of made) this.#made.set(JSON.stringify(each), each)
  }

  #addHandedOver(index: number, repeat: number, handed: HandedOver | null): void {
    if (handed === null) return
    const { tokens, by, curve } = handed
    if (tokens !== null) this.#tokens.set(index, tokens, repeat)
    if (by !== null) this.#countedBy.add(by)
    for (const [at, share] of (curve ?? []).entries()) {
      this.#curve[at]!.found.set(index, share, repeat)
      this.#curve[at]!.all.set(index, share === 1 ? 1 : 0, repeat)
    }
  }

  #handedOver(order: readonly number[]): Pick<ApproachSummary, 'context_tokens' | 'budget_curve'> {
    const { median, mean, n: answers } = spreadOf(this.#tokens, order)
    const points = CURVE_BUDGETS.flatMap((tokens, at) => {
      const { found, all } = this.#curve[at]!
      const share = meanOver(found, order)
      if (share === null) return []
      const filled = this.#tokens.map((amount) => (amount >= tokens * NEARLY ? 1 : 0))
      const [complete, n] = [meanOver(all, order)!, found.countOf(order)]
      return [{ tokens, n, found: share, complete, filled: meanOver(filled, order) }]
    })
    return {
      context_tokens:
        median === null || mean === null ? null : { median, mean, n: answers, by: this.#countedBy.names() },
      budget_curve: points.length === 0 ? null : points,
    }
  }

  #addAllContexts(index: number, repeat: number, row: FigureRow): void {
    const { retrieval } = row.metrics
    const all = foundNothing(row) ? { contexts: 0, recall: 0 } : retrieval.all_contexts
    if (all === undefined) return
    this.#allContexts.contexts.set(index, all.contexts, repeat)
    this.#allContexts.recall.set(index, all.recall, repeat)
  }

  /** Rows of earlier versions do not record this for answers with contexts: what is left would be those that found nothing. */
  #allContextsSummary(order: readonly number[]): Pick<ApproachSummary, 'all_contexts'> {
    const contexts = meanOver(this.#allContexts.contexts, order)
    const recall = meanOver(this.#allContexts.recall, order)
    if (contexts === null || contexts === 0 || recall === null) return {}
    return { all_contexts: { n: this.#allContexts.recall.countOf(order), contexts, recall } }
  }

  #addRefusal(refusal: Refusal | undefined): void {
    if (refusal === undefined) return
    this.#refusals.add(refusal.refused === null ? 'unknown' : refusal.refused ? 'refused' : 'answered')
    if (refusal.decided_by === 'model') this.#refusals.add('decided_by_model')
  }

  /** Absent from the artifact when no row has it, so that artifacts of earlier rows keep their bytes. */
  #stated(): Pick<
    ApproachSummary,
    'refusals' | 'context_texts' | 'cut_answers' | 'unsearched_answers' | 'repeated_prompts'
  > {
    const refusals = forEachKey(['refused', 'answered', 'unknown', 'decided_by_model'] as const, (state) =>
      this.#refusals.of(state),
    )
    const texts = countsOf(ContextText.options, this.#contextTexts)
    return {
      ...(this.#refusals.total === 0 ? {} : { refusals }),
      ...(texts === null ? {} : { context_texts: texts }),
      ...(this.#cut === 0 ? {} : { cut_answers: this.#cut }),
      ...(this.#unsearched === 0 ? {} : { unsearched_answers: this.#unsearched }),
      ...(this.#repeated === 0 ? {} : { repeated_prompts: this.#repeated }),
    }
  }

  #addCost(index: number, repeat: number, operational: FigureRow['metrics']['operational']): void {
    const { latency_ms, queue_ms, token_usage, server } = operational
    const set = (quantity: Quantity, value: number): void => this.#quantities[quantity].set(index, value, repeat)
    set('latency_ms', latency_ms)
    set('queue_ms', queue_ms)
    if (token_usage !== null) {
      set('prompt_tokens', token_usage.prompt_tokens)
      set('completion_tokens', token_usage.completion_tokens)
      set('total_tokens', token_usage.total_tokens)
    }
    if (server !== null) {
      set('server_seconds', server.seconds)
      set('chunks', server.chunks)
      // A system of a person's own reports its calls or says nothing of them: 0 is the latter.
      if (this.alias.base_model !== 'own-approach' || server.llm_calls > 0) {
        set('llm_calls', server.llm_calls)
        set('cloud_calls', server.cloud_calls)
      }
      if (server.waited_s !== undefined) set('waited_ms', server.waited_s * 1000)
      if (server.first_token_s !== undefined) set('first_token_s', server.first_token_s)
    }
  }

  summary(frame: SummaryFrame, questions: readonly SummaryQuestion[], selected: boolean): ApproachSummary {
    const { model, base_model, flavor, evidence_capability } = this.alias
    const expected = questions.length * frame.repeats
    const missing = expected - this.#cells.total
    const failures = this.#failures.toRecord()
    const unseen = countsOf(UnseenEvidence.options, this.#unseen)
    const summaries = <Metric extends ScoreMetric>(metrics: readonly Metric[]) =>
      forEachKey(metrics, (metric) =>
        this.scores[metric].summary(frame.order, frame.repeats, missing, frame.common[metric]),
      )
    return {
      model,
      base_model,
      flavor,
      evidence_capability,
      selected,
      cells: {
        expected,
        ok: this.#cells.of('ok'),
        error: this.#cells.of('error'),
        timeout: this.#cells.of('timeout'),
        missing,
        failures_by_type: forEachKey(
          CellErrorType.options.filter((type) => failures[type] !== undefined),
          (type) => failures[type]!,
        ),
      },
      operational: this.#operational(frame.order),
      evaluation: {
        statuses: forEachKey(EvaluationStatus.options, (status) => this.#statuses.of(status)),
        evaluator_models: this.#evaluators.names(),
        embeddings_models: this.#embeddings.names(),
        ...(unseen === null ? {} : { unseen }),
      },
      ...this.#stated(),
      ...this.#allContextsSummary(frame.order),
      ...this.#handedOver(frame.order),
      ...this.#outdated(frame.conditions),
      ...this.#usage.summary(),
      ragas: summaries(frame.requested),
      retrieval: summaries(METRICS_OF.retrieval),
      answer: summaries(frame.answer),
      by_hops: frame.hops.map((group) => this.#hopSummary(group, frame)),
    }
  }

  #addFailed(row: FigureRow): void {
    const key = this.#kinds.keyOf(row)
    this.#failedUnder.set(key, { row, cells: (this.#failedUnder.get(key)?.cells ?? 0) + 1 })
  }

  /** Failures that a run of all approaches and questions tries again, because a model is set otherwise now. */
  #outdated(conditions: SummaryFrame['conditions']): { outdated_failures?: number } {
    if (conditions === null) return {}
    const cells = [...this.#failedUnder.values()]
      .filter(({ row }) => isOutdatedFailure(row, conditions))
      .reduce((sum, each) => sum + each.cells, 0)
    return cells === 0 ? {} : { outdated_failures: cells }
  }

  #hopSummary({ hops, indexes }: HopGroup, { requested, answer }: SummaryFrame): HopSummary {
    const means = <Metric extends ScoreMetric>(metrics: readonly Metric[]) =>
      forEachKey(metrics, (metric) => {
        const { scores } = this.scores[metric]
        return { n: scores.countOf(indexes), expected: indexes.length, mean: meanOver(scores, indexes) }
      })
    return {
      hops,
      questions: indexes.length,
      ragas: means(requested),
      retrieval: means(METRICS_OF.retrieval),
      answer: means(answer),
    }
  }

  #operational(order: readonly number[]): OperationalSummary {
    const spread = (quantity: Quantity) => spreadOf(this.#quantities[quantity], order)
    const waited = spread('waited_ms')
    const firstToken = spread('first_token_s')
    const grading = spread('grading_ms')
    return {
      latency_ms: spread('latency_ms'),
      queue_ms: spread('queue_ms'),
      ...(waited.n === 0 ? {} : { waited_ms: waited }),
      attempts: spread('attempts'),
      retries: this.#retries,
      prompt_tokens: spread('prompt_tokens'),
      completion_tokens: spread('completion_tokens'),
      total_tokens: spread('total_tokens'),
      server_seconds: spread('server_seconds'),
      chunks: spread('chunks'),
      llm_calls: spread('llm_calls'),
      cloud_calls: spread('cloud_calls'),
      ...(firstToken.n === 0 ? {} : { first_token_s: firstToken }),
      ...(grading.n === 0 ? {} : { grading_ms: grading }),
    }
  }
}
