import type { DeletionList, PublicationChange, RunRequest } from '../../../contract/control/run-job.ts'
import { describePublication, publicationChange, replacements } from '../../report/publication/publication-change.ts'
import { listDeletions, mustConfirm, unconfirmed } from './cold-reset.ts'
import { isOwnDataset } from '../../manifests/datasets/own-datasets.ts'
import { filesOf, type PreparedRun } from '../prepare/prepare-run.ts'
import { foreignProblems } from './protected-files.ts'

/** Describes what a run deletes before it starts and replaces when it ends. */
export interface RunEffects {
  deletions: DeletionList[]
  publications: PublicationChange[]
}

/**
 * Everything that a prepared run would delete or replace; empty where it neither resets nor publishes. `collectionsOf` names the folder of an
 * embedded platform's collections for a profile, null for an external platform. Reads only. Throws `ManifestError`.
 */
export async function effectsOf(
  run: PreparedRun,
  collectionsOf: (profile: string) => string | null,
): Promise<RunEffects> {
  const { request, root, runId, datasets, aliases, repeats, judgePanel, experiment } = run
  const effects: RunEffects = { deletions: [], publications: [] }
  for (const declared of datasets) {
    const { dataset, questions, profile } = declared
    if (request.cold_reset)
      effects.deletions.push(
        await listDeletions({
          root,
          runId,
          datasetId: dataset.id,
          files: filesOf(run, dataset.id),
          store: run.store,
          collections: collectionsOf(profile.name),
        }),
      )
    if (!request.publish || isOwnDataset(declared)) continue
    const next = {
      run_id: runId,
      models: aliases.map(({ alias }) => alias),
      questions: questions.length,
      repeats,
      cells: questions.length * aliases.length * repeats,
      judged: judgePanel.enabled,
    }
    effects.publications.push(await publicationChange(root, experiment.evaluation.datasets_file, dataset.id, next))
  }
  return effects
}

/** Why publishing would be refused, one sentence for each dataset. */
export const refusedPublications = ({ publications }: RunEffects): string[] =>
  publications.flatMap(({ refusal }) => (refusal === null ? [] : [refusal]))

/** Why the run must not write to its files, or its reset remove them, a sentence each; empty for a run that may start. */
export async function foreignFilesOf(run: PreparedRun, { deletions }: RunEffects): Promise<string[]> {
  const problems: string[] = []
  for (const { dataset } of run.datasets) {
    const items = deletions.filter(({ dataset_id: id }) => id === dataset.id).flatMap((list) => list.items)
    const { root, runId } = run
    problems.push(
      ...(await foreignProblems({ root, runId, datasetId: dataset.id, files: filesOf(run, dataset.id) }, items)),
    )
  }
  return problems
}

/** Returns what a person has not agreed to yet, as sentences; empty when the run may start. */
export function openQuestions(
  { deletions, publications }: RunEffects,
  { confirmed_deletions: agreed, confirmed_publications: replaced = [] }: RunRequest,
): string[] {
  const questions: string[] = []
  if (agreed === undefined) {
    if (mustConfirm(deletions)) questions.push('the cold reset removes files that were not confirmed')
  } else {
    const changed = deletions.map((list) => unconfirmed(list, agreed)).find((text) => text !== null)
    if (changed !== undefined) questions.push(changed)
  }
  const isAgreed = ({ dataset_id: dataset, current, lost }: PublicationChange): boolean =>
    replaced.some(
      (each) =>
        each.dataset_id === dataset && each.current?.run_id === current?.run_id && each.lost.join() === lost.join(),
    )
  return [
    ...questions,
    ...replacements(publications)
      .filter((change) => !isAgreed(change))
      .map(describePublication),
  ]
}
