// Cells of the terminal's matrix: a score with its state, bar and count, and a decision against the baseline.
import type { Aggregate, MetricState, MetricSummary } from '../../../contract/evidence/aggregate.ts'
import { pairState, type PairState } from '../../../core/evidence/pair-state.ts'
import type { PairComparison } from '../../../contract/evidence/statistics.ts'
import { scoreWords } from '../../../contract/words.ts'
import { shorten } from '../../lib/text/terminal-text.ts'
import { baselineOf, comparedMetric, pairAgainst } from '../aggregate/aggregate-access.ts'
import { UNEQUAL_SIGN } from '../tables/coverage-notes.ts'
import type { ScoreMetric } from '../aggregate/metric-outcome.ts'
import type { Segment, Style } from './terminal-table.ts'
import { decidedLine, PAIR_WORDS, signedWords, STATE_SIGNS } from '../words.ts'

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']
/** Missing scores are hatched, so that they are not mistaken for low ones. */
const HATCH = '╱'

const STATE_STYLES: Readonly<Record<MetricState, Style>> = {
  ok: 'green',
  partial: 'yellow',
  not_evaluable: 'cyan',
  error: 'red',
  timeout: 'red',
  disabled: 'dim',
  not_run: 'red',
}

/** A value between 0 and 1 as a bar of `width` columns, to an eighth of a column; what is outside is shown as the nearest end. */
function scoreBar(value: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, value)) * width * 8)
  return ('█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!).padEnd(width)
}

export const stateSegment = (state: MetricState): Segment => ({ text: STATE_SIGNS[state], style: STATE_STYLES[state] })

/** Describes how a score is drawn: bar and count columns are as wide in every row. */
interface ScoreCellLayout {
  barWidth: number
  /** Columns for the value with its sign and mark. */
  valueWidth: number
  countWidth: number
  barStyle: Style
}

/** `● 0.83 ███▎ 24/24`; without a score the state and a hatched gap, never a number but the count. */
export function scoreCell(summary: MetricSummary | undefined, layout: ScoreCellLayout): Segment[] {
  if (summary === undefined) return [stateSegment('disabled')]
  const { mean, scored, expected, state, unequal_coverage } = summary
  const count: Segment = { text: ` ${`${scored}/${expected}`.padStart(layout.countWidth)}`, style: 'dim' }
  const { barWidth, valueWidth } = layout
  if (mean === null) {
    const hatch = barWidth === 0 ? HATCH.repeat(4).padEnd(valueWidth) : ' '.repeat(valueWidth)
    const bar = barWidth === 0 ? '' : ` ${HATCH.repeat(barWidth)}`
    return [stateSegment(state), { text: ` ${hatch}${bar}`, style: 'dim' }, count]
  }
  const value = valueText(mean, unequal_coverage).padEnd(valueWidth)
  const bar: Segment[] =
    barWidth === 0 ? [] : [{ text: ' ' }, { text: scoreBar(mean, barWidth), style: layout.barStyle }]
  return [stateSegment(state), { text: ' ' }, { text: value, style: 'bold' }, ...bar, count]
}

const valueText = (mean: number, unequal: boolean): string => `${scoreWords(mean)}${unequal ? UNEQUAL_SIGN : ''}`

/** Columns that the widest value of a table needs. */
export function valueWidth(summaries: readonly (MetricSummary | undefined)[]): number {
  const widths = summaries.map((each) =>
    each === undefined || each.mean === null ? 0 : valueText(each.mean, each.unequal_coverage).length,
  )
  return Math.max(4, ...widths)
}

/** Columns for the baseline's name in a head. */
const MAX_BASELINE = 10
const PAIR_STYLES: Readonly<Record<PairState, Style>> = {
  better: 'green',
  worse: 'red',
  equivalent: 'cyan',
  open: 'dim',
  not_tested: 'dim',
}

/** The first metric of every approach against the baseline; null when nothing can be compared. */
export function decisionsOf(aggregate: Aggregate, metric: ScoreMetric) {
  const baseline = baselineOf(aggregate)
  const compared = comparedMetric(aggregate, metric)
  if (baseline === null || compared === null || compared.pairs.length === 0) return null
  return {
    head: `vs ${shorten(baseline.model.replace(/-rag$/, ''), MAX_BASELINE)}`,
    cell: (model: string): Segment[] =>
      model === baseline.model ? [] : decisionCell(pairAgainst(compared, model, baseline.model)),
  }
}

/** `+.12 better`, `−.02 open`; a dash for a pair without a common question. */
function decisionCell(pair: PairComparison | null): Segment[] {
  const value = pair?.difference.value ?? null
  if (pair === null || value === null) return [{ text: STATE_SIGNS.disabled, style: 'dim' }]
  const state = pairState(pair)
  const text = `${signedWords('score', value).replace(/0(?=\.)/, '')} ${PAIR_WORDS[state]}`
  return [{ text, style: PAIR_STYLES[state] }]
}

/** Returns what is decided on a metric, under the table; empty for a run of one approach. */
export function decidedWords(aggregate: Aggregate, metric: ScoreMetric): string {
  const compared = comparedMetric(aggregate, metric)
  return compared === null || compared.pairs.length === 0 ? '' : decidedLine(compared)
}
