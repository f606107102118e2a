import { readdir, stat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { ImportError, type SourceFile } from './importer.ts'
import { jsonRecords } from './json-records.ts'
import { remedyFor } from '../../../evidence/typed-command.ts'

/** Deeper files belong to no known format. */
const MAX_DEPTH = 4
const MAX_FILES = 300_000
const JSON_ENDING = /\.jsonl?(\.gz)?$/i
/** Of these many files with JSON the first record is read; the formats have few. */
const MAX_READ = 50

/** The file, or all files of the folder, each with its first record. Throws `ImportError` for a path without any. */
export async function sourceFiles(path: string): Promise<SourceFile[]> {
  const info = await stat(path).catch(() => null)
  if (info === null) throw new ImportError(`${path}: there is no such file or folder`)
  const names = info.isDirectory() ? await namesBelow(path) : [basename(path)]
  if (names.length === 0) throw new ImportError(`${path} holds no file`)
  let read = 0
  const files: SourceFile[] = []
  for (const name of names) {
    const file = info.isDirectory() ? join(path, name) : path
    const isRead = JSON_ENDING.test(name) && read < MAX_READ
    if (isRead) read += 1
    files.push({ path: file, name, ...(isRead ? await firstRecord(file) : { first: null, problem: null }) })
  }
  return files
}

async function namesBelow(folder: string): Promise<string[]> {
  const names: string[] = []
  const visit = async (inner: string, depth: number): Promise<void> => {
    for (const entry of await readdir(inner, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue
      const path = join(inner, entry.name)
      // Caches of model hubs and data managers hold their files as links.
      const kind = entry.isSymbolicLink() ? await stat(path).catch(() => null) : entry
      if (kind?.isDirectory() === true && depth < MAX_DEPTH) await visit(path, depth + 1)
      if (kind?.isFile() === true) names.push(relative(folder, path).split(sep).join('/'))
      if (names.length > MAX_FILES) throw new ImportError(`${folder} holds more than ${MAX_FILES} files`)
    }
  }
  await visit(folder, 1)
  return names.sort()
}

/** The first record: of a list, of a list "data", or of the file as one object. */
async function firstRecord(path: string): Promise<Pick<SourceFile, 'first' | 'problem'>> {
  let problem: string | null = null
  for (const member of ['data', null])
    try {
      for await (const { value } of jsonRecords(path, { member })) return { first: value, problem: null }
    } catch (error) {
      if (!(error instanceof ImportError)) throw error
      problem = error.message
    }
  return { first: null, problem }
}

/** The one file, or the one whose name holds the split; null without any. Throws `ImportError` where it is not clear which one is meant. */
export function chosenFile(files: readonly SourceFile[], split: string | null): SourceFile | null {
  const fitting = split === null ? files : files.filter(({ name }) => name.toLowerCase().includes(split.toLowerCase()))
  if (files.length > 0 && fitting.length !== 1)
    throw new ImportError(
      `${fitting.length === 0 ? `no file is of the split "${split}"` : 'several files could be meant'}: name one of ${files.map(({ name }) => name).join(', ')}, or part of its name ${remedyFor({ panel: 'as the split', commandLine: 'with --split' })}`,
    )
  return fitting[0] ?? null
}
