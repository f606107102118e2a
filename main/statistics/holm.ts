/**
 * Holm's step-down adjustment (1979, Scandinavian Journal of Statistics 6): rejecting where the result is at most α keeps the chance of any
 * false rejection at most α, whatever the dependence between the tests. Null is no test: it stays null and does not count.
 */
export function holmAdjusted(values: readonly (number | null)[]): (number | null)[] {
  const order = values.flatMap((p, index) => (p === null ? [] : [{ p, index }])).sort((left, right) => left.p - right.p)
  const adjusted: (number | null)[] = values.map(() => null)
  let floor = 0
  for (const [step, { p, index }] of order.entries()) {
    floor = Math.max(floor, Math.min(1, (order.length - step) * p))
    adjusted[index] = floor
  }
  return adjusted
}
