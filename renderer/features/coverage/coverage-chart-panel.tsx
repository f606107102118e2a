import { Select } from '@mantine/core'
import { useRef } from 'react'
import type { Coverage } from '../../../contract/control/cells.ts'
import { ChartExport } from '../../components/chart-export.tsx'
import { metricName } from '../../components/format.ts'
import { Panel } from '../../components/states.tsx'
import { CoverageChart } from './coverage-chart.tsx'
import styles from './coverage.module.css'

interface CoverageChartPanelProps {
  coverage: Coverage
  /** Absent: the first. */
  metric: string | undefined
  onMetric: (metric: string) => void
}

/** Where the cells of one metric went, drawn. */
export function CoverageChartPanel({ coverage, metric, onMetric }: CoverageChartPanelProps) {
  const around = useRef<HTMLDivElement>(null)
  const metrics = [...new Set(coverage.aliases.flatMap((alias) => alias.metrics.map(({ metric: name }) => name)))]
  const shown = metrics.find((name) => name === metric) ?? metrics[0]
  if (shown === undefined) return null
  const rows = coverage.aliases.flatMap((alias) => {
    const found = alias.metrics.find(({ metric: name }) => name === shown)
    return found === undefined ? [] : [{ alias, metric: found }]
  })
  return (
    <Panel
      title="Where the cells went"
      aside={
        <>
          <Select
            size="xs"
            aria-label="Metric"
            allowDeselect={false}
            data={metrics.map((value) => ({ value, label: metricName(value) }))}
            value={shown}
            onChange={(value) => value !== null && onMetric(value)}
          />
          <ChartExport around={around} name={`coverage-${coverage.run_id}-${coverage.dataset_id}-${shown}`} />
        </>
      }
    >
      <div ref={around} className={styles.chart} tabIndex={0} role="region" aria-label="Coverage chart">
        <CoverageChart rows={rows} metricLabel={metricName(shown)} />
      </div>
    </Panel>
  )
}
