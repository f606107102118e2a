import { createElement as h, type ReactElement } from 'react'
import type { BudgetPoint } from '../contract/evidence/aggregate.ts'
import { reachedPoints } from '../core/evidence/budget-curve.ts'
import { countWords, scoreWords } from '../contract/words.ts'
import { wholeAxis } from './axis.ts'
import { LadderCurve } from './ladder-curve.ts'
import type { Look } from './look.ts'

export interface BudgetLine {
  model: string
  look: Look
  points: readonly BudgetPoint[]
}

interface BudgetCurveProps {
  width: number
  title: string
  lines: readonly BudgetLine[]
}

const WORDS = {
  axis: 'mean facts found in the first tokens',
  tokens: 'tokens',
  description:
    'A line per approach over the tokens of its contexts that are read; a line ends where half of the answers had no more text. A table holds the same figures.',
} as const

/** Facts found in the first tokens of what each approach handed over, from budget to budget. */
export function BudgetCurve({ width, title, lines }: BudgetCurveProps): ReactElement {
  const { budgets, rows } = reachedPoints(lines)
  return h(LadderCurve, {
    width,
    title,
    description: WORDS.description,
    rungs: budgets.map((budget) => ({ number: countWords(budget), label: WORDS.tokens })),
    series: rows.map(({ line: { model, look }, points }) => ({
      look,
      points: points.map((point) =>
        point === null
          ? null
          : {
              mean: point.found,
              interval: null,
              title: `${model}: ${scoreWords(point.found)} in the first ${countWords(point.tokens)} tokens, ${point.n} questions`,
              thin: null,
            },
      ),
    })),
    y: wholeAxis(WORDS.axis, 'score', []),
  })
}
