import { BaseApproach } from '../../../contract/approaches.ts'
import { EvaluationMetric } from '../../../contract/common.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { RowDataset } from '../../../contract/evidence/canonical-row.ts'
import type {
  ContextHealth,
  Derivation,
  DocumentHealth,
  ExtractionHealth,
} from '../../../contract/evidence/derivation.ts'
import type { GoldEvidence } from '../../../contract/manifests/queries.ts'
import type { FigureRow } from '../../evidence/rows/interned-rows.ts'
import { SharedConditions } from '../../evidence/rows/conditions.ts'
import { SameInAll } from '../../lib/text/same-in-all.ts'
import { sealedJson } from '../../lib/files/sealed-json.ts'
import { ApproachTally, type HopGroup, type SummaryFrame } from './approach-tally.ts'
import { commonQuestions } from './column.ts'
import { comparisonsOf } from './comparisons.ts'
import { judgeSection } from './judge-section.ts'
import { forEachKey, isOfShortAnswers, METRICS_OF, SCORE_METRICS } from './metric-outcome.ts'
import { protocolCard } from './protocol-card.ts'
import { ReportError } from '../report-error.ts'
import type { RunSummaryContext, SummaryAlias, SummaryQuestion } from './run-summary.ts'
import { shareOfLook, shareOfTuned, withLook } from '../../statistics/planning/looks.ts'
import { primaryMetric } from './metric-use.ts'
import { judgingUse } from './usage-tally.ts'
import { verdictsOf } from '../verdict/verdict.ts'

/** Takes rows one by one, in any order, and sums them up; keeps numbers, never texts. */
interface Aggregator {
  /** Throws `ReportError` for a row that does not belong to the run or was made under other conditions. */
  add(row: FigureRow): void
  /** Compares the approaches, in a thread of its own where that takes time. */
  finish(): Promise<Aggregate>
}

