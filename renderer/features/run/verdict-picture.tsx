import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { FrontierPoint } from '../../../contract/control/comparison.ts'
import { intervalWords } from '../../../contract/words.ts'
import { pngBlob } from '../../components/chart-picture.ts'
import { count, duration, meanWords, metricHeading, score } from '../../components/format.ts'
import { picturePage, type PictureText } from '../../components/picture-page.ts'
import { saveFile } from '../../components/save-file.ts'
import { api } from '../../data/client.ts'
import { type IntervalOf, useIntervals } from '../../data/intervals.ts'
import { useLeadingMetric } from '../../data/leading-metric.ts'
import { FIRST_METRIC } from '../../../contract/metrics/metrics.ts'
import { CostChart } from '../compare/compare-charts.tsx'
import { RESULT_WORDS } from '../result/result-words.ts'
import { RUN_WORDS } from './run-words.ts'
import styles from './run.module.css'

const WORDS = RUN_WORDS.picture
const WIDTH = 960
const CHART_WIDTH = 912

export type PictureFormat = 'PNG' | 'SVG'

interface VerdictPictureProps {
  run: string
  dataset: string
  /** Label of the run, whose id alone is the title without one. */
  label: string | undefined
  format: PictureFormat
  /** Called once, with the name of the saved file or with what failed. */
  onEnd: (outcome: { file: string } | { error: unknown }) => void
}

const rowsOf = (points: readonly FrontierPoint[], metric: string, intervalOf: IntervalOf): string[][] => [
  [WORDS.approach, metric, WORDS.interval, WORDS.n, WORDS.latency, WORDS.calls],
  ...points
    .toSorted((a, b) => (b.quality ?? -1) - (a.quality ?? -1))
    .map(({ model, dataset_id: dataset, quality, n, latency_ms: latency, llm_calls: calls }) => {
      const interval = intervalOf(dataset, model)
      return [
        model,
        quality === null ? '–' : score(quality),
        interval ? intervalWords(interval) : '–',
        count(n),
        latency === null ? '–' : duration(latency),
        calls === null ? '–' : meanWords(calls, 2),
      ]
    }),
]

/** Draws the verdict of a dataset out of sight with headline, chart and figures, and saves it once all of it has been read. */
export function VerdictPicture({ run, dataset, label, format, onEnd }: VerdictPictureProps) {
  const around = useRef<HTMLDivElement>(null)
  const ended = useRef(false)
  const result = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const leading = useLeadingMetric(run)
  const metric = leading ?? FIRST_METRIC
  const intervalOf = useIntervals(run, [dataset], metric)
  const frontier = useQuery({
    ...api.compare.frontier.queryOptions({ input: { run_ids: [run], metric } }),
    enabled: leading !== null,
  })
  const points = frontier.data?.points.filter(({ dataset_id: id }) => id === dataset) ?? []
  const verdict = result.data?.verdicts.find(({ dataset: id }) => id === dataset)
  const error = result.error ?? frontier.error
  const isRead =
    result.data !== undefined &&
    frontier.data !== undefined &&
    points.every(({ model }) => intervalOf(dataset, model) !== undefined)
  useEffect(() => {
    if (ended.current || (error === null && !isRead)) return
    ended.current = true
    const save = async (): Promise<string> => {
      if (error !== null) throw error
      const chart = around.current?.querySelector('svg[role=img]')
      if (verdict === undefined || !(chart instanceof SVGSVGElement)) throw new Error(WORDS.nothing)
      const texts: PictureText[] = [
        {
          text: WORDS.about(label === undefined || label === '' ? run : `${label} (${run})`, verdict.label),
          size: 13,
          weight: 400,
          isDim: true,
        },
        { text: verdict.headline, size: 24, weight: 650 },
        { text: verdict.why, size: 15, weight: 400 },
        { text: verdict.recommendation ?? '', size: 15, weight: 550 },
        {
          text: verdict.questions === null ? '' : RESULT_WORDS.scored(verdict.questions),
          size: 13,
          weight: 400,
          isDim: true,
        },
      ]
      const rows = rowsOf(points, metricHeading(metric), intervalOf)
      const picture = picturePage({ width: WIDTH, texts: texts.filter(({ text }) => text !== ''), chart, rows })
      const file = `${`${run}-${dataset}-verdict`.replace(/[^\w.-]+/g, '-')}.${format.toLowerCase()}`
      if (format === 'SVG') saveFile(file, [picture.text], 'image/svg+xml')
      else saveFile(file, [await pngBlob(picture)], 'image/png')
      return file
    }
    save().then(
      (file) => onEnd({ file }),
      (failure: unknown) => onEnd({ error: failure }),
    )
  })
  return (
    <div ref={around} className={styles.outOfSight} aria-hidden="true">
      {isRead && (
        <CostChart
          {...{ points, metric, intervalOf }}
          width={CHART_WIDTH}
          axis="latency_ms"
          better={frontier.data.better}
        />
      )}
    </div>
  )
}
