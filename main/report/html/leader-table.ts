import { metricNamed, type Aggregate } from '../../../contract/index.ts'
import type { Look } from '../../../charts/look.ts'
import type { ComparedName } from '../comparison-access.ts'
import { intervalWords, nameWords, standingWords, valueWords } from '../comparison-words.ts'
import { UNEQUAL_SIGN } from '../coverage-notes.ts'
import { isThin, leaderboard, type RungFigure } from '../leaderboard.ts'
import { metricOf } from '../metric-access.ts'
import { STATE_SIGNS, STATE_WORDS } from '../score-format.ts'
import { isScoreOfCells } from '../score-metrics.ts'
import { ladderDecisionWords, primaryMetric, useWords } from '../metric-use.ts'
import { fragment, h, type Markup } from './markup.ts'
import { aliasHead, dataTable, figureWith, num, type Cell } from './table.ts'

/** What a reader of the means must know besides the name. */
function aside(name: ComparedName): string {
  const metric = metricNamed(name)
  return `${metric?.class === 'operational' ? ', mean of the answered cells' : ''}${metric?.better === 'lower' ? ', lower is better' : ''}`
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
      { content: 'mean of rungs', numeric: true },
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
