import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Loaded, Page, Panel } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { CoverageTable } from '../features/coverage/coverage-table.tsx'
import { RetryFailuresButton } from '../features/ladder/retry-failures.tsx'
import { useShownRun } from '../features/run/run-context.ts'
import { COVERAGE_WORDS as WORDS } from '../features/coverage/coverage-words.ts'
import { RunPage } from '../features/run/run-page.tsx'

export function CoveragePage() {
  return (
    <RunPage tab="coverage">
      <Coverage />
    </RunPage>
  )
}

/** Shows what was measured of each approach, what was not, and why. */
function Coverage() {
  const search = useSearch({ from: '/runs/$run/coverage' })
  const navigate = useNavigate({ from: '/runs/$run/coverage' })
  const { run, dataset } = useShownRun(search.dataset)
  const coverage = useQuery(
    api.coverage.get.queryOptions({ input: { run_id: run.run_id, dataset_id: dataset.dataset_id } }),
  )
  return (
    <Page>
      <Loaded query={coverage} what={WORDS.coverage} rows={14}>
        {(data) => (
          <>
            <RetryFailuresButton run={run.run_id} />
            <Panel
              title={WORDS.table}
              aside={
                <>
                  <span>{data.basis === 'summary' ? WORDS.fromSummary : WORDS.live}</span>
                  <Checkbox
                    size="xs"
                    label={WORDS.onlyGaps}
                    checked={search.gaps === true}
                    onChange={({ currentTarget: { checked } }) =>
                      void navigate({ search: { ...search, gaps: checked ? true : undefined }, replace: true })
                    }
                  />
                </>
              }
            >
              <CoverageTable coverage={data} onlyGaps={search.gaps === true} />
            </Panel>
            {data.notes.length > 0 && (
              <Panel title={WORDS.notes}>
                {data.notes.map((note) => (
                  <p key={note}>{note}</p>
                ))}
              </Panel>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}
