import { join } from 'node:path'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { PublicationChange, PublishedScope } from '../../../contract/control/run-job.ts'
import { loadProjectDatasets } from '../../manifests/datasets/load-datasets.ts'
import { plural } from '../../../contract/words.ts'
import { readAggregate } from './write-artifacts.ts'

/** Returns what a summary holds, as far as it decides whether another one is narrower. */
export const scopeOf = (aggregate: Aggregate): PublishedScope => ({
  run_id: aggregate.run_id,
  models: aggregate.approaches.filter(({ selected }) => selected).map(({ model }) => model),
  questions: aggregate.questions.length,
  repeats: aggregate.repeats,
  cells: aggregate.cells.expected,
  judged: aggregate.judge_panel.status === 'ok' || aggregate.judge_panel.status === 'partial',
})

const approaches = (number: number): string => (number === 1 ? '1 approach' : `${number} approaches`)

/** Returns what one scope has and another lacks, in words; empty when the other is as wide or wider. */
export function lostScope(current: PublishedScope, next: PublishedScope): string[] {
  const missing = current.models.filter((model) => !next.models.includes(model))
  return [
    ...(missing.length === 0 ? [] : [`${approaches(missing.length)} (${missing.join(', ')})`]),
    ...(next.questions < current.questions ? [plural(current.questions - next.questions, 'question')] : []),
    ...(next.repeats < current.repeats ? [plural(current.repeats - next.repeats, 'repetition')] : []),
    ...(next.cells < current.cells ? [plural(current.cells - next.cells, 'answer')] : []),
    ...(current.judged && !next.judged ? ['the judgments'] : []),
  ]
}

function refusalOf(current: PublishedScope, next: PublishedScope, datasetId: string, lost: string[]): string | null {
  if (lost.length === 0 || current.run_id !== next.run_id) return null
  return `Cannot publish ${datasetId}: the published results of run ${current.run_id} also have ${lost.join(', ')}, which this run of the same name would delete. Choose another run name, widen the run, or do not publish.`
}

/** Returns what publishing `next` replaces. A narrower run under the name of the published one is refused: it would delete files that cannot be made again. */
export function decidePublication(
  datasetId: string,
  current: PublicationChange['current'],
  next: PublishedScope,
): PublicationChange {
  const isComparable = current !== null && current.readable
  const lost = isComparable ? lostScope(current, next) : []
  return {
    dataset_id: datasetId,
    current,
    next,
    lost,
    refusal: isComparable ? refusalOf(current, next, datasetId, lost) : null,
  }
}

/** `decidePublication` for what the project's manifests name as published now. Throws `ManifestError`. */
export async function publicationChange(
  root: string,
  datasetsFile: string,
  datasetId: string,
  next: PublishedScope,
): Promise<PublicationChange> {
  const datasets = await loadProjectDatasets(root, datasetsFile)
  const published = datasets.find(({ dataset }) => dataset.id === datasetId)?.dataset.published
  if (published === undefined) return decidePublication(datasetId, null, next)
  const file = published.artifacts.find(({ file: name }) => name.endsWith('-evaluation.json'))?.file
  const aggregate = file === undefined ? null : await readAggregate(join(root, file))
  const unknown = { run_id: published.run_id, models: [], questions: 0, repeats: 0, cells: 0, judged: false }
  return decidePublication(
    datasetId,
    aggregate === null ? { ...unknown, readable: false } : { ...scopeOf(aggregate), readable: true },
    next,
  )
}

/** Changes that replace published results of another content, which need a confirmation. */
export const replacements = (changes: readonly PublicationChange[]): PublicationChange[] =>
  changes.filter(({ current }) => current !== null)

/** One change as a sentence for a person. */
export function describePublication({ dataset_id: dataset, current, next, lost }: PublicationChange): string {
  const words = ({ models, cells, judged }: PublishedScope): string =>
    `${approaches(models.length)}, ${plural(cells, 'answer')}, ${judged ? 'judged' : 'not judged'}`
  if (current === null) return `${dataset}: publishes run ${next.run_id} (${words(next)})`
  const former = current.readable ? words(current) : 'its summary cannot be read'
  const loss = lost.length === 0 ? '' : `; without ${lost.join(', ')}`
  return `${dataset}: run ${next.run_id} (${words(next)}) replaces the published results of run ${current.run_id} (${former})${loss}`
}
