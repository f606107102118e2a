import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../data/client.ts'
import type { RunHead } from '../../contract/control/run-index/runs.ts'
import { COMPONENT_WORDS } from './component-words.ts'
import { HiddenGradesMark, PartialMark, useSamples } from './run-marks.tsx'
import { firstShown, runChoices } from './sample-runs.ts'

const WORDS = COMPONENT_WORDS.runPicker

/** The run and dataset that an address names, or the person's newest, or a sample; undefined before any run. */
export function useRunDataset(search: { run?: string; dataset?: string }) {
  const query = useQuery(api.runs.list.queryOptions({ input: { limit: 100 } }))
  const runs = query.data?.runs ?? []
  const run =
    search.run === undefined
      ? firstShown(runs, new Set(query.data?.samples))
      : runs.find(({ run_id: id }) => id === search.run)
  const dataset = run?.datasets.find(({ dataset_id: id }) => id === search.dataset) ?? run?.datasets[0]
  return { query, runs, run, dataset }
}

interface RunPickerProps {
  runs: RunHead[]
  run: RunHead
  datasetId: string
  onChange: (next: { run: string; dataset: string }) => void
}

/** Chooses a run and one of its datasets. */
export function RunPicker({ runs, run, datasetId, onChange }: RunPickerProps) {
  const samples = useSamples()
  return (
    <>
      <PartialMark run={run.run_id} />
      <HiddenGradesMark run={run.run_id} dataset={datasetId} />
      <Select
        size="xs"
        aria-label={WORDS.run}
        searchable
        w={260}
        maw="100%"
        data={runChoices(
          runs.map(({ run_id: id }) => id),
          samples,
        )}
        value={run.run_id}
        onChange={(next) => next !== null && onChange({ run: next, dataset: datasetId })}
      />
      <Select
        size="xs"
        aria-label={WORDS.dataset}
        data={run.datasets.map(({ dataset_id: value, label }) => ({ value, label }))}
        value={datasetId}
        onChange={(next) => next !== null && onChange({ run: run.run_id, dataset: next })}
      />
    </>
  )
}
