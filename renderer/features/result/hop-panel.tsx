import { wholeAxis } from '../../../charts/axis.ts'
import { HopMultiples } from '../../../charts/hop-multiples.ts'
import { looksOf } from '../../../charts/look.ts'
import type { FrontierPoint } from '../../../contract/control/comparison.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { ChartBox, ChartPanel } from '../../components/chart-panel.tsx'
import { count, metricHeading, metricName, score } from '../../components/format.ts'
import { type DataColumn, DataTable, num } from '../../components/tables.tsx'
import { RESULT_WORDS } from './result-words.ts'

const WORDS = RESULT_WORDS.hops

/** Fewer questions of a number of hops than this say little: their markers are pale. */
const FEW_QUESTIONS = 8

interface HopPanelProps {
  run: string
  label: string
  metric: IndexMetric
  /** Of one dataset. */
  points: readonly FrontierPoint[]
}

/** Draws each approach by the number of facts that a question joins; nothing where all questions join as many. */
export function HopPanel({ run, label, metric, points }: HopPanelProps) {
  const hops = [...new Set(points.flatMap(({ by_hops: groups }) => groups.map(({ hops: each }) => each)))]
    .filter((each) => each !== null)
    .filter((each) => points.some(({ by_hops: groups }) => groups.some((group) => group.hops === each && group.n > 0)))
    .toSorted((one, other) => one - other)
  if (hops.length < 2) return null
  const looks = looksOf(points)
  const groupOf = ({ by_hops: groups }: FrontierPoint, at: number) => groups.find((group) => group.hops === at)
  const series = points.map((point) => ({
    look: looks.get(point.model)!,
    points: hops.map((at) => {
      const group = groupOf(point, at)
      if (group === undefined || group.mean === null) return null
      const written = score(group.mean)
      const title = WORDS.figure(point.model, WORDS.hops(at), written, count(group.n), count(group.expected))
      return { mean: group.mean, written, title, thin: group.n < FEW_QUESTIONS }
    }),
  }))
  const means = series.flatMap((line) => line.points.flatMap((point) => (point === null ? [] : [point.mean])))
  const title = WORDS.title(metricHeading(metric), label)
  return (
    <ChartPanel title={title} fileName={`${run}-${metric}-hops`} isEmpty={means.length === 0}>
      <div className="stack">
        <ChartBox
          draw={(width) => (
            <HopMultiples
              {...{ width, title, series }}
              hops={hops.map((at) => WORDS.hops(at))}
              y={wholeAxis(metricName(metric), 'score', means)}
            />
          )}
        />
        <DataTable
          label={title}
          rows={points}
          keyOf={({ model }) => model}
          columns={[
            [RESULT_WORDS.approach, ({ model, base_model: base }) => <ApproachName alias={model} base={base} short />],
            ...hops.map((at): DataColumn<FrontierPoint> => [
              num(WORDS.hops(at)),
              (point) => {
                const group = groupOf(point, at)
                return (
                  <>
                    {score(group?.mean)}{' '}
                    <span className="dim">{group && `${count(group.n)}/${count(group.expected)}`}</span>
                  </>
                )
              },
            ]),
          ]}
        />
        <p className="dim">{WORDS.about(FEW_QUESTIONS)}</p>
      </div>
    </ChartPanel>
  )
}
