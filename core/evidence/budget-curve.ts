import type { BudgetPoint } from '../../contract/evidence/aggregate.ts'

/** True when half of the answers had about as much text: beyond that a curve is flat, not measured. */
const isReached = ({ filled }: Pick<BudgetPoint, 'filled'>): boolean => filled === null || filled >= 0.5

/** The budgets that some approach reaches, and each approach's point there; null where its answers had no more text. */
export function reachedPoints<Line extends { points: readonly BudgetPoint[] }>(
  lines: readonly Line[],
): { budgets: number[]; rows: { line: Line; points: (BudgetPoint | null)[] }[] } {
  const budgets = [
    ...new Set(lines.flatMap(({ points }) => points.filter(isReached).map(({ tokens }) => tokens))),
  ].sort((a, b) => a - b)
  const at = (points: readonly BudgetPoint[], budget: number): BudgetPoint | null =>
    points.find((point) => point.tokens === budget && isReached(point)) ?? null
  return { budgets, rows: lines.map((line) => ({ line, points: budgets.map((budget) => at(line.points, budget)) })) }
}
