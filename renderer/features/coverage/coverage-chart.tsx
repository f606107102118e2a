import { Select } from '@mantine/core'
import { useId } from 'react'
import { CoverageBar, fillOf, HatchPattern, PART_WORDS, partsOf, type Part } from '../../../charts/coverage.ts'
import { lookOf } from '../../../charts/look.ts'
import type { Coverage, CoverageAlias, CoverageMetric } from '../../../contract/control/cells.ts'
import { ChartBox, ChartPanel } from '../../components/chart-panel.tsx'
import { count, metricName } from '../../components/format.ts'
import { COVERAGE_WORDS as WORDS } from './coverage-words.ts'

interface CoverageChartProps {
  coverage: Coverage
  /** Absent: the first. */
  metric: string | undefined
  onMetric: (metric: string) => void
}

/** Shows where the cells of one metric went, drawn. */
export function CoverageChart({ coverage, metric, onMetric }: CoverageChartProps) {
  const metrics = [...new Set(coverage.aliases.flatMap((alias) => alias.metrics.map(({ metric: name }) => name)))]
  const shown = metrics.find((name) => name === metric) ?? metrics[0]
  if (shown === undefined) return null
  const rows = coverage.aliases.flatMap((alias) => {
    const found = alias.metrics.find(({ metric: name }) => name === shown)
    return found === undefined ? [] : [{ alias, metric: found }]
  })
  return (
    <ChartPanel
      title={WORDS.chart}
      pictureTitle={WORDS.chartOf(metricName(shown))}
      fileName={`coverage-${coverage.run_id}-${coverage.dataset_id}-${shown}`}
      isEmpty={false}
      aside={
        <Select
          size="xs"
          aria-label={WORDS.metric}
          data={metrics.map((value) => ({ value, label: metricName(value) }))}
          value={shown}
          onChange={(value) => value !== null && onMetric(value)}
        />
      }
    >
      <ChartBox draw={(width) => <Bars width={width} rows={rows} metricLabel={metricName(shown)} />} />
    </ChartPanel>
  )
}

const LABEL_WIDTH = 130
/** For the figures behind the bars. */
const FIGURES_WIDTH = 70
const BAR_HEIGHT = 14
const ROW_HEIGHT = 24
const LEGEND_ROW = 20
/** Width of the sample of a colour in the legend; what is scored has a stripe of each approach's. */
const SWATCH = 24
const AXIS_HEIGHT = 40
const TICKS = 4

interface BarsProps {
  /** In pixels. */
  width: number
  rows: { alias: CoverageAlias; metric: CoverageMetric }[]
  metricLabel: string
}

/** One bar per approach, all its expected cells: what was scored in the approach's colour, and where the others went. */
function Bars({ width, rows, metricLabel }: BarsProps) {
  const hatch = useId()
  const most = Math.max(1, ...rows.map(({ metric }) => metric.expected))
  const used = [...new Set(rows.flatMap(({ metric }) => partsOf(metric).map(({ part }) => part)))]
  const legend = legendOf(used, width)
  const colours = [
    ...new Set(rows.map(({ alias: { model, base_model: base } }) => lookOf(model, base ?? undefined).colour)),
  ]
  const top = (1 + (legend.at(-1)?.row ?? 0)) * LEGEND_ROW + 8
  const bottom = top + rows.length * ROW_HEIGHT
  const barWidth = width - LABEL_WIDTH - FIGURES_WIDTH
  const pixelsPerCell = barWidth / most
  const x = (cells: number): number => LABEL_WIDTH + cells * pixelsPerCell
  return (
    <svg
      width={width}
      height={bottom + AXIS_HEIGHT}
      role="img"
      aria-label={WORDS.chartLabel(metricLabel)}
      fontSize="12"
      fill="var(--text)"
    >
      <defs>
        <HatchPattern id={hatch} />
      </defs>
      {legend.map(({ part, x: at, row }) => (
        <g key={part} transform={`translate(${at} ${row * LEGEND_ROW})`}>
          {part === 'scored' ? (
            colours.map((colour, index) => (
              <rect
                key={colour}
                x={(index * SWATCH) / colours.length}
                y="4"
                width={SWATCH / colours.length}
                height="12"
                fill={colour}
              />
            ))
          ) : (
            <rect y="4" width={SWATCH} height="12" fill={fillOf(part, 'none', hatch)} stroke="var(--line-strong)" />
          )}
          <text x={SWATCH + 6} y="14">
            {legendWords(part)}
          </text>
        </g>
      ))}
      {rows.map(({ alias: { model, base_model: base }, metric }, index) => {
        const y = top + index * ROW_HEIGHT
        const { short, colour } = lookOf(model, base ?? undefined)
        return (
          <g key={model}>
            <text x={LABEL_WIDTH - 12} y={y + 12} textAnchor="end">
              {short}
            </text>
            <CoverageBar
              {...{ counts: metric, colour, hatch, x: LABEL_WIDTH, y, height: BAR_HEIGHT, pixelsPerCell }}
              title={(part, cells) => WORDS.barPart(model, PART_WORDS[part], count(cells), count(metric.expected))}
            />
            <text x={x(metric.expected) + 8} y={y + 12}>
              {count(metric.scored)}/{count(metric.expected)}
            </text>
          </g>
        )
      })}
      {Array.from({ length: TICKS + 1 }, (_, tick) => Math.round((most * tick) / TICKS)).map((cells, tick) => (
        <g key={tick}>
          <line x1={x(cells)} x2={x(cells)} y1={bottom} y2={bottom + 4} stroke="var(--line-strong)" />
          <text x={x(cells)} y={bottom + 18} textAnchor="middle" fill="var(--dim)">
            {count(cells)}
          </text>
        </g>
      ))}
      <text x={LABEL_WIDTH + barWidth / 2} y={bottom + 34} textAnchor="middle" fill="var(--dim)">
        {WORDS.axis}
      </text>
    </svg>
  )
}

const legendWords = (part: Part): string =>
  part === 'scored' ? WORDS.scoredInColours(PART_WORDS[part]) : PART_WORDS[part]

/** Returns where each entry of the legend stands: beside the one before it, or in the next row where it would not fit. */
function legendOf(parts: readonly Part[], width: number): { part: Part; x: number; row: number }[] {
  let x = LABEL_WIDTH
  let row = 0
  return parts.map((part) => {
    const needed = SWATCH + 16 + legendWords(part).length * 7
    if (x > LABEL_WIDTH && x + needed > width) [x, row] = [LABEL_WIDTH, row + 1]
    const at = x
    x += needed
    return { part, x: at, row }
  })
}
