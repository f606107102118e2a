import type { DatasetView } from '../../../contract/control/experiment.ts'

/** The dataset of the lowest rung that has the fewest questions. */
export const smallestDataset = (datasets: readonly DatasetView[]): DatasetView | undefined =>
  datasets.toSorted((a, b) => a.complexity_level - b.complexity_level || a.questions - b.questions)[0]
