import { MultiSelect, Select } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { IndexMetric } from '../../contract/control/run-index/metrics.ts'
import { FIRST_METRIC } from '../../contract/metrics/metrics.ts'
import { NoRun } from '../components/no-run.tsx'
import { METRIC_CHOICES } from '../components/metric-choices.ts'
import { RunPicker, useRunDataset } from '../components/run-picker.tsx'
import { useSamples } from '../components/run-marks.tsx'
import { EmptyPanel, Page, Panel } from '../components/states.tsx'
import { useLeadingMetric } from '../data/leading-metric.ts'
import { comparableChoices, sharesDataset } from '../features/compare/comparable-runs.ts'
import { COMPARE_WORDS as WORDS } from '../features/compare/compare-words.ts'
import styles from '../features/compare/compare.module.css'
import { QuestionDifferences } from '../features/compare/question-differences.tsx'
import { ProvenanceDifferences, RunDifferences } from '../features/compare/run-differences.tsx'

/** More columns than that cannot be read side by side. */
const MOST_RUNS = 5

/** A run against others that share questions: what changed between them, the tested differences, and the questions that moved. */
export function ComparePage() {
  const search = useSearch({ from: '/runs/compare' })
  const navigate = useNavigate({ from: '/runs/compare' })
  const [alias, setAlias] = useState<string | null>(null)
  const questions = useRef<HTMLDivElement>(null)
  const { query, runs, run, dataset } = useRunDataset(search)
  const samples = useSamples()
  const leading = useLeadingMetric(run?.run_id)
  const metric = search.metric ?? leading ?? FIRST_METRIC
  if (run === undefined || dataset === undefined)
    return <NoRun title={WORDS.page} query={query} named={search.run} words={WORDS} />
  const others = (search.runs ?? []).filter((id) => id !== run.run_id && sharesDataset(runs, id, dataset.dataset_id))
  const ofBoth = { run: run.run_id, others, dataset: dataset.dataset_id, metric }
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
          <MultiSelect
            size="xs"
            className={styles.picker ?? ''}
            aria-label={WORDS.otherRuns}
            placeholder={others.length === 0 ? WORDS.chooseRuns : ''}
            searchable
            clearable
            maxValues={MOST_RUNS}
            data={comparableChoices(runs, run.run_id, dataset.dataset_id, samples)}
            value={others}
            onChange={(ids) => void navigate({ search: { ...search, runs: ids.length === 0 ? undefined : ids } })}
          />
          <Select
            size="xs"
            aria-label={WORDS.metric}
            data={METRIC_CHOICES}
            value={metric}
            onChange={(value) => void navigate({ search: { ...search, metric: IndexMetric.parse(value) } })}
          />
        </>
      }
    >
      {others.length === 0 ? (
        <EmptyPanel title={WORDS.nothingChosen}>
          <p>{WORDS.noOthers}</p>
          <Link to="/runs">{WORDS.tickRuns}</Link>
        </EmptyPanel>
      ) : (
        <>
          <Panel title={WORDS.conditions}>
            <div className="stack">
              <ProvenanceDifferences runIds={[run.run_id, ...others]} dataset={dataset.dataset_id} />
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
