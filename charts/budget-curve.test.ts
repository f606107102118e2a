import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { countWords } from '../contract/words.ts'
import { reachedPoints } from '../core/evidence/budget-curve.ts'
import { BudgetCurve } from './budget-curve.ts'
import { lookOf } from './look.ts'

const points = (filled: number[]) =>
  filled.map((share, at) => ({
    tokens: [500, 1000, 2000][at]!,
    n: 8,
    found: 0.4 + at / 10,
    complete: 0,
    filled: share,
  }))
const lines = [
  { model: 'hybrid-rag', look: lookOf('hybrid-rag'), points: points([1, 0.2, 0]) },
  { model: 'graph-rag', look: lookOf('graph-rag'), points: points([1, 1, 0.1]) },
]

it('a budget curve ends where half of the answers had no more text, and leaves out budgets that no approach reaches', () => {
  const { budgets, rows } = reachedPoints(lines)
  expect(budgets).toEqual([500, 1000])
  expect(rows.map(({ points: shown }) => shown.map((point) => point?.found ?? null))).toEqual([
    [0.4, null],
    [0.4, 0.5],
  ])
  const svg = renderToStaticMarkup(createElement(BudgetCurve, { width: 600, title: 'Facts found', lines }))
  expect(svg).toContain(`graph-rag: 0.50 in the first ${countWords(1000)} tokens, 8 questions`)
  expect(svg).not.toContain('hybrid-rag: 0.50')
})
