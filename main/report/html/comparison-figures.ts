import type { Look } from '../../../charts/look.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { pairState } from '../../../core/evidence/pair-state.ts'
import type { PairComparison } from '../../../contract/evidence/statistics.ts'
import type { Metric } from '../../../contract/metrics/metric.ts'
import { metricNamed } from '../../../contract/metrics/metrics.ts'
import { pWords, ratioWords } from '../../../contract/words.ts'
import { comparedMetric, metricOf, pairAgainst, type ComparedName } from '../aggregate/aggregate-access.ts'
import { UNEQUAL_SIGN } from '../tables/coverage-notes.ts'
import { isThin, leaderboard, type RungFigure } from '../tables/leaderboard.ts'
import { isScoreOfCells } from '../aggregate/metric-outcome.ts'
import { ladderDecisionWords, primaryMetric, useWords } from '../aggregate/metric-use.ts'
import {
  decidedLine,
  intervalWords,
  nameWords,
  PAIR_SIGNS,
  PAIR_WORDS,
  signedWords,
  standingWords,
  STATE_SIGNS,
  STATE_WORDS,
  valueWords,
} from '../words.ts'
import { aliasHead, dataTable, figureWith, fragment, h, markerIcon, num, type Cell, type Markup } from './markup.ts'

/** Every approach against every other on one metric: row minus column. Null without pairs. */
export function pairMatrix(aggregate: Aggregate, name: ComparedName, looks: ReadonlyMap<string, Look>): Markup | null {
  const compared = comparedMetric(aggregate, name)
  if (compared === null || compared.decided.comparable === 0) return null
  const models = compared.approaches.map(({ model }) => model)
  const grid = dataTable(
    `${nameWords(name)}: row minus column`,
    [{ content: 'approach' }, ...models.map((model) => ({ content: columnHead(model, looks), numeric: true }))],
    models.map((row) => ({
      head: aliasHead(row, looks),
      cells: models.map((column) =>
        row === column ? { content: '', class: 'self' } : pairCell(name, pairAgainst(compared, row, column)),
      ),
    })),
  )
  return h('figure', { class: 'pairs' }, grid, h('figcaption', {}, `${decidedLine(compared)}.`))
}

/** The marker alone: the rows have the names, in the same order. */
const columnHead = (model: string, looks: ReadonlyMap<string, Look>): Markup => {
  const look = looks.get(model)
  return h(
    'span',
    { class: 'alias short', title: model },
    look === undefined ? null : markerIcon(look),
    h('span', { class: 'unseen' }, model),
  )
}

/** Shades by size: from here on, and twice as far. */
const SHADE_FROM = { score: 0.15, grade: 0.5, duration: Infinity } as const satisfies Record<Metric['unit'], number>

function pairCell(name: ComparedName, pair: PairComparison | null): Cell {
  const value = pair?.difference.value ?? null
  if (pair === null || value === null)
    return { content: STATE_SIGNS.disabled, class: 'num missing', title: 'no question that both have a score for' }
  const { difference, decision, p_adjusted, wins, ties, losses } = pair
  const state = pairState(pair)
  const sentence = [
    `${pair.a} − ${pair.b}: ${signedWords(name, value)} ${pair.ratio === undefined ? intervalWords(name, difference.interval) : ratioWords(pair.ratio)}`.trim(),
    p_adjusted === null || state === 'not_tested' ? '' : `p (Holm) ${pWords(p_adjusted)}`,
    `${wins} better, ${ties} equal, ${losses} worse of ${difference.n}`,
    PAIR_WORDS[state],
  ]
  const from = SHADE_FROM[metricNamed(name)?.unit ?? 'score']
  const shade = decision === 'undecided' ? '' : Math.abs(value) >= from ? 'far' : 'near'
  return {
    ...num([
      h('b', {}, signedWords(name, value)),
      ' ',
      h('span', { class: 'sign', 'aria-label': PAIR_WORDS[state] }, PAIR_SIGNS[state]),
    ]),
    class: `num pair ${decision} ${shade}`.trim(),
    title: sentence.filter((part) => part !== '').join(' · '),
  }
}

/** Returns what a reader of the means must know besides the name. */
function aside(name: ComparedName): string {
  const metric = metricNamed(name)
  return `${metric?.class === 'operational' ? ', mean of the answers (the verdict names medians)' : ''}${metric?.better === 'lower' ? ', lower is better' : ''}`
}

/** Approaches by their mean over the rungs, every figure with its interval and count; null when no approach has a score. */
export function leaderTable(
  aggregates: readonly Aggregate[],
  name: ComparedName,
  looks: ReadonlyMap<string, Look>,
): Markup | null {
  const rows = leaderboard(aggregates, name)
  const use = [
    useWords(aggregates, name),
    ...(name === primaryMetric(aggregates) ? [ladderDecisionWords(aggregates)] : []),
  ]
  if (rows.length === 0) return null
  const table = dataTable(
    `${nameWords(name)}: leaderboard${aside(name)}`,
    [
      { content: 'approach' },
      { content: 'rank', numeric: true },
      { content: 'mean of levels', numeric: true },
      ...aggregates.map(({ dataset }) => ({ content: `${dataset.complexity_level} ${dataset.label}`, numeric: true })),
      { content: 'pairs', numeric: true },
    ],
    rows.map(({ alias, rank, mean, rungs, standing }) => ({
      head: aliasHead(alias.model, looks),
      cells: [
        num(rank === null ? '–' : String(rank), 'rank'),
        num(mean === null ? '–' : valueWords(name, mean), 'strong'),
        ...rungs.map((figure, rung) => rungCell(aggregates[rung]!, name, alias.model, figure)),
        num(standingWords(standing)),
      ],
    })),
  )
  return fragment(table, h('p', { class: 'note' }, use.filter((text) => text !== '').join(' ')))
}

function rungCell(aggregate: Aggregate, name: ComparedName, model: string, figure: RungFigure | null): Cell {
  if (figure === null) return { ...num(missingWords(aggregate, name, model)), class: 'num missing' }
  const { mean, interval, n, expected, unequal, common, failed } = figure
  const shared = common === null ? '' : `, ${valueWords(name, common.mean)} of ${common.n} shared`
  return num(
    figureWith(
      `${valueWords(name, mean)}${unequal ? UNEQUAL_SIGN : ''}`,
      intervalWords(name, interval),
      `${n}/${expected}${shared}${failed === 0 ? '' : `, ${STATE_SIGNS.timeout} ${failed} failed`}`,
    ),
    isThin(aggregate, name, figure) ? 'missing' : '',
  )
}

function missingWords(aggregate: Aggregate, name: ComparedName, model: string): string {
  const unavailable = aggregate.unavailable.some((alias) => alias.model === model)
  if (unavailable) return `${STATE_SIGNS.not_run} unavailable`
  const approach = aggregate.approaches.find((each) => each.model === model)
  if (approach === undefined) return `${STATE_SIGNS.not_run} not run`
  if (!isScoreOfCells(metricNamed(name))) return `${STATE_SIGNS.not_run} none`
  const summary = metricOf(approach, name)
  return summary === undefined
    ? `${STATE_SIGNS.disabled} not requested`
    : `${STATE_SIGNS[summary.state]} ${STATE_WORDS[summary.state]}`
}
