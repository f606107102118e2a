import { createElement as h, type ReactElement } from 'react'
import { Rectangle } from 'recharts'
import { px } from './frame.ts'

/** Each cell is counted in one of these, in the order of the bars. */
const PARTS = ['scored', 'errors', 'timeouts', 'unevaluable', 'disabled', 'not_run', 'missing'] as const
type Part = (typeof PARTS)[number]

/** Sign and word of a part. */
export const PART_WORDS: Record<Part, string> = {
  scored: '● scored',
  errors: '▲ error',
  timeouts: '◷ timeout',
  unevaluable: '○ not evaluable',
  disabled: '– disabled',
  not_run: '✕ not scored',
  missing: 'missing',
}

const FILLS: Partial<Record<Part, string>> = {
  errors: 'var(--bad)',
  timeouts: 'var(--warn)',
  not_run: 'var(--line-strong)',
  disabled: 'var(--surface-3)',
}

/** Parts without a colour of their own are hatched: what is missing is never a pale low bar. */
const fillOf = (part: Part, colour: string, hatch: string): string =>
  part === 'scored' ? colour : (FILLS[part] ?? `url(#${hatch})`)

/** Parts with cells in them, each with the cells before it. */
function partsOf(metric: Readonly<Record<Part, number>>): { part: Part; from: number; cells: number }[] {
  let from = 0
  return PARTS.flatMap((part) => {
    const cells = metric[part]
    from += cells
    return cells === 0 ? [] : [{ part, from: from - cells, cells }]
  })
}

interface CoverageBarProps {
  counts: Readonly<Record<Part, number>>
  /** Of the scored part. */
  colour: string
  /** Id of the hatch pattern. */
  hatch: string
  x: number
  y: number
  height: number
  pixelsPerCell: number
  /** Written where the pointer rests on a part. */
  title: (part: Part, cells: number) => string
}

/** The expected cells of one metric of one approach: what was scored in its colour, and where the others went. */
export const CoverageBar = ({
  counts,
  colour,
  hatch,
  x,
  y,
  height,
  pixelsPerCell,
  title,
}: CoverageBarProps): ReactElement =>
  h(
    'g',
    null,
    partsOf(counts).map(({ part, from, cells }) =>
      h(
        'g',
        { key: part },
        h('title', null, title(part, cells)),
        h(Rectangle, {
          x: px(x + from * pixelsPerCell),
          y,
          width: px(cells * pixelsPerCell),
          height,
          fill: fillOf(part, colour, hatch),
          stroke: 'var(--surface)',
          isAnimationActive: false,
        }),
      ),
    ),
  )

/** The pattern of what is missing. */
export const HatchPattern = ({ id }: { id: string }): ReactElement =>
  h(
    'pattern',
    { id, width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    h('rect', { width: 6, height: 6, fill: 'var(--surface)' }),
    h('line', { x1: 0, y1: 0, x2: 0, y2: 6, stroke: 'var(--dim)', strokeWidth: 2 }),
  )