/** An accumulator for one dataset run. Equal rows in any order, context and judgments give an equal aggregate. */
export function createAggregator(context: RunSummaryContext): Aggregator {
  const tallies = new Map<string, ApproachTally>(
    context.aliases?.map((alias) => [alias.model, new ApproachTally(alias)]),
  )
  const questions: SummaryQuestion[] = [...(context.questions ?? [])]
  const indexes = new Map(questions.map(({ id }, index) => [id, index]))
  const dataset = new SameInAll<RowDataset>()
  const conditions = new SharedConditions()
  const requested = new Set<EvaluationMetric>(context.metrics)
  /** Gold evidence by question index, each once. */
  const gold = new Map<number, Map<string, GoldEvidence>>()
  const machines = new Set<string>()
  let lastAt = ''
  let mostRepeats = 1

  function indexOf(row: FigureRow): number {
    const { id, hops, answerable, gold } = row.question
    const known = indexes.get(id)
    if (known !== undefined) return known
    if (context.questions !== null)
      throw new ReportError(
        'foreign_row',
        `row ${row.row_id}: the question ${id} is not in the questions file of this run`,
      )
    indexes.set(id, questions.length)
    return questions.push({ id, hops, answerable, has_gold: gold.length > 0 }) - 1
  }

  function tallyOf(row: FigureRow): ApproachTally {
    const known = tallies.get(row.approach.model)
    if (known !== undefined) return known
    const { model, base_model, flavor, evidence_capability } = row.approach
    const tally = new ApproachTally({ model, base_model, flavor, evidence_capability })
    tallies.set(model, tally)
    return tally
  }

  return {
    add(row) {
      if (row.run_id !== context.runId || row.dataset.id !== context.datasetId)
        throw new ReportError(
          'foreign_row',
          `row ${row.row_id} belongs to run ${row.run_id}, dataset ${row.dataset.id}, not to ${context.runId}, ${context.datasetId}`,
        )
      if (!dataset.accept(row.dataset) || conditions.addAndCompare(row) !== null)
        throw new ReportError(
          'mixed_provenance',
          `row ${row.row_id} was made under other conditions than the rows before it: they cannot be summed up together`,
        )
      const repeat = row.repeat ?? 1
      if (repeat > (context.repeats ?? Infinity)) return
      mostRepeats = Math.max(mostRepeats, repeat)
      const index = indexOf(row)
      const tally = tallyOf(row)
      if (tally.has(index, repeat))
        throw new ReportError(
          'duplicate_cell',
          `row ${row.row_id}: a second row for ${row.question.id} × ${tally.alias.model}`,
        )
      if (row.finished_at > lastAt) lastAt = row.finished_at
      const { machine } = row.metrics.operational
      if (machine !== undefined) machines.add(machine)
      if (context.metrics === null) for (const metric of row.metrics.ragas.requested) requested.add(metric)
      tally.add(index, row)
      const known = gold.get(index) ?? new Map<string, GoldEvidence>()
      gold.set(index, known)
      for (const each of row.question.gold) known.set(`${each.document}\n${each.fact ?? ''}`, each)
    },
    async finish() {
      const described = context.dataset ?? dataset.value
      const shared = conditions.value
      if (described === null)
        throw new ReportError('no_rows', `${context.datasetId}: no row and no description of the dataset`)
      const order = questions.map((_question, index) => index)
      if (context.questions === null) order.sort((a, b) => compare(questions[a]!.id, questions[b]!.id))
      const ordered = order.map((index) => questions[index]!)
      const selected = context.aliases?.map((alias) => alias.model) ?? null
      const found = orderedTallies(tallies, selected)
      const repeats = context.repeats ?? mostRepeats
      const frame = frameOf(
        found,
        {
          order,
          repeats,
          requested: EvaluationMetric.options.filter((metric) => requested.has(metric)),
          conditions: shared,
        },
        ordered,
      )
      const isSelected = ({ alias }: ApproachTally): boolean => selected === null || selected.includes(alias.model)
      const judge_panel = judgeSection(context.judge, {
        datasetId: context.datasetId,
        ingestion: shared?.ingestion ?? null,
        models: found.map((tally) => tally.alias.model),
        questionIds: ordered.map(({ id }) => id),
      })
      const isJudged = judge_panel.status === 'ok' || judge_panel.status === 'partial'
      const current = { at: lastAt, questions: ordered.length, metric: null }
      const looked = context.looks === undefined ? undefined : withLook(context.looks, current)
      const comparing =
        shared === null
          ? null
          : comparisonsOf({
              seed: shared.seed,
              questions: order.map((index, position) => ({
                index,
                id: ordered[position]!.id,
                gold: [...(gold.get(index)?.values() ?? [])],
              })),
              repeats,
              requested: frame.requested,
              approaches: found.filter(isSelected),
              alphaShare: (looked === undefined ? 1 : shareOfLook(looked)) * shareOfTuned(context.tuned),
              equivalenceMargin: context.equivalenceMargin,
              judgments: isJudged && context.judge.state === 'read' ? context.judge.judgments : null,
            })
      // Other threads compare a large run while the rest is summarized here.
      const approaches = found.map((tally) => tally.summary(frame, ordered, isSelected(tally)))
      const comparisons = await comparing
      const cellCount = (status: 'expected' | 'ok' | 'error' | 'timeout' | 'missing'): number =>
        approaches.reduce((sum, approach) => sum + approach.cells[status], 0)
      const aggregate: Aggregate = {
        schema_version: 1,
        run_id: context.runId,
        dataset: {
          id: described.id,
          label: described.label,
          complexity_level: described.complexity_level,
          questions_file: described.questions_file,
          corpus_path: described.corpus_path,
        },
        ingestion: shared?.ingestion ?? null,
        reproducibility: shared,
        metrics: [...frame.requested],
        repeats,
        questions: ordered.map(({ id, hops, answerable, has_gold }) => ({ id, hops, answerable, has_gold })),
        cells: {
          expected: cellCount('expected'),
          ok: cellCount('ok'),
          error: cellCount('error'),
          timeout: cellCount('timeout'),
          missing: cellCount('missing'),
        },
        approaches,
        unavailable: context.unavailable.map(({ model, base_model, flavor, evidence_capability, reason }) => ({
          model,
          base_model,
          flavor,
          evidence_capability,
          reason,
        })),
        judge_panel,
        protocol: protocolCard(
          found.flatMap((tally, at) =>
            isSelected(tally)
              ? [{ summary: approaches[at]!, parameters: tally.parameters, derivations: tally.derivations }]
              : [],
          ),
          shared,
        ),
        comparisons,
      }
      // A run that is not complete has shown no result by its plan yet: its look is recorded when all answers are there.
      const isComplete = aggregate.comparisons !== null && aggregate.cells.missing === 0
      const looks =
        context.looks === undefined
          ? undefined
          : isComplete
            ? withLook(context.looks, { ...current, metric: primaryMetric([aggregate]) })
            : context.looks
      const { measuredLevel, equivalenceMargin, tuned, ingestionUse } = context
      const made = found.flatMap((tally) => tally.derivations)
      const extraction = extractionOf(made)
      const contexts = contextsOf(made)
      const leftOut = leftOutOf(made)
      const counted = {
        ...aggregate,
        ...(looks === undefined ? {} : { looks }),
        ...(equivalenceMargin === undefined ? {} : { equivalence_margin: equivalenceMargin }),
        ...(extraction === null ? {} : { extraction }),
        ...(contexts === null ? {} : { contexts }),
        ...(leftOut === null ? {} : { left_out: leftOut }),
        ...(machines.size === 0 ? {} : { machines: [...machines].sort() }),
        ...(ingestionUse === undefined ? {} : { ingestion_use: ingestionUse }),
        ...judgingUse(context.judge),
        ...(measuredLevel === undefined ? {} : { measured_level: measuredLevel }),
        ...(tuned === undefined || tuned.length === 0 ? {} : { tuned: [...tuned] }),
      }
      return { ...counted, verdict: verdictsOf([counted])[0]! }
    },
  }
}

