import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { ExportChunk, ExportInput } from '../../contract/control/stored-runs.ts'
import type { IndexedArtifact, RunDatasetSummary, RunSummary } from '../../contract/control/run-index/runs.ts'
import type { Aggregate } from '../../contract/evidence/aggregate.ts'
import { artifactFilesOf, type ArtifactFiles } from '../evidence/files/artifact-files.ts'
import { parseHistoricalMatrix, type HistoricalSnapshot } from '../report/publication/historical.ts'
import { ladderPage } from '../report/html/ladder-page.ts'
import type { PageArtifact } from '../report/html/run-facts.ts'
import { readJudgmentsIfThere } from '../report/aggregate/judge-input.ts'
import { longCsv } from '../report/csv/long-csv.ts'
import { loadPrices } from '../manifests/models/own-prices.ts'
import { cellsCsv } from '../report/csv/cells-csv.ts'
import { readEvidenceRows } from '../report/read-evidence.ts'
import { summarizeRun } from '../report/publication/write-artifacts.ts'
import { outgoingKeys } from '../lib/trust/outgoing-keys.ts'
import { ControlFailure } from './control-failure.ts'
import { sliceEnd } from './corpora/corpus-reader.ts'
import type { RunIndexApi } from './index-gateway.ts'

/** Characters of one piece: well below the limit of a message, whatever their size in bytes. */
const PIECE_CHARS = 128 * 1024

interface ExportFile {
  fileName: string
  mediaType: string
}

/** Texts of any length → pieces that fit into messages and never split a character. */
async function* pieces(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let held = ''
  for await (const text of texts) {
    held += text
    while (held.length > PIECE_CHARS) {
      const end = sliceEnd(held, PIECE_CHARS)
      yield held.slice(0, end)
      held = held.slice(end)
    }
  }
  if (held !== '') yield held
}

/** The texts as long as they hold no key that this person has or had. Throws `ControlFailure` at the first that does: a file is for others. */
async function* withoutKeys(texts: AsyncIterable<string>, { fileName }: ExportFile): AsyncGenerator<string> {
  const keys = await outgoingKeys(null)
  for await (const text of texts) {
    const problem = keys.inText(text)
    if (problem !== null) throw new ControlFailure('evidence_refused', `${fileName} is not exported: it ${problem}`)
    yield text
  }
}

async function* chunks(file: ExportFile, texts: AsyncIterable<string>): AsyncGenerator<ExportChunk> {
  yield { type: 'begin', file_name: file.fileName, media_type: file.mediaType }
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const text of pieces(withoutKeys(texts, file))) {
    hash.update(text)
    sizeBytes += Buffer.byteLength(text)
    yield { type: 'text', text }
  }
  yield { type: 'end', size_bytes: sizeBytes, sha256: hash.digest('hex') }
}

const nameOf = ({ run_id, dataset_id }: ExportInput, ending: string): string =>
  `${[run_id, ...(dataset_id === undefined ? [] : [dataset_id])].join('-').replace(/[^\w.-]/g, '_')}${ending}`

/** Every figure of a run in long form: one line per alias and metric. */
export function exportCsv(index: RunIndexApi, input: ExportInput): AsyncGenerator<ExportChunk> {
  async function* texts(): AsyncGenerator<string> {
    const { summary } = await index.query('runSummary', { run_id: input.run_id })
    const datasets = chosenDatasets(summary, input.dataset_id)
    const isOld = summary.kind === 'historical'
    // One after the other: in parallel they would only need more memory.
    const aggregates = await Array.fromAsync(isOld ? [] : datasets, (each) => aggregateOf(input.run_id, each))
    const snapshots = await Array.fromAsync(isOld ? datasets : [], (each) => snapshotOf(input.run_id, each))
    yield* longCsv({ aggregates, snapshots })
  }
  return chunks({ fileName: nameOf(input, '.csv'), mediaType: 'text/csv' }, texts())
}

/** The aggregates of a run, or its snapshots as they are. */
export function exportJson(index: RunIndexApi, input: ExportInput): AsyncGenerator<ExportChunk> {
  async function* texts(): AsyncGenerator<string> {
    const { summary } = await index.query('runSummary', { run_id: input.run_id })
    let before = '['
    for (const dataset of chosenDatasets(summary, input.dataset_id)) {
      const value =
        summary.kind === 'historical'
          ? (await snapshotOf(input.run_id, dataset)).matrix
          : await aggregateOf(input.run_id, dataset)
      yield `${before}\n${JSON.stringify(value, null, 2)}`
      before = ','
    }
    yield '\n]\n'
  }
  return chunks({ fileName: nameOf(input, '.json'), mediaType: 'application/json' }, texts())
}

