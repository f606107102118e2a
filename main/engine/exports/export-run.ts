import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { ExportChunk, ExportInput } from '../../../contract/control/exports.ts'
import type { IndexedArtifact, RunDatasetSummary } from '../../../contract/index.ts'
import type { PageArtifact } from '../../report/html/artifact-list.ts'
import { ladderPage } from '../../report/html/ladder-page.ts'
import { longCsv } from '../../report/long-csv.ts'
import { ControlFailure } from '../control-failure.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { aggregateOf, chosenDatasets, snapshotOf } from './run-artifacts.ts'

/** Characters of one piece: well below what a message may hold, whatever bytes they take. */
const PIECE_CHARS = 128 * 1024

interface ExportFile {
  fileName: string
  mediaType: string
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Texts of any length → pieces that fit into messages, none of which ends within a character. */
async function* pieces(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let held = ''
  for await (const text of texts) {
    held += text
    while (held.length > PIECE_CHARS) {
      const end = isHighSurrogate(held.charCodeAt(PIECE_CHARS - 1)) ? PIECE_CHARS - 1 : PIECE_CHARS
      yield held.slice(0, end)
      held = held.slice(end)
    }
  }
  if (held !== '') yield held
}

async function* chunks(file: ExportFile, texts: AsyncIterable<string>): AsyncGenerator<ExportChunk> {
  yield { type: 'begin', file_name: file.fileName, media_type: file.mediaType }
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const text of pieces(texts)) {
    hash.update(text)
    sizeBytes += Buffer.byteLength(text)
    yield { type: 'text', text }
  }
  yield { type: 'end', size_bytes: sizeBytes, sha256: hash.digest('hex') }
}

const nameOf = ({ run_id, dataset_id }: ExportInput, ending: string): string =>
  `${[run_id, ...(dataset_id === undefined ? [] : [dataset_id])].join('-').replace(/[^\w.-]/g, '_')}${ending}`

/** Each takes a pass over its rows: at once they would only take turns, and memory. */
async function oneByOne<Result>(
  datasets: readonly RunDatasetSummary[],
  make: (dataset: RunDatasetSummary) => Promise<Result>,
) {
  const results: Result[] = []
  for (const dataset of datasets) results.push(await make(dataset))
  return results
}

/** Every figure of a run in long form: one line per alias and metric. */
export function exportCsv(index: RunIndexApi, input: ExportInput): AsyncGenerator<ExportChunk> {
  async function* texts(): AsyncGenerator<string> {
    const { summary } = await index.query('runSummary', { run_id: input.run_id })
    const datasets = chosenDatasets(summary, input.dataset_id)
    const isOld = summary.kind === 'historical'
    const aggregates = await oneByOne(isOld ? [] : datasets, (each) => aggregateOf(input.run_id, each))
    const snapshots = await oneByOne(isOld ? datasets : [], (each) => snapshotOf(input.run_id, each))
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

/** One page with the figures of each dataset: readable alone, it loads nothing. Rejects with `not_supported` for snapshots. */
export function exportReport(index: RunIndexApi, input: ExportInput): AsyncGenerator<ExportChunk> {
  async function* texts(): AsyncGenerator<string> {
    const { summary } = await index.query('runSummary', { run_id: input.run_id })
    if (summary.kind === 'historical')
      throw new ControlFailure(
        'not_supported',
        `${input.run_id} is a snapshot of before the canonical rows: it has no report`,
      )
    const datasets = chosenDatasets(summary, input.dataset_id)
    const aggregates = await oneByOne(datasets, (each) => aggregateOf(input.run_id, each))
    const artifacts = datasets.flatMap((dataset) => dataset.artifacts.flatMap(pageArtifact(dataset.dataset_id)))
    yield await ladderPage({ aggregates, artifacts })
  }
  return chunks({ fileName: nameOf(input, '.html'), mediaType: 'text/html' }, texts())
}

const pageArtifact =
  (datasetId: string) =>
  ({ path, sha256, state }: IndexedArtifact): PageArtifact[] =>
    state === 'applied' && sha256 !== null ? [{ datasetId, href: basename(path), sha256 }] : []
