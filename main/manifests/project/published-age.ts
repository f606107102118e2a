// The age of a published result is what has changed since its run in the code and data that make answers and scores. A result does not become
// wrong when the code changes, but a run of the present version may give other figures, and readers must know that. Git names the changed files
// where it has the run's commit; a shallow or rewritten history does not, so that a publication also keeps digests of what made it.
import { plural } from '../../../contract/words.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { Experiment, LadderDataset } from '../experiment.ts'
import { changedFiles } from './git-state.ts'
import { readsOf } from './provenance.ts'
import { readDigests } from './read-digests.ts'

/** Files and folders of the program that decide what an answer or a score is; the others only show, start or convert. */
const MEASURING_FILES = [
  'contract/approaches.ts',
  'contract/evidence/context-budget.ts',
  'contract/evidence/count-tokens.ts',
  'contract/metrics',
  'contract/prompts.ts',
  'contract/routing.ts',
  'contract/short-answers.ts',
  'core/chunking',
  'core/citations.ts',
  'core/decoded-text.ts',
  'core/judging',
  'core/keyword-terms.ts',
  'core/matched-hybrid.ts',
  'core/refused-by-rule.ts',
  'core/repeated-prompt.ts',
  'core/thinking.ts',
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
  /** Names what makes results and differs now: files, or folders where only digests were kept. Null where neither git nor a digest tells. */
  changed: string[] | null
}

type Published = Pick<Aggregate, 'reproducibility'>

/** The age of a published dataset run. Null where its rows name no commit. */
export async function publishedAge(
  experiment: Experiment,
  dataset: LadderDataset,
  aggregate: Published,
): Promise<PublishedAge | null> {
  const revision = revisionOf(aggregate)
  if (revision === null) return null
  const reads = readsOf(experiment, dataset, { program: MEASURING_FILES, hasModels: true })
  const changed = await changedFiles(experiment.root, reads, revision)
  const then = dataset.dataset.published?.made_by
  if (changed !== null || then === undefined) return { revision, changed }
  const now = await readDigests(experiment.root, reads)
  // Only what is read here: a project elsewhere does not hold the program.
  return { revision, changed: Object.keys(now).filter((part) => then[part] !== now[part]) }
}

/**
 * The digests that a publication of this run keeps, by file or folder. Undefined where the run was made by something else than what is here now,
 * or git cannot tell: the digests of today would then be those of another result.
 */
export async function digestsToPublish(
  experiment: Experiment,
  dataset: LadderDataset,
  aggregate: Published,
): Promise<Record<string, string> | undefined> {
  const revision = revisionOf(aggregate)
  if (revision === null) return undefined
  const reads = readsOf(experiment, dataset, { program: MEASURING_FILES, hasModels: true })
  const changed = await changedFiles(experiment.root, reads, revision)
  return changed?.length === 0 ? readDigests(experiment.root, reads) : undefined
}

const revisionOf = ({ reproducibility }: Published): string | null =>
  reproducibility?.runtime.repository.revision ?? null

/** A sentence for a reader of the result; null where nothing has changed, or the age is unknown. */
export function ageWords({ revision, changed }: PublishedAge): string | null {
  if (changed === null || changed.length === 0) return null
  const parts = `${plural(changed.length, 'part')} of what makes answers or scores ${changed.length === 1 ? 'has' : 'have'} changed`
  return `Published with revision ${revision.slice(0, 12)}, which is older than this version: ${parts} since. A run of this version can give other figures.`
}
