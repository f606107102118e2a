import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { PARAPHRASED, PARAPHRASES_FOLDER, ParaphraseFile } from '../../../contract/manifests/datasets.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import type { Experiment, LadderDataset } from '../experiment.ts'
import { loadManifest } from '../load-manifest.ts'
import { ManifestError } from '../manifest-error.ts'

// Questions in other words are datasets of their own: same documents, same profile and so the same collections, same ids and keys. Their rows are
// explained by their dataset and questions file, and no figure of the originals changes.

/** A dataset whose questions are asked in other words; null where nothing was written for it. Throws `ManifestError`. */
async function paraphrasedDataset(root: string, original: LadderDataset): Promise<LadderDataset | null> {
  const { published: _published, ...dataset } = original.dataset
  const file = `${PARAPHRASES_FOLDER}/${dataset.id}.yaml`
  if (!existsSync(join(root, file))) return null
  const { dataset_id: named, paraphrases } = await loadManifest(root, file, ParaphraseFile)
  if (named !== dataset.id)
    throw new ManifestError(file, [`dataset_id: ${named}, but the file is named after ${dataset.id}: make them equal`])
  const known = new Map(original.questions.map((question) => [question.id, question]))
  const unknown = Object.keys(paraphrases).filter((id) => !known.has(id))
  if (unknown.length > 0)
    throw new ManifestError(file, [
      `paraphrases: ${unknown.join(', ')} are not questions of ${dataset.id}: remove them`,
    ])
  const questions = Object.entries(paraphrases).map(([id, query]): Question => ({ ...known.get(id)!, query }))
  return {
    ...original,
    dataset: {
      ...dataset,
      id: `${dataset.id}${PARAPHRASED}`,
      label: `${dataset.label}, paraphrased`,
      complexity_level: 0,
      queries_file: file,
    },
    questions,
  }
}

/**
 * The experiment with the chosen datasets in other words too, and the ids of both in the order in which they are asked. Null chooses every rung. Throws
 * `ManifestError` where none of the chosen ones has paraphrases.
 */
export async function withParaphrases(
  experiment: Experiment,
  ids: readonly string[] | null,
): Promise<{ experiment: Experiment; ids: string[] }> {
  const chosen = experiment.datasets.filter(({ dataset: { id, complexity_level: level } }) =>
    ids === null ? level > 0 : ids.includes(id),
  )
  const found = await Promise.all(chosen.map((dataset) => paraphrasedDataset(experiment.root, dataset)))
  const added = found.filter((dataset) => dataset !== null)
  if (added.length === 0)
    throw new ManifestError(PARAPHRASES_FOLDER, ['no dataset of this run has paraphrases: write <dataset>.yaml there'])
  return {
    experiment: { ...experiment, datasets: [...experiment.datasets, ...added] },
    ids: [...(ids ?? chosen.map(({ dataset }) => dataset.id)), ...added.map(({ dataset }) => dataset.id)],
  }
}
