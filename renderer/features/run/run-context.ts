import { createContext, useContext } from 'react'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'

/** The run of the address, which its page has loaded for all tabs. */
export const ShownRun = createContext<RunHead | null>(null)

/** Returns the run that the tab is part of, and the dataset that its address names, else the first. */
export function useShownRun(datasetId: string | undefined): { run: RunHead; dataset: RunHead['datasets'][number] } {
  const run = useContext(ShownRun)
  const dataset = run?.datasets.find(({ dataset_id: id }) => id === datasetId) ?? run?.datasets[0]
  if (run === null || dataset === undefined) throw new Error('a tab of a run is shown without its run')
  return { run, dataset }
}
