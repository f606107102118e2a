// The age of a published result is what has changed since its revision in the code and data that make answers and scores. A result does not become
// wrong when the code changes, but a run of the present version may give other figures, and readers must know that.
import { plural } from '../../../contract/words.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { Experiment, LadderDataset } from '../experiment.ts'
import { changedFiles } from './git-state.ts'
import { readsOf } from './provenance.ts'

/** Files and folders of the program that decide what an answer or a score is; the others only show, start or convert. */
const MEASURING_FILES = [
  'contract/approaches.ts',
  'contract/metrics',
  'main/evaluation',
  'main/judge',
  'main/runner',
  'main/statistics',
  'providers/kit',
  'providers/platform',
]

export interface PublishedAge {
  /** Commit that the published rows name. */
  revision: string
  /** Files that make answers or scores and differ now; null where git does not answer or does not have the commit. */
  changed: string[] | null
}

/** The age of a published dataset run. Null where its rows name no commit. */
export async function publishedAge(
  experiment: Experiment,
  dataset: LadderDataset,
  { reproducibility }: Pick<Aggregate, 'reproducibility'>,
): Promise<PublishedAge | null> {
  const revision = reproducibility?.runtime.repository.revision ?? null
  if (revision === null) return null
  return {
    revision,
    changed: await changedFiles(experiment.root, readsOf(experiment, dataset, MEASURING_FILES), revision),
  }
}

/** A sentence for a reader of the result; null where nothing has changed, or the age is unknown. */
export function ageWords({ revision, changed }: PublishedAge): string | null {
  if (changed === null || changed.length === 0) return null
  const files = `${plural(changed.length, 'file')} that ${changed.length === 1 ? 'makes' : 'make'} answers or scores ${changed.length === 1 ? 'has' : 'have'} changed`
  return `Published with revision ${revision.slice(0, 12)}, which is older than this version: ${files} since. A run of this version can give other figures.`
}
