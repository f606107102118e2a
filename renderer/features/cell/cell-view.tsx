import { Tabs } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { CellTab } from '../../app/search-params.ts'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { CanonicalCell } from './canonical-cell.tsx'
import { RawJson } from './raw-json.tsx'
import { VerdictList } from './verdict-list.tsx'
import styles from './cell.module.css'

/** A cell by run and row, with what is chosen in it. */
export interface CellViewProps {
  run: string
  row: string
  tab?: CellTab | undefined
  /** Alias that the evidence is compared with. */
  against?: string | undefined
  /** Metric that the matrix is on; the first one that the cell was scored by where absent. */
  metric?: IndexMetric | undefined
  onTab: (tab: CellTab) => void
  onAgainst: (alias: string | undefined) => void
  onOpen: (row: string) => void
  actions: ReactNode
}

/** One cell in full: of a run, or of a published snapshot. */
export function CellView(props: CellViewProps) {
  const { run, row, actions } = props
  const cell = useQuery({
    ...api.cells.get.queryOptions({ input: { run_id: run, row_id: row } }),
    placeholderData: keepPreviousData,
  })
  if (cell.isError)
    return (
      <div className={styles.view}>
        <div className={styles.headRow}>
          <h2>Cell</h2>
          <span className={styles.spacer} />
          {actions}
        </div>
        <ErrorPanel error={cell.error} what="The cell" retry={() => void cell.refetch()} />
      </div>
    )
  if (cell.data === undefined)
    return (
      <div className={styles.view}>
        <LoadingRows rows={16} height={32} />
      </div>
    )
  if (cell.data.kind === 'canonical') return <CanonicalCell {...props} detail={cell.data} />
  return (
    <div className={styles.view}>
      <div className={styles.headRow}>
        <h2>Cell of a published snapshot</h2>
        <span className={styles.spacer} />
        {actions}
      </div>
      <p className="dim">A snapshot keeps what was published, not the whole row.</p>
      <Tabs defaultValue="raw">
        <Tabs.List>
          <Tabs.Tab value="raw">Raw</Tabs.Tab>
          {cell.data.verdicts.length > 0 && <Tabs.Tab value="verdicts">Verdicts</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="raw" pt={12}>
          <RawJson value={cell.data.cell} />
        </Tabs.Panel>
        <Tabs.Panel value="verdicts" pt={12}>
          <VerdictList verdicts={cell.data.verdicts} />
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}
