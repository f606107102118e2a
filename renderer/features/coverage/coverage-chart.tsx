import { useId } from 'react'
import type { CoverageAlias, CoverageMetric } from '../../../contract/control/cells.ts'
import { lookOf } from '../../components/approach-colours.ts'
import { count } from '../../components/format.ts'
import { type Part, PART_WORDS, partsOf } from './coverage-parts.ts'

const LABEL_WIDTH = 170
const BAR_WIDTH = 620
const BAR_HEIGHT = 14
const ROW_HEIGHT = 24
const LEGEND_HEIGHT = 28
const AXIS_HEIGHT = 40
const TICKS = 4

const FILLS: Partial<Record<Part, string>> = {
  errors: 'var(--bad)',
  timeouts: 'var(--warn)',
  not_run: 'var(--line-strong)',
  disabled: 'var(--surface-3)',
}

interface CoverageChartProps {
  rows: { alias: CoverageAlias; metric: CoverageMetric }[]
  metricLabel: string
}

/** One bar per approach, all its expected cells: what was scored in the approach's colour, and where the others went. */
export function CoverageChart({ rows, metricLabel }: CoverageChartProps) {
  const pattern = useId()
  const most = Math.max(1, ...rows.map(({ metric }) => metric.expected))
  const used = [...new Set(rows.flatMap(({ metric }) => partsOf(metric).map(({ part }) => part)))]
  const bottom = LEGEND_HEIGHT + rows.length * ROW_HEIGHT
  const x = (cells: number): number => LABEL_WIDTH + (cells / most) * BAR_WIDTH
  const fillOf = (part: Part, colour: string): string =>
    part === 'scored' ? colour : (FILLS[part] ?? `url(#${pattern})`)
  let legendAt = LABEL_WIDTH
  return (
    <svg
      width={LABEL_WIDTH + BAR_WIDTH + 90}
      height={bottom + AXIS_HEIGHT}
      role="img"
      aria-label={`Coverage of ${metricLabel}: cells by state and approach`}
      fontSize="12"
      fill="var(--text)"
    >
      <defs>
        <pattern id={pattern} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="6" height="6" fill="var(--surface)" />
          <line x1="0" y1="0" x2="0" y2="6" stroke="var(--dim)" strokeWidth="2" />
        </pattern>
      </defs>
      {used.map((part) => {
        const at = legendAt
        legendAt += 28 + PART_WORDS[part].length * 7
        return (
          <g key={part}>
            <rect
              x={at}
              y="4"
              width="12"
              height="12"
              fill={fillOf(part, 'var(--accent)')}
              stroke="var(--line-strong)"
            />
            <text x={at + 18} y="14">
              {PART_WORDS[part]}
            </text>
          </g>
        )
      })}
      {rows.map(({ alias: { model, base_model: base }, metric }, index) => {
        const top = LEGEND_HEIGHT + index * ROW_HEIGHT
        const look = lookOf(model, base)
        return (
          <g key={model}>
            <text x={LABEL_WIDTH - 12} y={top + 12} textAnchor="end">
              {look.short}
            </text>
            {partsOf(metric).map(({ part, from, cells }) => (
              <rect
                key={part}
                x={x(from)}
                y={top}
                width={x(cells) - LABEL_WIDTH}
                height={BAR_HEIGHT}
                fill={fillOf(part, look.colour)}
                stroke="var(--surface)"
              >
                <title>{`${model}: ${PART_WORDS[part]} ${count(cells)} of ${count(metric.expected)}`}</title>
              </rect>
            ))}
            <text x={x(metric.expected) + 8} y={top + 12}>
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
      <text x={LABEL_WIDTH + BAR_WIDTH / 2} y={bottom + 34} textAnchor="middle" fill="var(--dim)">
        cells of {metricLabel}
      </text>
    </svg>
  )
}
