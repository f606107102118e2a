import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, isAbsolute, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { z } from 'zod'
import type { ImportFolderInput, ImportStep, FilePiece } from '../../../contract/control/dataset-transfer.ts'
import { exportDataset, importDataset } from '../../manifests/datasets/dataset-archive.ts'
import type { Experiment } from '../../manifests/experiment.ts'
import { importPublicDataset, type ImportProgress } from '../../manifests/datasets/importers/import-dataset.ts'
import { DatasetEditError, readOwnDataset } from '../../manifests/datasets/own-datasets.ts'

const PROGRESS_MS = 250
/** As base64 well below the limit of a message. */
const PIECE_BYTES = 384 * 1024

type Done = Extract<ImportStep, { type: 'done' }>

/** Imports a public dataset or a zip file and reports how far it is. Ends the import when the caller stops reading. */
export async function* importSteps(
  experiment: Experiment,
  input: z.output<typeof ImportFolderInput>,
  signal: AbortSignal,
): AsyncGenerator<ImportStep> {
  if (!isAbsolute(input.source))
    throw new DatasetEditError('source', `expected an absolute path, got ${JSON.stringify(input.source)}`)
  if (extname(input.source).toLowerCase() === '.zip') {
    yield await importArchive(experiment, input.source, input.id)
    return
  }
  const stop = new AbortController()
  const progress: { now: ImportProgress | null } = { now: null }
  const work = importPublicDataset(experiment, {
    ...input,
    signal: AbortSignal.any([stop.signal, signal]),
    onProgress: (now) => {
      progress.now = now
    },
  })
  const ended = work.then(
    () => true,
    () => true,
  )
  try {
    while (!(await Promise.race([ended, pause(PROGRESS_MS, false)])))
      if (progress.now !== null) yield { type: 'progress', ...progress.now }
    const { label: _label, format, leftOut, withGold, ...taken } = await work
    yield {
      type: 'done',
      ...taken,
      with_gold: withGold,
      format: format.label,
      licence: format.licence,
      left_out: leftOut,
    }
  } finally {
    stop.abort()
    await ended
  }
}

async function importArchive(experiment: Experiment, file: string, id: string): Promise<Done> {
  const documents = await importDataset(experiment, file, id)
  const { file: stored } = await readOwnDataset(experiment.root, id)
  const all = (count: number) => ({ taken: count, of: count })
  return {
    type: 'done',
    id,
    format: 'zip',
    licence: stored.licence ?? '',
    questions: all(stored.questions.length),
    documents: all(documents),
    left_out: [],
  }
}

/** An own dataset as a zip file. */
export const zipPieces = (root: string, id: string): AsyncGenerator<FilePiece> =>
  piecesOfNew(`${id}.zip`, (file) => exportDataset(root, id, file))

/** A file that `write` makes, in pieces; it exists only while it is sent. */
export async function* piecesOfNew(name: string, write: (file: string) => Promise<unknown>): AsyncGenerator<FilePiece> {
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-export-'))
  try {
    await write(join(folder, name))
    yield* filePieces(join(folder, name), name)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A file in pieces that fit into messages. */
export async function* filePieces(file: string, name: string): AsyncGenerator<FilePiece> {
  yield { type: 'begin', file_name: name }
  const hash = createHash('sha256')
  let size = 0
  for await (const bytes of createReadStream(file, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
    hash.update(bytes)
    size += bytes.length
    yield { type: 'bytes', base64: bytes.toString('base64') }
  }
  yield { type: 'end', size_bytes: size, sha256: hash.digest('hex') }
}