/** The bytes of `-evaluation.json`. */
export const aggregateText = (aggregate: Aggregate): string => sealedJson(unsealedAggregateText(aggregate))

/** The bytes that earlier versions wrote. */
export const unsealedAggregateText = (aggregate: Aggregate): string => `${compactJson(aggregate)}\n`

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns how the extraction of the graph went that was read; of several records, the one with the most chunks. */
const extractionOf = (made: readonly Derivation[]): ExtractionHealth | null =>
  made
    .flatMap(({ extraction }) => extraction ?? [])
    .reduce<ExtractionHealth | null>((most, each) => (each.chunks_sent > (most?.chunks_sent ?? -1) ? each : most), null)

/** Contexts that failed; of several records, the one with the most: a run that was resumed has answers of before, too. */
const contextsOf = (made: readonly Derivation[]): ContextHealth | null =>
  made
    .flatMap(({ contexts }) => contexts ?? [])
    .reduce<ContextHealth | null>(
      (most, each) => (each.without_context > (most?.without_context ?? 0) ? each : most),
      null,
    )

/** Documents that were left out, in the same way. */
const leftOutOf = (made: readonly Derivation[]): DocumentHealth | null =>
  made
    .flatMap(({ left_out: leftOut }) => leftOut ?? [])
    .reduce<DocumentHealth | null>(
      (most, each) => (each.without_vectors > (most?.without_vectors ?? 0) ? each : most),
      null,
    )

/** Ladder order: by approach, the base alias before its flavors. */
function inLadderOrder(a: SummaryAlias, b: SummaryAlias): number {
  const rung = BaseApproach.options.indexOf(a.base_model) - BaseApproach.options.indexOf(b.base_model)
  return rung !== 0 ? rung : compare(a.flavor ?? '', b.flavor ?? '') || compare(a.model, b.model)
}

/** The selected aliases in their order, then those that only the rows know. */
function orderedTallies(
  tallies: ReadonlyMap<string, ApproachTally>,
  selected: readonly string[] | null,
): ApproachTally[] {
  const first = (selected ?? []).map((model) => tallies.get(model)!)
  const others = [...tallies.values()].filter((tally) => !first.includes(tally))
  return [...first, ...others.sort((a, b) => inLadderOrder(a.alias, b.alias))]
}

function frameOf(
  tallies: readonly ApproachTally[],
  frame: Pick<SummaryFrame, 'order' | 'repeats' | 'requested' | 'conditions'>,
  questions: readonly SummaryQuestion[],
): SummaryFrame {
  const { order } = frame
  const groups = new Map<number | null, number[]>()
  for (const [position, { hops }] of questions.entries()) {
    const group = groups.get(hops) ?? []
    groups.set(hops, group)
    group.push(order[position]!)
  }
  const hops: HopGroup[] = [...groups]
    .map(([count, indexes]) => ({ hops: count, indexes }))
    .sort((a, b) => (a.hops ?? Infinity) - (b.hops ?? Infinity))
  const common = forEachKey(SCORE_METRICS, (metric) =>
    commonQuestions(
      tallies.map((tally) => tally.scores[metric].scores),
      order,
    ),
  )
  const answer = METRICS_OF.answer.filter(
    (metric) =>
      !isOfShortAnswers(metric) || tallies.some((tally) => tally.scores[metric].scores.take(order).length > 0),
  )
  return { ...frame, hops, answer, common }
}

/** Objects and lists of up to this width are on one line. */
const LINE_WIDTH = 220

/**
 * JSON that people can read and compare line by line, without a line for every number. Members that are undefined are left out. The bytes
 * depend on the value and the order of its keys only.
 */
const compactJson = (value: unknown): string => textOf(value, '')

function textOf(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Array.isArray(value)
    ? value.map((item: unknown) => textOf(item, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => `${JSON.stringify(key)}: ${textOf(member, inner)}`)
  if (parts.length === 0) return `${open}${close}`
  const pad = Array.isArray(value) ? '' : ' '
  const width = parts.reduce((sum, part) => sum + part.length + 2, indent.length + 2)
  const isFlat = width <= LINE_WIDTH && parts.every((part) => !part.includes('\n'))
  if (isFlat) return `${open}${pad}${parts.join(', ')}${pad}${close}`
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}
