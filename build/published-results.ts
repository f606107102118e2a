import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { plural } from '../contract/words.ts'
import { loadExperiment } from '../main/manifests/experiment.ts'
import { publishedAge, type PublishedAge } from '../main/manifests/project/published-age.ts'
import { readAggregate } from '../main/report/publication/write-artifacts.ts'

/** Holds what the README must say while the published results are older than the code, and must not say otherwise. */
const WARNING = 'The published run is older than this version'

export interface PublishedReport {
  problems: string[]
  note: string
  /** Why the age is unknown here. */
  skipped?: string
}

/** Returns what a check makes of the ages of published results and of the README that shows them. */
export function publishedReport(ages: ReadonlyMap<string, PublishedAge>, readme: string): PublishedReport {
  if (ages.size === 0) return { problems: [], note: 'nothing is published' }
  const known = [...ages].flatMap(([id, { revision, changed }]) =>
    changed === null ? [] : [{ id, revision, changed }],
  )
  if (known.length < ages.size)
    return {
      problems: [],
      note: '',
      skipped: 'git does not have the commits of the published results here, and they keep no digests',
    }
  const older = known.filter(({ changed }) => changed.length > 0)
  const note =
    older.length === 0
      ? 'of this version'
      : older
          .map(({ id, revision, changed }) => `${id}: ${plural(changed.length, 'part')} since ${revision.slice(0, 8)}`)
          .join(', ')
  const warns = readme.includes(WARNING)
  if (older.length > 0 && !warns)
    return { problems: [`README.md shows results that are older than the code (${note}): say "${WARNING}"`], note }
  if (older.length === 0 && warns)
    return { problems: [`README.md says "${WARNING}", but nothing has changed since: remove the sentence`], note }
  return { problems: [], note }
}

/** The age of every published dataset of this checkout, compared with what the README says of it. */
export async function checkPublishedResults(root: string): Promise<PublishedReport> {
  const experiment = await loadExperiment(root)
  const ages = new Map<string, PublishedAge>()
  for (const dataset of experiment.datasets) {
    const { id, published } = dataset.dataset
    const file = published?.artifacts.find(({ file }) => file.endsWith('-evaluation.json'))?.file
    const aggregate = file === undefined ? null : await readAggregate(join(root, file))
    const age = aggregate === null ? null : await publishedAge(experiment, dataset, aggregate)
    if (age !== null) ages.set(id, age)
  }
  return publishedReport(ages, await readFile(join(root, 'README.md'), 'utf8'))
}
