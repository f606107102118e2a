import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useComputedColorScheme } from '@mantine/core'
import { useMemo, useRef } from 'react'
import type { RunDatasetSummary, RunSummary } from '../../../contract/control/run-index/runs.ts'
import type { MatrixSearch } from '../../app/search-params.ts'
import { differenceDomain, heatDomain } from '../../components/heat.ts'
import { api } from '../../data/client.ts'
import { CellDrawer } from '../cell/cell-drawer.tsx'
import { Hints } from './hints.tsx'
import { MatrixFoot } from './matrix-foot.tsx'
import { MatrixGrid } from './matrix-grid.tsx'
import { pageInput } from './matrix-query.ts'
import { MatrixToolbar } from './matrix-toolbar.tsx'
import styles from './matrix.module.css'

interface MatrixViewProps {
  runIds: string[]
  summary: RunSummary
  dataset: RunDatasetSummary
  search: MatrixSearch
}

const DEFAULT_BASELINE = 'hybrid-rag'

/** Toolbar, grid, legend, and the open cell beside the grid. */
export function MatrixView({ runIds, summary, dataset, search }: MatrixViewProps) {
  const navigate = useNavigate({ from: '/matrix' })
  const textInput = useRef<HTMLInputElement>(null)
  const run = summary.run_id
  const metric = search.metric ?? dataset.metrics[0] ?? 'answer_relevancy'
  const aliases = dataset.aliases.map(({ model }) => model)
  const heads = useQuery({
    ...api.matrix.heads.queryOptions({ input: { run_id: run, dataset_id: dataset.dataset_id, metric } }),
    placeholderData: keepPreviousData,
  })
  const wanted = search.baseline ?? DEFAULT_BASELINE
  const baseline = aliases.includes(wanted) ? wanted : null
  const pairs = useQuery({
    ...api.statistics.pairs.queryOptions({ input: { run_id: run, dataset_id: dataset.dataset_id, metric } }),
    // It looks at every cell and resamples: the heads and the first page, which are asked for now, come before.
    enabled: aliases.length > 1 && !heads.isPending && !heads.isPlaceholderData,
    placeholderData: keepPreviousData,
  })
  const set = (part: Partial<MatrixSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: part.cell === undefined })
  const slowest = Math.max(0, ...(heads.data?.heads.map(({ mean_latency_ms: ms }) => ms ?? 0) ?? []))
  const scheme = useComputedColorScheme('light')
  const compares = search.show === 'difference' && baseline !== null
  const domain = useMemo(() => {
    const values = heatDomain(metric, slowest)
    return compares ? differenceDomain(values, scheme) : values
  }, [metric, slowest, compares, scheme])
  const comparison = pairs.data?.comparison.metric === metric ? pairs.data.comparison : undefined
  return (
    <div className={styles.view}>
      <div>
        <MatrixToolbar {...{ runIds, summary, dataset, search, metric, baseline, aliases, set, textInput }} />
        {search.hints === true && <Hints onDone={() => set({ hints: undefined })} />}
      </div>
      <div className={styles.split} data-open={search.cell !== undefined}>
        <MatrixGrid
          input={pageInput(run, dataset.dataset_id, metric, search)}
          {...{ dataset, heads: heads.data, comparison, baseline, domain, metric, search, set, textInput }}
        />
        {search.cell !== undefined && (
          <CellDrawer run={run} row={search.cell} search={search} metric={metric} set={set} aliases={aliases} />
        )}
      </div>
      <MatrixFoot {...{ metric, domain, comparison, pairsError: pairs.error, heads: heads.data }} />
    </div>
  )
}
