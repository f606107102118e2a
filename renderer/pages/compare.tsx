import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { IndexMetric } from '../../contract/control/run-index/metrics.ts'
import { FIRST_METRIC } from '../../contract/metrics/metrics.ts'
import { METRIC_CHOICES } from '../components/metric-choices.ts'
import { EmptyPanel, Loaded, Page, Panel } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { useLeadingMetric } from '../data/leading-metric.ts'
import { COMPARE_WORDS as WORDS } from '../features/compare/compare-words.ts'
import { QuestionDifferences } from '../features/compare/question-differences.tsx'
import { ProvenanceDifferences, RunDifferences } from '../features/compare/run-differences.tsx'

/** Two runs that share questions: what changed between them, the tested differences, and the questions that moved. */
export function ComparePage() {
  const { run, runs: [other] = [] } = useSearch({ from: '/runs/compare' })
  const isChosen = run !== undefined && other !== undefined && run !== other
  return isChosen ? <Comparison {...{ run, other }} /> : <Page title={WORDS.page}>{chooseTwo(WORDS.noOther)}</Page>
}

const chooseTwo = (why: string) => (
  <EmptyPanel title={WORDS.nothingChosen}>
    <p>{why}</p>
    <Link to="/runs">{WORDS.tickRuns}</Link>
  </EmptyPanel>
)

const listed = (run: string) => api.runs.list.queryOptions({ input: { run_id: run, limit: 1 } })

function Comparison({ run, other }: { run: string; other: string }) {
  const search = useSearch({ from: '/runs/compare' })
  const navigate = useNavigate({ from: '/runs/compare' })
  const [alias, setAlias] = useState<string | null>(null)
  const questions = useRef<HTMLDivElement>(null)
  const leading = useLeadingMetric(run)
  const metric = search.metric ?? leading ?? FIRST_METRIC
  const [first, second] = [useQuery(listed(run)), useQuery(listed(other))]
  const others = second.data?.runs[0]?.datasets ?? []
  const shared = (first.data?.runs[0]?.datasets ?? []).filter(({ dataset_id: id }) =>
    others.some(({ dataset_id: its }) => its === id),
  )
  const dataset = (shared.find(({ dataset_id: id }) => id === search.dataset) ?? shared[0])?.dataset_id
  const isRead = first.data !== undefined && second.data !== undefined
  const ofBoth = { run, other, dataset: dataset ?? '', metric }
  return (
    <Page
      title={WORDS.page}
      aside={
        dataset !== undefined && (
          <>
            <Select
              size="xs"
              aria-label={WORDS.dataset}
              data={shared.map(({ dataset_id: value, label }) => ({ value, label }))}
              value={dataset}
              onChange={(value) => value !== null && void navigate({ search: { ...search, dataset: value } })}
            />
            <Select
              size="xs"
              aria-label={WORDS.metric}
              data={METRIC_CHOICES}
              value={metric}
              onChange={(value) => void navigate({ search: { ...search, metric: IndexMetric.parse(value) } })}
            />
          </>
        )
      }
    >
      {!isRead && <Loaded query={first.error === null ? second : first} what={WORDS.comparison} rows={12} />}
      {isRead && dataset === undefined && chooseTwo(WORDS.noShared(run, other))}
      {dataset !== undefined && (
        <>
          <p className="dim">{WORDS.which(run, other)}</p>
          <Panel title={WORDS.conditions}>
            <div className="stack">
              <ProvenanceDifferences runIds={[run, other]} dataset={dataset} />
            </div>
          </Panel>
          <Panel title={WORDS.tested}>
            <div className="stack">
              <RunDifferences
                {...ofBoth}
                onChanged={(changed) => {
                  setAlias(changed)
                  questions.current?.scrollIntoView()
                }}
              />
            </div>
          </Panel>
          <div ref={questions}>
            <Panel title={WORDS.questions.title}>
              <div className="stack">
                <QuestionDifferences {...ofBoth} alias={alias} onAlias={setAlias} />
              </div>
            </Panel>
          </div>
        </>
      )}
    </Page>
  )
}
