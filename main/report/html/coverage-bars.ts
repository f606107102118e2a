import { METRIC_LABELS, type Aggregate, type MetricSummary } from '../../../contract/index.ts'
import type { Look } from '../approach-looks.ts'
import { metricOf, metricsOf } from '../metric-access.ts'
import { STATE_SIGNS, STATE_WORDS } from '../score-format.ts'
import { h, type Markup } from './markup.ts'
import { px } from './marker.ts'
import { aliasHead, dataTable, type Cell } from './table.ts'

const WIDTH = 64
const HEIGHT = 8

/** How much of every metric is there, approach by approach. What is missing is hatched, never a low bar. */
export function coverageBars(aggregate: Aggregate, looks: ReadonlyMap<string, Look>): Markup {
  const metrics = metricsOf(aggregate)
  return dataTable(
    `${aggregate.dataset.label}: scored of expected cells`,
    [{ content: 'approach' }, ...metrics.map((metric) => ({ content: METRIC_LABELS[metric] }))],
    aggregate.approaches.map((approach) => ({
      head: aliasHead(approach.model, looks),
      cells: metrics.map((metric) => bar(metricOf(approach, metric), looks.get(approach.model)!)),
    })),
  )
}

function bar(summary: MetricSummary | undefined, look: Look): Cell {
  if (summary === undefined) return { content: `${STATE_SIGNS.disabled} not requested`, class: 'missing' }
  const { state, scored, expected } = summary
  const share = expected === 0 ? 0 : scored / expected
  return {
    content: [
      h(
        'svg',
        { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, 'aria-hidden': 'true', class: 'bar' },
        h('rect', { x: 0, y: 0, width: WIDTH, height: HEIGHT, fill: 'url(#hatch)' }),
        share === 0
          ? null
          : h('rect', { x: 0, y: 0, width: px(WIDTH * share), height: HEIGHT, fill: look.colour, class: 'filled' }),
      ),
      h('span', { class: 'nowrap' }, `${STATE_SIGNS[state]} ${scored}/${expected}`),
    ],
    title: STATE_WORDS[state],
    class: 'coverage',
  }
}

/** The pattern that stands for what is missing; once per page. */
export const hatchPattern = (): Markup =>
  h(
    'svg',
    { class: 'defs', width: 0, height: 0, 'aria-hidden': 'true', focusable: 'false' },
    h(
      'defs',
      {},
      h(
        'pattern',
        { id: 'hatch', width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
        h('rect', { width: 5, height: 5, class: 'hatch-ground' }),
        h('rect', { width: 1.4, height: 5, class: 'hatch-line' }),
      ),
    ),
  )
