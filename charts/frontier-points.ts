/** The points that no other one is at least as good as in quality and cost and better in one, cheapest first. */
export function frontierOf<Point extends { cost: number; quality: number }>(
  points: readonly Point[],
  better: 'higher' | 'lower',
): Point[] {
  const sign = better === 'higher' ? 1 : -1
  const beats = (one: Point, other: Point): boolean => {
    const [quality, cost] = [sign * (one.quality - other.quality), other.cost - one.cost]
    return quality >= 0 && cost >= 0 && quality + cost > 0
  }
  return points
    .filter((point) => !points.some((other) => beats(other, point)))
    .toSorted((a, b) => a.cost - b.cost || a.quality - b.quality)
}
