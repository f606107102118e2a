import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { MatrixSearch } from '../../app/search-params.ts'
import matrix from '../matrix/matrix.module.css'
import { CellView } from './cell-view.tsx'

interface CellDrawerProps {
  run: string
  row: string
  search: MatrixSearch
  metric: IndexMetric
  set: (part: Partial<MatrixSearch>) => void
  aliases: string[]
}

/** The open cell beside the grid; Escape closes it. */
export function CellDrawer({ run, row, search, metric, set }: CellDrawerProps) {
  const { cell: _cell, hints: _hints, ...view } = search
  const close = (): void => set({ cell: undefined, against: undefined })
  return (
    <aside
      className={matrix.drawer}
      aria-label="Cell"
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
            <Link to="/cell" search={{ ...view, run, row }}>
              Open as page
            </Link>
            <Button variant="default" onClick={close}>
              Close
            </Button>
          </>
        }
      />
    </aside>
  )
}
