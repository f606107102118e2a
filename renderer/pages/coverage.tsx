import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ErrorPanel, LoadingRows, Page, Panel } from '../components/states.tsx'
import { NoRun } from '../components/no-run.tsx'
import { RunPicker, useRunDataset } from '../components/run-picker.tsx'
import { ExportMenu } from '../features/matrix/export-menu.tsx'
import { api } from '../data/client.ts'
import { CoverageChart } from '../features/coverage/coverage-chart.tsx'
import { CoverageTable } from '../features/coverage/coverage-table.tsx'
import { COVERAGE_WORDS as WORDS } from '../features/coverage/coverage-words.ts'

/** What was measured of each approach, what was not, and why. */
export function CoveragePage() {
  const search = useSearch({ from: '/coverage' })
  const navigate = useNavigate({ from: '/coverage' })
  const { query, runs, run, dataset } = useRunDataset(search)
  const coverage = useQuery({
    ...api.coverage.get.queryOptions({ input: { run_id: run?.run_id ?? '', dataset_id: dataset?.dataset_id ?? '' } }),
    enabled: dataset !== undefined,
  })
  const error = query.error ?? coverage.error
  if (run === undefined || dataset === undefined)
    return <NoRun title={WORDS.page} query={query} named={search.run} words={WORDS} />
  return (
    <Page
      title={WORDS.page}
      aside={
        <>
          <RunPicker
            {...{ runs, run }}
            datasetId={dataset.dataset_id}
            onChange={(next) => void navigate({ search: { ...search, ...next } })}
          />
          <ExportMenu run={run.run_id} dataset={dataset.dataset_id} />
        </>
      }
    >
      {error !== null && <ErrorPanel error={error} what={WORDS.coverage} retry={() => void coverage.refetch()} />}
      {coverage.isPending && <LoadingRows rows={14} />}
      {coverage.data !== undefined && (
        <>
          <CoverageChart
            coverage={coverage.data}
            metric={search.metric}
            onMetric={(metric) => void navigate({ search: { ...search, metric }, replace: true })}
          />
          <Panel
            title={WORDS.table}
            aside={
              <>
                <span>{coverage.data.basis === 'summary' ? WORDS.fromSummary : WORDS.live}</span>
                <Checkbox
                  size="xs"
                  label={WORDS.onlyGaps}
                  checked={search.gaps === true}
                  onChange={({ currentTarget: { checked } }) =>
                    void navigate({ search: { ...search, gaps: checked || undefined }, replace: true })
                  }
                />
              </>
            }
          >
            <CoverageTable coverage={coverage.data} onlyGaps={search.gaps === true} />
          </Panel>
          {coverage.data.notes.length > 0 && (
            <Panel title={WORDS.notes}>
              {coverage.data.notes.map((note) => (
                <p key={note}>{note}</p>
              ))}
            </Panel>
          )}
        </>
      )}
    </Page>
  )
}
