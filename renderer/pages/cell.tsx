import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Sha256 } from '../../contract/common.ts'
import { EmptyPanel, Page } from '../components/states.tsx'
import { CellView } from '../features/cell/cell-view.tsx'
import { CELL_WORDS } from '../features/cell/cell-words.ts'

/** One cell over the whole page. */
export function CellPage() {
  const search = useSearch({ from: '/cell' })
  const navigate = useNavigate({ from: '/cell' })
  const { row, ...view } = search
  if (!Sha256.safeParse(row).success)
    return (
      <Page title={CELL_WORDS.cell}>
        <EmptyPanel title={CELL_WORDS.noCell}>
          <p>
            {CELL_WORDS.noCellText}
            <Link to="/matrix" search={view}>
              {CELL_WORDS.matrix}
            </Link>
            .
          </p>
        </EmptyPanel>
      </Page>
    )
  return (
    <CellView
      heading="h1"
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
