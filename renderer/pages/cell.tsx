import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Sha256 } from '../../contract/common.ts'
import { EmptyPanel, Page } from '../components/states.tsx'
import { CellView } from '../features/cell/cell-view.tsx'
import { CELL_WORDS } from '../features/cell/cell-words.ts'
import { RunPage } from '../features/run/run-page.tsx'

export function CellPage() {
  return (
    <RunPage tab={null}>
      <Cell />
    </RunPage>
  )
}

/** One cell over the whole page. */
function Cell() {
  const search = useSearch({ from: '/runs/$run/cell' })
  const { run } = useParams({ from: '/runs/$run/cell' })
  const navigate = useNavigate({ from: '/runs/$run/cell' })
  const { row, ...view } = search
  if (!Sha256.safeParse(row).success)
    return (
      <Page>
        <EmptyPanel title={CELL_WORDS.noCell}>
          <p>
            {CELL_WORDS.noCellText}
            <Link to="/runs/$run/matrix" params={{ run }} search={view}>
              {CELL_WORDS.matrix}
            </Link>
            .
          </p>
        </EmptyPanel>
      </Page>
    )
  return (
    <CellView
      {...{ run, row, tab: search.tab, against: search.against, metric: search.metric }}
      onTab={(tab) => void navigate({ search: { ...search, tab }, replace: true })}
      onAgainst={(against) => void navigate({ search: { ...search, against }, replace: true })}
      onOpen={(next) => void navigate({ search: { ...search, row: next, against: undefined } })}
      actions={
        <Link to="/runs/$run/matrix" params={{ run }} search={{ ...view, cell: row }}>
          {CELL_WORDS.back}
        </Link>
      }
    />
  )
}
