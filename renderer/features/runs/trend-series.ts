import type { CurvePoint, CurveSeries } from '../../../charts/ladder-curve.ts'
import { looksOf } from '../../../charts/look.ts'
import type { FrontierPoint } from '../../../contract/control/comparison.ts'
import type { Estimate } from '../../../contract/evidence/statistics.ts'
import { intervalWords } from '../../../contract/words.ts'
import { count, score } from '../../components/format.ts'

/** Interval of an alias's mean in one run; null while it is unknown, or where there is none. */
export type RunInterval = (run: string, alias: string) => Estimate['interval']

/**
 * A line per approach through runs that are comparable, in their order. A run that scored fewer questions of an approach than another one is
 * pale and not joined: its mean is over other questions.
 */
export function trendSeries(
  runs: readonly string[],
  points: readonly FrontierPoint[],
  intervalOf: RunInterval,
): CurveSeries[] {
  return Array.from(looksOf(points), ([alias, look]) => {
    const own = points.filter(({ model }) => model === alias)
    const most = Math.max(...own.map(({ n }) => n))
    return {
      look,
      points: runs.map((run): CurvePoint | null => {
        const point = own.find(({ run_id: id }) => id === run)
        if (point === undefined || point.quality === null) return null
        const interval = intervalOf(run, alias)
        const counted = `${count(point.n)}/${count(point.expected)}`
        const range = interval === null ? '' : ` ${intervalWords(interval)}`
        return {
          mean: point.quality,
          interval,
          title: `${alias} in ${run}: ${score(point.quality)}${range}, ${counted}`,
          thin: point.n < most ? counted : null,
        }
      }),
    }
  })
}
