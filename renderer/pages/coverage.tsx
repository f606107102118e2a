import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { EmptyPanel, ErrorPanel, LoadingRows, Page, Panel } from '../components/states.tsx'
import { RunPicker, useRunDataset } from '../components/run-picker.tsx'
import { ExportMenu } from '../features/matrix/export-menu.tsx'
import { api } from '../data/client.ts'
import { CoverageChartPanel } from '../features/coverage/coverage-chart-panel.tsx'
import { CoverageTable } from '../features/coverage/coverage-table.tsx'

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
    return (
      <Page title="Coverage">
        {error !== null && <ErrorPanel error={error} what="The list of runs" retry={() => void query.refetch()} />}
        {query.isPending && <LoadingRows rows={12} />}
        {query.isSuccess && (
          <EmptyPanel title={search.run === undefined ? 'No run yet' : `No run is called ${search.run}`}>
            <p>
              <Link to="/launch">Launch a run</Link> to see what it covers.
            </p>
          </EmptyPanel>
        )}
      </Page>
    )
  return (
    <Page
      title="Coverage"
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
      {error !== null && <ErrorPanel error={error} what="The coverage" retry={() => void coverage.refetch()} />}
      {coverage.isPending && <LoadingRows rows={14} />}
      {coverage.data !== undefined && (
        <>
          <CoverageChartPanel
            coverage={coverage.data}
            metric={search.metric}
            onMetric={(metric) => void navigate({ search: { ...search, metric }, replace: true })}
          />
          <Panel
            title="Cells by approach and metric"
            aside={
              <>
                <span>
                  {coverage.data.basis === 'summary'
                    ? 'from the run’s summary'
                    : 'from the rows so far, without reasons'}
                </span>
                <Checkbox
                  size="xs"
                  label="only gaps"
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
            <Panel title="What cannot be compared, and why">
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
