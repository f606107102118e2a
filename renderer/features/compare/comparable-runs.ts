import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import { runChoices } from '../../components/sample-runs.ts'
import { COMPARE_WORDS as WORDS } from './compare-words.ts'

type Run = Pick<RunHead, 'run_id'> & { datasets: readonly Pick<RunHead['datasets'][number], 'dataset_id'>[] }

/** True for a run that has the dataset, and for one that is not in the list, whose name an address may hold. */
export const sharesDataset = (runs: readonly Run[], id: string, dataset: string): boolean =>
  runs.find(({ run_id }) => run_id === id)?.datasets.some(({ dataset_id }) => dataset_id === dataset) ?? true

/** The other runs with the dataset; those without it come after them and cannot be chosen. */
export function comparableChoices(runs: readonly Run[], run: string, dataset: string, samples: ReadonlySet<string>) {
  const others = runs.map(({ run_id }) => run_id).filter((id) => id !== run)
  const shares = (id: string): boolean => sharesDataset(runs, id, dataset)
  const choices = runChoices(others.filter(shares), samples)
  const apart = others.filter((id) => !shares(id)).map((value) => ({ value, label: value, disabled: true }))
  return apart.length === 0 ? choices : [...choices, { group: WORDS.otherDatasets, items: apart }]
}
