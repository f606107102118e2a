import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { finished } from 'node:stream/promises'
import { Unzip, UnzipInflate, Zip, ZipDeflate } from 'fflate'
import {
  describeIssues,
  OWN_DATASET_FILE,
  OWN_DATASETS_FOLDER,
  OWN_DOCUMENTS_FOLDER,
  OwnDatasetFile,
} from '../../contract/index.ts'
import type { Experiment } from './experiment.ts'
import { parseYaml } from './load-manifest.ts'
import { DatasetEditError, documentNameProblem, refuseTakenId } from './own-datasets.ts'

// A dataset as one zip file: `dataset.yaml` and `documents/…`, as in its folder. Both ways stream, so that a corpus need not fit into memory. An
// archive is unpacked beside the datasets and becomes one by a rename: a half or a foreign one leaves nothing.

/** Bounds of an archive: far above a corpus that this program can ingest, far below what fills a disk unnoticed. */
const MAX_BYTES = 20 * 1024 ** 3
const MAX_FILES = 300_000
const READ_BYTES = 256 * 1024

/** Writes an own dataset to a zip file that is not there yet; returns the number of documents. Throws `DatasetEditError`. */
export async function exportDataset(root: string, id: string, target: string): Promise<number> {
  const folder = join(root, OWN_DATASETS_FOLDER, id)
  const documents = await documentsBelow(join(folder, OWN_DOCUMENTS_FOLDER))
  const output = createWriteStream(target, { flags: 'wx' })
  const failed = new Promise<never>((_, reject) => output.once('error', reject))
  const ended = finished(output)
  // Awaited at the end; until then a failure is met by the next write.
  ended.catch(() => undefined)
  failed.catch(() => undefined)
  try {
    const zip = new Zip((error, bytes, isLast) => {
      if (error !== null) return void output.destroy(error)
      output.write(bytes)
      if (isLast) output.end()
    })
    for (const path of [OWN_DATASET_FILE, ...documents.map((name) => `${OWN_DOCUMENTS_FOLDER}/${name}`)]) {
      const entry = new ZipDeflate(path, { level: 6 })
      zip.add(entry)
      for await (const bytes of createReadStream(join(folder, path), {
        highWaterMark: READ_BYTES,
      }) as AsyncIterable<Buffer>) {
        entry.push(bytes)
        if (output.writableNeedDrain)
          await Promise.race([new Promise<void>((done) => output.once('drain', () => done())), failed])
      }
      entry.push(new Uint8Array(0), true)
    }
    zip.end()
    await ended
  } catch (error) {
    output.destroy()
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EEXIST') throw new DatasetEditError('out', `${target} exists: name another file`)
    await rm(target, { force: true })
    throw error
  }
  return documents.length
}

async function documentsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

/** Unpacks a zip file as the own dataset `id`; returns the number of documents. Throws `DatasetEditError`; nothing is left then. */
export async function importDataset(experiment: Experiment, file: string, id: string): Promise<number> {
  const { root } = experiment
  await refuseTakenId(experiment, id)
  const folder = join(root, OWN_DATASETS_FOLDER, `.import-${id}-${process.pid}`)
  await mkdir(join(folder, OWN_DOCUMENTS_FOLDER), { recursive: true })
  try {
    await unpack(file, folder)
    const manifest = await readFile(join(folder, OWN_DATASET_FILE), 'utf8').catch(() => {
      throw new DatasetEditError('file', `${file} has no ${OWN_DATASET_FILE}: it is no exported dataset`)
    })
    const parsed = OwnDatasetFile.safeParse(parseYaml(`${OWN_DATASET_FILE} in ${file}`, manifest))
    if (!parsed.success)
      throw new DatasetEditError(
        'file',
        `${OWN_DATASET_FILE} in ${file}: ${describeIssues(parsed.error).slice(0, 3).join('; ')}`,
      )
    const { length } = await documentsBelow(join(folder, OWN_DOCUMENTS_FOLDER))
    await refuseTakenId(experiment, id)
    await rename(folder, join(root, OWN_DATASETS_FOLDER, id))
    return length
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Why an entry of an archive cannot be unpacked; null when it can. */
function entryProblem(name: string): string | null {
  if (name === OWN_DATASET_FILE) return null
  const inside = name.startsWith(`${OWN_DOCUMENTS_FOLDER}/`) ? name.slice(OWN_DOCUMENTS_FOLDER.length + 1) : null
  if (inside === null) return `it is neither ${OWN_DATASET_FILE} nor below ${OWN_DOCUMENTS_FOLDER}/`
  return documentNameProblem(inside)
}

async function unpack(file: string, folder: string): Promise<void> {
  const refuse = (name: string, why: string): DatasetEditError =>
    new DatasetEditError('file', `${JSON.stringify(name)} in ${file} cannot be unpacked: ${why}`)
  let bytes = 0
  let files = 0
  const problems: Error[] = []
  /** Writes are made in order while the archive is read. */
  let writes = Promise.resolve()
  const queue = (work: () => Promise<void>): void => {
    writes = writes.then(work).catch((error: unknown) => {
      problems.push(error as Error)
    })
  }
  const unzip = new Unzip((entry) => {
    if (entry.name.endsWith('/')) return
    const why = entryProblem(entry.name)
    files += 1
    if (why !== null || files > MAX_FILES) {
      problems.push(refuse(entry.name, why ?? `the archive has more than ${MAX_FILES} files`))
      return
    }
    const target = join(folder, ...entry.name.split('/'))
    let handle: FileHandle | null = null
    queue(async () => {
      await mkdir(dirname(target), { recursive: true })
      handle = await open(target, 'wx')
    })
    entry.ondata = (error, chunk, isLast) => {
      if (error !== null) {
        problems.push(refuse(entry.name, `it is damaged (${error.message})`))
        return
      }
      bytes += chunk.length
      if (bytes > MAX_BYTES) problems.push(refuse(entry.name, `the archive holds more than ${MAX_BYTES} bytes`))
      const copy = Buffer.from(chunk)
      queue(async () => {
        await handle?.writeFile(copy)
        if (isLast) await handle?.close()
      })
    }
    entry.start()
  })
  unzip.register(UnzipInflate)
  const { size } = await stat(file).catch(() => {
    throw new DatasetEditError('file', `${file} cannot be read: correct the path`)
  })
  let read = 0
  for await (const part of createReadStream(file, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    read += part.length
    try {
      unzip.push(part, read === size)
    } catch (error) {
      problems.push(
        new DatasetEditError('file', `${file} is no zip file, or a damaged one (${(error as Error).message})`),
      )
    }
    await writes
    if (problems.length > 0) break
  }
  await writes
  if (problems[0] !== undefined) throw problems[0]
  if (files === 0) throw new DatasetEditError('file', `${file} is no zip file, or an empty one`)
}
