import { Select, type SelectProps } from '@mantine/core'
import type { RefObject } from 'react'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { RunDatasetSummary, RunSummary } from '../../../contract/control/run-index/runs.ts'
import type { MatrixSearch, SortBy } from '../../app/search-params.ts'
import { metricName } from '../../components/format.ts'
import { MatrixFilterFields } from './matrix-filter-fields.tsx'
import { ExportMenu } from './export-menu.tsx'
import styles from './matrix.module.css'

interface MatrixToolbarProps {
  runIds: string[]
  summary: RunSummary
  dataset: RunDatasetSummary
  search: MatrixSearch
  metric: IndexMetric
  baseline: string | null
  aliases: string[]
  set: (part: Partial<MatrixSearch>) => void
  textInput: RefObject<HTMLInputElement | null>
}

const SORT_NAMES: { value: SortBy; label: string }[] = [
  { value: 'position', label: 'as asked' },
  { value: 'hops', label: 'hops' },
  { value: 'mean', label: 'mean' },
  { value: 'spread', label: 'disagreement' },
]
const NOTHING = 'none'

/** A choice whose label stands beside it where there is room. */
function Choice({ width, ...props }: SelectProps & { width: number }) {
  return (
    <Select
      size="xs"
      allowDeselect={false}
      title={typeof props.label === 'string' ? props.label : ''}
      classNames={{ root: styles.field ?? '' }}
      style={{ maxWidth: width }}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      {...props}
    />
  )
}

/** What is shown, in which order, and what is left out. */
export function MatrixToolbar(props: MatrixToolbarProps) {
  const { runIds, summary, dataset, search, metric, baseline, aliases, set, textInput } = props
  const metrics = dataset.metrics.includes(metric) ? dataset.metrics : [metric, ...dataset.metrics]
  return (
    <div className={styles.toolbar} role="toolbar" aria-label="Matrix">
      <div className={styles.choices}>
        <h1>Matrix</h1>
        <Choice
          width={220}
          label="Run"
          searchable
          data={runIds.includes(summary.run_id) ? runIds : [summary.run_id, ...runIds]}
          value={summary.run_id}
          onChange={(run) => run !== null && set({ run, cell: undefined, against: undefined })}
        />
        <Choice
          width={240}
          label="Dataset"
          data={summary.datasets.map(({ dataset_id: value, label }) => ({ value, label }))}
          value={dataset.dataset_id}
          onChange={(id) => id !== null && set({ dataset: id, cell: undefined, against: undefined })}
        />
        <Choice
          width={190}
          label="Metric"
          data={metrics.map((value) => ({ value, label: metricName(value) }))}
          value={metric}
          onChange={(value) => value !== null && set({ metric: value as IndexMetric })}
        />
        <Choice
          width={220}
          label="Baseline"
          data={[{ value: NOTHING, label: 'none' }, ...aliases.map((alias) => ({ value: alias, label: alias }))]}
          value={baseline ?? NOTHING}
          onChange={(value) => value !== null && set({ baseline: value })}
        />
        <Choice
          width={180}
          label="Order"
          data={
            search.sort === 'value'
              ? [...SORT_NAMES, { value: 'value' as const, label: search.sortAlias ?? 'value' }]
              : SORT_NAMES
          }
          value={search.sort ?? 'position'}
          onChange={(value) =>
            set({ sort: (value ?? undefined) as SortBy | undefined, descending: value === 'spread' ? true : undefined })
          }
        />
        <Choice
          width={170}
          label="Show"
          disabled={baseline === null}
          data={[
            { value: 'values', label: 'values' },
            { value: 'difference', label: 'differences' },
          ]}
          value={search.show ?? 'values'}
          onChange={(value) => set({ show: value === 'difference' ? 'difference' : undefined })}
        />
      </div>
      <div className={styles.choices}>
        <MatrixFilterFields {...{ search, aliases, set, textInput }} />
        <span className={styles.spacer} />
        <ExportMenu run={summary.run_id} dataset={dataset.dataset_id} />
      </div>
    </div>
  )
}
