import type { Experiment, LadderDataset } from '../manifests/experiment.ts'
import { isOwnDataset } from '../manifests/datasets/own-datasets.ts'
import { InputError } from '../manifests/runner-inputs.ts'
import { unusableWords } from '../manifests/selection.ts'

/** Throws `InputError` for one that is not there, or whose file cannot be used. */
export function datasetOf(
  { datasets, unusable }: Pick<Experiment, 'datasets' | 'unusable'>,
  id: string,
): LadderDataset {
  const found = datasets.find(({ dataset }) => dataset.id === id)
  if (found !== undefined) return found
  const broken = unusable.find((each) => each.id === id)
  if (broken !== undefined) throw new InputError([unusableWords(broken)])
  throw new InputError([`unknown dataset: ${id}; there are ${datasets.map(({ dataset }) => dataset.id).join(', ')}`])
}

/** A dataset that can be edited. Throws `InputError`. */
export function ownDataset(experiment: Experiment, id: string): LadderDataset {
  const found = datasetOf(experiment, id)
  if (isOwnDataset(found)) return found
  throw new InputError([`${id} is part of the project: copy it with "dataset new NAME --copy-of ${id}"`])
}