/** Every cell of a run, one line each, with its cost at the prices of the project in `root`. Rejects with `not_supported` for snapshots. */
export function exportCells(index: RunIndexApi, input: ExportInput, root: string): AsyncGenerator<ExportChunk> {
  async function* texts(): AsyncGenerator<string> {
    yield* cellsCsv(await evidenceFilesOf(index, input), await loadPrices(root))
  }
  return chunks({ fileName: nameOf(input, '-cells.csv'), mediaType: 'text/csv' }, texts())
}

/** The rows of a run that count, one JSON object per line. Rejects with `not_supported` for snapshots. */
export function exportRows(index: RunIndexApi, input: ExportInput): AsyncGenerator<ExportChunk> {
  async function* texts(): AsyncGenerator<string> {
    for (const file of await evidenceFilesOf(index, input))
      for await (const row of readEvidenceRows(file)) yield `${JSON.stringify(row)}\n`
  }
  return chunks({ fileName: nameOf(input, '-cells.jsonl'), mediaType: 'application/x-ndjson' }, texts())
}

const evidenceFilesOf = async (index: RunIndexApi, input: ExportInput): Promise<string[]> =>
  (await datasetsWithRows(index, input, 'answers to export')).map((dataset) => filesOf(input.run_id, dataset).evidence)

async function datasetsWithRows(index: RunIndexApi, input: ExportInput, what: string): Promise<RunDatasetSummary[]> {
  const { summary } = await index.query('runSummary', { run_id: input.run_id })
  if (summary.kind !== 'historical') return chosenDatasets(summary, input.dataset_id)
  throw new ControlFailure(
    'not_supported',
    `${input.run_id} is a snapshot from before canonical rows existed: it has no ${what}`,
  )
}

/** One self-contained page with the figures of each dataset, titled by the run's label. Rejects with `not_supported` for snapshots. */
export function exportReport(index: RunIndexApi, input: ExportInput, label: string): AsyncGenerator<ExportChunk> {
  async function* texts(): AsyncGenerator<string> {
    const datasets = await datasetsWithRows(index, input, 'report')
    const aggregates = await Array.fromAsync(datasets, (each) => aggregateOf(input.run_id, each))
    const artifacts = datasets.flatMap((dataset) => dataset.artifacts.flatMap(pageArtifact(dataset.dataset_id)))
    yield await ladderPage({ aggregates, artifacts, label })
  }
  return chunks({ fileName: nameOf(input, '.html'), mediaType: 'text/html' }, texts())
}

const pageArtifact =
  (datasetId: string) =>
  ({ path, sha256, state }: IndexedArtifact): PageArtifact[] =>
    state === 'applied' && sha256 !== null ? [{ datasetId, href: basename(path), sha256 }] : []

const ENDING = /-(?:evidence\.jsonl|matrix\.json|evaluation\.json|judgments\.json)$/

/** The files of a dataset run: those in the index, and the others beside its evidence or matrix. */
function filesOf(runId: string, dataset: RunDatasetSummary): ArtifactFiles {
  const own = dataset.artifacts.filter(({ state }) => state !== 'copy')
  const known = own.find(({ kind, state }) => (kind === 'evidence' || kind === 'matrix') && state === 'applied')
  if (known === undefined)
    throw new ControlFailure('not_found', `${runId}, ${dataset.dataset_id}: its evidence and its matrix are missing`)
  const beside = artifactFilesOf(dirname(known.path), basename(known.path).replace(ENDING, ''))
  return { ...beside, ...Object.fromEntries(own.map(({ kind, path }) => [kind, path] as const)) }
}

/** The requested dataset runs. Throws `not_found` when the run does not have the dataset. */
function chosenDatasets(summary: RunSummary, datasetId: string | undefined): RunDatasetSummary[] {
  const chosen = summary.datasets.filter(({ dataset_id }) => datasetId === undefined || dataset_id === datasetId)
  if (chosen.length > 0) return chosen
  throw new ControlFailure('not_found', `${summary.run_id} has no dataset ${datasetId ?? ''}`)
}

/** The aggregate of a dataset run, computed from its rows. Throws `ReportError`. */
const aggregateOf = (runId: string, dataset: RunDatasetSummary): Promise<Aggregate> =>
  summarizeRun(filesOf(runId, dataset), runId, dataset.dataset_id)

/** A snapshot from before canonical rows existed. Throws `ReportError`. */
async function snapshotOf(runId: string, dataset: RunDatasetSummary): Promise<HistoricalSnapshot> {
  const files = filesOf(runId, dataset)
  const name = basename(files.matrix)
  return {
    name: name.replace(ENDING, ''),
    matrix: parseHistoricalMatrix(await readFile(files.matrix, 'utf8'), name),
    judge: await readJudgmentsIfThere(files.judgments, { state: 'disabled' }),
  }
}
