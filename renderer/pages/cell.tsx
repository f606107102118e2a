import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CellView } from '../features/cell/cell-view.tsx'
import { CELL_WORDS } from '../features/cell/cell-words.ts'

/** One cell over the whole page. */
export function CellPage() {
  const search = useSearch({ from: '/cell' })
  const navigate = useNavigate({ from: '/cell' })
  const { row, ...view } = search
  return (
    <CellView
      {...{ run: search.run, row, tab: search.tab, against: search.against, metric: search.metric }}
      onTab={(tab) => void navigate({ search: { ...search, tab }, replace: true })}
      onAgainst={(against) => void navigate({ search: { ...search, against }, replace: true })}
      onOpen={(next) => void navigate({ search: { ...search, row: next, against: undefined } })}
      actions={
        <Link to="/matrix" search={{ ...view, cell: row }}>
          {CELL_WORDS.back}
        </Link>
      }
    />
  )
}
