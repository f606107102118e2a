import { Button, useComputedColorScheme } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { BASELINE } from '../../../contract/approaches.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { RunDatasetSummary } from '../../../contract/control/run-index/runs.ts'
import type { MatrixSearch } from '../../app/search-params.ts'
import { judgeMean } from '../../../contract/metrics/judge-mean.ts'
import { differenceDomain, heatDomain } from '../../components/heat.ts'
import { api } from '../../data/client.ts'
import { CellView } from '../cell/cell-view.tsx'
import { MissingNote } from '../ladder/missing-columns.tsx'
import { MatrixFoot } from './matrix-foot.tsx'
import { MatrixGrid } from './matrix-grid.tsx'
import { pageInput } from './matrix-query.ts'
import { MATRIX_WORDS as WORDS } from './matrix-words.ts'
import { MatrixToolbar } from './matrix-toolbar.tsx'
import styles from './matrix.module.css'

interface MatrixViewProps {
  run: string
  dataset: RunDatasetSummary
  search: MatrixSearch
  /** The metric of the grid's values. */
  metric: IndexMetric
  /** Datasets of the run. */
  levels: number
}

/** Toolbar, grid, legend, and the open cell beside the grid. */
export function MatrixView({ run, dataset, search, metric, levels }: MatrixViewProps) {
  const navigate = useNavigate({ from: '/runs/$run/matrix' })
  const textInput = useRef<HTMLInputElement>(null)
  const aliases = dataset.aliases.map(({ model }) => model)
  const heads = useQuery({
    ...api.matrix.heads.queryOptions({ input: { run_id: run, dataset_id: dataset.dataset_id, metric } }),
    placeholderData: keepPreviousData,
  })
  const wanted = search.baseline ?? BASELINE
  const baseline = aliases.includes(wanted) ? wanted : null
  const pairs = useQuery({
    ...api.statistics.pairs.queryOptions({ input: { run_id: run, dataset_id: dataset.dataset_id, metric } }),
    // It reads every cell and resamples, so the heads and the first page are loaded first.
    enabled: aliases.length > 1 && !heads.isPending && !heads.isPlaceholderData,
    placeholderData: keepPreviousData,
  })
  const set = (part: Partial<MatrixSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: part.cell === undefined })
  const slowest = Math.max(0, ...(heads.data?.heads.map(({ median_latency_ms: ms }) => ms ?? 0) ?? []))
  const scheme = useComputedColorScheme('light')
  const compares = search.show === 'difference' && baseline !== null
  const domain = useMemo(() => {
    const values = heatDomain(metric, slowest, scheme)
    return compares ? differenceDomain(values) : values
  }, [metric, slowest, compares, scheme])
  const comparison = pairs.data?.comparison.metric === metric ? pairs.data.comparison : undefined
  return (
    <div className={styles.view}>
      <MatrixToolbar {...{ dataset, search, metric, baseline, aliases, set, textInput }} />
      <div className={styles.split} data-open={search.cell !== undefined}>
        <MatrixGrid
          input={pageInput(run, dataset.dataset_id, metric, search)}
          {...{ dataset, heads: heads.data, comparison, baseline, domain, metric, search, set, textInput }}
        />
        {search.cell !== undefined && (
          <CellDrawer run={run} row={search.cell} search={search} metric={metric} set={set} />
        )}
      </div>
      <MissingNote run={run} />
      <MatrixFoot
        {...{ metric, domain, comparison, pairsError: pairs.error, heads: heads.data }}
        judged={dataset.metrics.includes(judgeMean.id)}
        rungs={levels}
        clusters={pairs.data?.clusters}
      />
    </div>
  )
}

interface CellDrawerProps {
  run: string
  row: string
  search: MatrixSearch
  metric: IndexMetric
  set: (part: Partial<MatrixSearch>) => void
}

/** The open cell beside the grid; Escape closes it. */
function CellDrawer({ run, row, search, metric, set }: CellDrawerProps) {
  const { cell: _cell, ...view } = search
  const close = (): void => set({ cell: undefined, against: undefined })
  const drawer = useRef<HTMLElement>(null)
  useEffect(() => {
    const grid = drawer.current?.parentElement?.querySelector<HTMLElement>('[role=grid]')
    // In a narrow window it takes the place of the grid, which has the keys.
    if (grid?.checkVisibility() === false) drawer.current?.focus()
    return () => {
      if (document.activeElement === document.body) grid?.focus()
    }
  }, [])
  return (
    <aside
      ref={drawer}
      className={styles.drawer}
      aria-label={WORDS.answer}
      tabIndex={0}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close()
      }}
    >
      <CellView
        {...{ run, row, tab: search.tab, against: search.against, metric }}
        onTab={(tab) => set({ tab })}
        onAgainst={(against) => set({ against })}
        onOpen={(next) => set({ cell: next, against: undefined })}
        actions={
          <>
            <Link to="/runs/$run/cell" params={{ run }} search={{ ...view, row }}>
              {WORDS.openAsPage}
            </Link>
            <Button onClick={close}>{WORDS.close}</Button>
          </>
        }
      />
    </aside>
  )
}
