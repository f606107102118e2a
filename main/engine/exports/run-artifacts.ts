import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Aggregate, RunDatasetSummary, RunSummary } from '../../../contract/index.ts'
import { artifactFilesOf, type ArtifactFiles } from '../../evidence/artifact-files.ts'
import { parseHistoricalMatrix, type HistoricalSnapshot } from '../../report/historical.ts'
import { readJudgmentsIfThere } from '../../report/judge-input.ts'
import { summarizeRun } from '../../report/write-artifacts.ts'
import { ControlFailure } from '../control-failure.ts'

const ENDING = /-(?:evidence\.jsonl|matrix\.json|evaluation\.json|judgments\.json)$/

/** The files of a dataset run as the index knows them; what it does not know would be beside evidence or matrix. */
export function filesOf(runId: string, dataset: RunDatasetSummary): ArtifactFiles {
  const own = dataset.artifacts.filter(({ state }) => state !== 'copy')
  const known = own.find(({ kind, state }) => (kind === 'evidence' || kind === 'matrix') && state === 'applied')
  if (known === undefined)
    throw new ControlFailure('not_found', `${runId}, ${dataset.dataset_id}: neither evidence nor a matrix is left`)
  const beside = artifactFilesOf(dirname(known.path), basename(known.path).replace(ENDING, ''))
  return { ...beside, ...Object.fromEntries(own.map(({ kind, path }) => [kind, path] as const)) }
}

/** The dataset runs that were asked for. Throws `not_found` when the run does not have the dataset. */
export function chosenDatasets(summary: RunSummary, datasetId: string | undefined): RunDatasetSummary[] {
  const chosen = summary.datasets.filter(({ dataset_id }) => datasetId === undefined || dataset_id === datasetId)
  if (chosen.length > 0) return chosen
  throw new ControlFailure('not_found', `${summary.run_id} has no dataset ${datasetId ?? ''}`)
}

/** The aggregate of a dataset run from its rows as they are now. Throws `ReportError`. */
export const aggregateOf = (runId: string, dataset: RunDatasetSummary): Promise<Aggregate> =>
  summarizeRun(filesOf(runId, dataset), runId, dataset.dataset_id)

/** A snapshot of before the canonical rows. Throws `ReportError`. */
export async function snapshotOf(runId: string, dataset: RunDatasetSummary): Promise<HistoricalSnapshot> {
  const files = filesOf(runId, dataset)
  const name = basename(files.matrix)
  return {
    name: name.replace(ENDING, ''),
    matrix: parseHistoricalMatrix(await readFile(files.matrix, 'utf8'), name),
    judge: await readJudgmentsIfThere(files.judgments, { state: 'disabled' }),
  }
}
