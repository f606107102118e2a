import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import { RUNS_WORDS } from './runs-words.ts'

const WORDS = RUNS_WORDS.compare

/** Decides whether two runs can be compared. */
type Comparable = Pick<ListedRun, 'run_id' | 'kind' | 'datasets'>

/** The first dataset that both runs asked; undefined where they share no questions. */
const sharedDataset = (a: Comparable, b: Comparable): string | undefined =>
  a.datasets.find(({ dataset_id: id }) => b.datasets.some((other) => other.dataset_id === id))?.dataset_id

/** The address of the comparison of two runs, the newer one first; undefined where they share no questions. */
export function comparisonOf(
  a: Comparable & Pick<ListedRun, 'at'>,
  b: Comparable & Pick<ListedRun, 'at'>,
): { run: string; runs: string[]; dataset: string } | undefined {
  const [newer, older] = (a.at ?? '') >= (b.at ?? '') ? [a, b] : [b, a]
  const dataset = sharedDataset(newer, older)
  return dataset === undefined ? undefined : { run: newer.run_id, runs: [older.run_id], dataset }
}

/** Why a run cannot be ticked beside those that are ticked; null when it can, and for a ticked one. */
export function whyNotTicked(run: Comparable, ticked: readonly Comparable[]): string | null {
  const [first, second] = ticked
  if (ticked.some(({ run_id: id }) => id === run.run_id)) return null
  if (run.kind === null) return WORDS.noAnswers
  if (second !== undefined) return WORDS.full
  if (first === undefined || sharedDataset(run, first) !== undefined) return null
  return WORDS.noShared(first.run_id)
}
