// The report's charts: the components of the pages, drawn here without a browser. They bring React and Recharts, which take a third of a second
// to load, so this file is only imported when a page is written.
import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { logTimeAxis, wholeAxis, type Axis } from '../../../charts/axis.ts'
import { BudgetCurve } from '../../../charts/budget-curve.ts'
import { CoverageBar, HatchPattern, PART_WORDS } from '../../../charts/coverage.ts'
import { Frontier } from '../../../charts/frontier.ts'
import { LadderCurve, type CurvePoint } from '../../../charts/ladder-curve.ts'
import type { Look } from '../../../charts/look.ts'
import type { Aggregate, MetricSummary } from '../../../contract/evidence/aggregate.ts'
import { metricNamed } from '../../../contract/metrics/metrics.ts'
import { durationWords } from '../../../contract/words.ts'
import { factsFound } from '../../../contract/metrics/facts-found.ts'
import { oneLine } from '../../lib/text/sanitize-for-terminal.ts'
import type { ComparedName } from '../aggregate/aggregate-access.ts'
import { aliasesOf, isThin, rungFigure, type RungFigure } from '../tables/leaderboard.ts'
import { intervalWords, nameWords, valueWords } from '../words.ts'
import { raw, type Markup } from './markup.ts'

const WIDTH = 600

type Looks = ReadonlyMap<string, Look>
export type Charts = typeof CHARTS

/** The components escape what they are given, but let controls and characters that turn text around through: texts of others pass `oneLine`. */
const drawn = (element: ReactElement): Markup => raw(renderToStaticMarkup(element))

function qualityAxis(name: ComparedName, figures: readonly (RungFigure | null)[]): Axis {
  const values = figures.flatMap((figure) =>
    figure === null
      ? []
      : [figure.mean, ...(figure.interval === null ? [] : [figure.interval.low, figure.interval.high])],
  )
  const words = `mean ${nameWords(name)}, 95 % interval`
  const unit = metricNamed(name)?.unit ?? 'score'
  return unit === 'duration' ? logTimeAxis(words, values) : wholeAxis(words, unit, values)
}

const figureWords = (model: string, name: ComparedName, { mean, interval, n, expected }: RungFigure): string =>
  `${model}: ${valueWords(name, mean)} ${intervalWords(name, interval)}, ${n}/${expected}`.replace(' ,', ',')

const CHARTS = {
  /** One metric over the levels. */
  ladderCurve(aggregates: readonly Aggregate[], name: ComparedName, looks: Looks): Markup {
    const lines = aliasesOf(aggregates).map(({ model }) => ({
      model,
      figures: aggregates.map((aggregate) => rungFigure(aggregate, name, model)),
    }))
    const pointOf = (model: string, figure: RungFigure, aggregate: Aggregate): CurvePoint => ({
      mean: figure.mean,
      interval: figure.interval,
      title: figureWords(model, name, figure),
      thin: isThin(aggregate, name, figure) ? `${figure.n}/${figure.expected}` : null,
    })
    return drawn(
      createElement(LadderCurve, {
        width: WIDTH,
        title: `${nameWords(name)} up the ladder`,
        rungs: aggregates.map(({ dataset }) => ({
          number: `level ${dataset.complexity_level}`,
          label: oneLine(dataset.label),
        })),
        series: lines.map(({ model, figures }) => ({
          look: looks.get(model)!,
          points: figures.map((figure, rung) => (figure === null ? null : pointOf(model, figure, aggregates[rung]!))),
        })),
        y: qualityAxis(
          name,
          lines.flatMap(({ figures }) => figures),
        ),
      }),
    )
  },

  /** Facts found by the text handed over; null where no row tells. */
  budgetCurve({ approaches, dataset }: Aggregate, looks: Looks): Markup | null {
    const lines = approaches.flatMap(({ model, budget_curve: points }) =>
      points === null ? [] : [{ model, look: looks.get(model)!, points }],
    )
    if (lines.length === 0) return null
    const title = `${factsFound.label} by text handed over, ${oneLine(dataset.label)}`
    return drawn(createElement(BudgetCurve, { width: WIDTH, title, lines }))
  },

  /** Quality over the median latency of the answered cells; null where no approach has both. */
  frontier(aggregate: Aggregate, name: ComparedName, looks: Looks): Markup | null {
    const measured = aggregate.approaches.flatMap(({ model, operational }) => {
      const figure = rungFigure(aggregate, name, model)
      const cost = operational.latency_ms.median
      return figure === null || cost === null ? [] : [{ model, figure, cost }]
    })
    if (measured.length === 0) return null
    return drawn(
      createElement(Frontier, {
        width: WIDTH,
        title: `${nameWords(name)} over latency, ${oneLine(aggregate.dataset.label)}`,
        points: measured.map(({ model, figure, cost }) => ({
          model,
          look: looks.get(model)!,
          cost,
          quality: figure.mean,
          interval: figure.interval,
          title: `${figureWords(model, name, figure)} · ${durationWords(cost)}`,
        })),
        better: 'higher',
        x: logTimeAxis(
          'median latency (each step multiplies)',
          measured.map(({ cost }) => cost),
        ),
        y: qualityAxis(
          name,
          measured.map(({ figure }) => figure),
        ),
      }),
    )
  },

  /** Returns where the cells of one metric of one approach went, beside its count. */
  coverageBar(summary: MetricSummary, look: Look): Markup {
    const [width, height] = [64, 8]
    return drawn(
      createElement(
        'svg',
        { viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': true, className: 'bar' },
        createElement(CoverageBar, {
          counts: summary,
          colour: look.colour,
          hatch: 'hatch',
          x: 0,
          y: 0,
          height,
          pixelsPerCell: width / Math.max(1, summary.expected),
          title: (part, cells) => `${PART_WORDS[part]} ${cells} of ${summary.expected}`,
        }),
      ),
    )
  },

  /** The pattern of what is missing; once per page. */
  hatchPattern(): Markup {
    const pattern = createElement('defs', null, createElement(HatchPattern, { id: 'hatch' }))
    return drawn(
      createElement('svg', { className: 'defs', width: 0, height: 0, 'aria-hidden': true, focusable: false }, pattern),
    )
  },
} as const

export const charts: Charts = CHARTS
