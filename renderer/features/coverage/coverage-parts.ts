import type { CoverageMetric } from '../../../contract/control/cells.ts'

/** Where cells go, in the order of the bars. */
export const PARTS = ['scored', 'errors', 'timeouts', 'unevaluable', 'disabled', 'not_run', 'missing'] as const
export type Part = (typeof PARTS)[number]

/** Sign and word of a part, as everywhere. */
export const PART_WORDS: Record<Part, string> = {
  scored: '● scored',
  errors: '▲ error',
  timeouts: '◷ timeout',
  unevaluable: '○ not evaluable',
  disabled: '– disabled',
  not_run: '✕ not run',
  missing: 'missing',
}

/** Parts with cells in them, each with its place on the bar in cells. */
export function partsOf(metric: CoverageMetric): { part: Part; from: number; cells: number }[] {
  let from = 0
  return PARTS.flatMap((part) => {
    const cells = metric[part]
    from += cells
    return cells === 0 ? [] : [{ part, from: from - cells, cells }]
  })
}
