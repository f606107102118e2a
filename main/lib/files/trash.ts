import { cp, mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { RemovedRun } from '../../../contract/control/stored-runs.ts'
import { jsonIn } from '../../../core/json.ts'
import { exists } from './missing-file.ts'
import { writeAtomic } from './write-atomic.ts'
import { remedyFor } from '../../../core/remedy.ts'

// A trash entry is a folder `<state>/run-trash/<run_id>@<time>` with files and folders, numbered, and `contents.json`, which lists where each one
// belongs. The list is written before the first one is moved, and each is at one of its two paths at any moment: after a crash, restoring goes on.

/** Entries that are older are removed when the next one is made. */
export const TRASH_DAYS = 30
const DAY_MS = 24 * 60 * 60 * 1000

const CONTENTS_FILE = 'contents.json'

const Contents = z.strictObject({
  schema_version: z.literal(1),
  ...RemovedRun.omit({ trash_id: true, files: true, size_bytes: true }).shape,
  files: z.array(
    z.strictObject({ path: z.string(), stored_as: z.string().regex(/^[\w.-]+$/), size_bytes: z.int().min(0) }),
  ),
  /** The engine's journal of a run that was removed as a whole. */
  journal: z.unknown().optional(),
})
type Contents = z.infer<typeof Contents>

/** A name that the trash does not have, or a path that is taken. Nothing was moved. */
export class TrashError extends Error {
  override readonly name = 'TrashError'
  readonly code: 'not_found' | 'path_taken'

  constructor(code: TrashError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const trashFolder = (stateDir: string): string => join(stateDir, 'run-trash')

const viewOf = (trash_id: string, { run_id, removed_at, why, files }: Contents): RemovedRun => ({
  trash_id,
  run_id,
  removed_at,
  why,
  files: files.length,
  size_bytes: files.reduce((sum, { size_bytes: size }) => sum + size, 0),
})

/** Renames a file or a folder, also from one file system to another. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await cp(from, `${to}.part`, { preserveTimestamps: true, recursive: true })
    await rename(`${to}.part`, to)
    await rm(from, { recursive: true })
  }
}

interface Removal {
  runId: string
  why: RemovedRun['why']
  items: readonly { path: string; size_bytes: number }[]
  journal?: unknown
}

/** An entry that is being filled. */
export interface OpenTrash {
  entry: RemovedRun
  /** Moves those of the paths that were announced and not moved yet. */
  take: (paths: readonly string[]) => Promise<void>
  /** Moves everything else that was announced. */
  takeRest(): Promise<void>
  /** Moves everything back and removes the entry. */
  undo(): Promise<void>
}

/** Announces what goes to the trash; nothing is moved yet. Removes entries that are older than `TRASH_DAYS`. */
export async function openTrash(stateDir: string, { runId, why, items, journal }: Removal): Promise<OpenTrash> {
  const now = new Date()
  await emptyTrash(stateDir, { olderThan: new Date(now.getTime() - TRASH_DAYS * DAY_MS) })
  const at = now.toISOString()
  const name = `${runId}@${at.replaceAll(':', '-')}${why === 'collections' ? '-collections' : ''}`
  const folder = join(trashFolder(stateDir), name)
  const files = items.map(({ path, size_bytes }, number) => ({
    path,
    stored_as: `${number}-${basename(path)}`.replaceAll(/[^\w.-]/g, '_'),
    size_bytes,
  }))
  const contents: Contents = { schema_version: 1, run_id: runId, removed_at: at, why, files, journal }
  await mkdir(folder, { recursive: true })
  await writeAtomic(join(folder, CONTENTS_FILE), `${JSON.stringify(contents, null, 2)}\n`)
  const left = new Map(files.map(({ path, stored_as }) => [path, join(folder, stored_as)]))
  const take = async (paths: readonly string[]): Promise<void> => {
    for (const path of paths) {
      const target = left.get(path)
      if (target === undefined) continue
      await move(path, target)
      left.delete(path)
    }
  }
  return {
    entry: viewOf(name, contents),
    take,
    takeRest: () => take([...left.keys()]),
    undo: async () => {
      await moveBack(folder, contents)
      await rm(folder, { recursive: true })
    },
  }
}

/** The entries, the last one first. A folder without a usable list is not shown and not touched. */
export async function listTrash(stateDir: string): Promise<RemovedRun[]> {
  const names = await readdir(trashFolder(stateDir)).catch((): string[] => [])
  const found = await Promise.all(
    names.map(async (name) => {
      const contents = await contentsOf(join(trashFolder(stateDir), name))
      return contents === null ? [] : [viewOf(name, contents)]
    }),
  )
  return found.flat().sort((a, b) => (a.removed_at < b.removed_at ? 1 : -1))
}

/** The entries that hold what was at a path, the last one first, with where it is now. */
export async function trashedFiles(stateDir: string, path: string): Promise<{ trash_id: string; stored: string }[]> {
  const entries = await listTrash(stateDir)
  const found = await Promise.all(
    entries.map(async ({ trash_id: name }) => {
      const folder = join(trashFolder(stateDir), name)
      const files = (await contentsOf(folder))?.files ?? []
      return files.flatMap((file) =>
        file.path === path ? [{ trash_id: name, stored: join(folder, file.stored_as) }] : [],
      )
    }),
  )
  return found.flat()
}

/**
 * Moves an entry back to where it came from. With `replace`, what is there now goes to the trash in exchange. Throws `TrashError` for an unknown
 * name, and where a path is taken.
 */
export async function restoreTrash(
  stateDir: string,
  trashId: string,
  { replace = false } = {},
): Promise<{ entry: RemovedRun; journal: unknown; replaced: RemovedRun | null }> {
  // A name, not a path: the folder must be one of the trash.
  const folder = join(trashFolder(stateDir), basename(trashId))
  const contents = await contentsOf(folder)
  if (contents === null)
    throw new TrashError(
      'not_found',
      `the trash has no ${trashId}${remedyFor({ panel: '. Reload the list', commandLine: ': "rag-ladder trash list" lists what it has' })}`,
    )
  const taken: Contents['files'] = []
  for (const file of contents.files)
    if ((await exists(file.path)) && (await exists(join(folder, file.stored_as)))) taken.push(file)
  if (taken.length > 0 && !replace)
    throw new TrashError(
      'path_taken',
      `Cannot restore ${contents.run_id}: ${taken[0]!.path} is there again. Remove the run of that name first${remedyFor({ panel: '', commandLine: `, or exchange the two with rag-ladder trash restore ${trashId} --replace` })}.`,
    )
  let replaced: RemovedRun | null = null
  if (taken.length > 0) {
    const removal = { runId: contents.run_id, why: contents.why, items: taken }
    const open = await openTrash(stateDir, removal)
    await open.takeRest()
    replaced = open.entry
  }
  await moveBack(folder, contents)
  await rm(join(folder, CONTENTS_FILE))
  await rmdir(folder)
  return { entry: viewOf(basename(folder), contents), journal: contents.journal ?? null, replaced }
}

/** Removes entries for good: all, or those that were removed before a moment. Returns them. */
export async function emptyTrash(
  stateDir: string,
  { olderThan = null }: { olderThan?: Date | null } = {},
): Promise<RemovedRun[]> {
  const all = await listTrash(stateDir)
  const gone = olderThan === null ? all : all.filter(({ removed_at: at }) => Date.parse(at) < olderThan.getTime())
  for (const { trash_id: name } of gone) await rm(join(trashFolder(stateDir), name), { recursive: true, force: true })
  return gone
}

async function moveBack(folder: string, { files }: Contents): Promise<void> {
  for (const { path, stored_as } of files) {
    const stored = join(folder, stored_as)
    if (!(await exists(stored))) continue
    await mkdir(dirname(path), { recursive: true })
    await move(stored, path)
  }
}

async function contentsOf(folder: string): Promise<Contents | null> {
  const text = await readFile(join(folder, CONTENTS_FILE), 'utf8').catch(() => '')
  return Contents.safeParse(jsonIn(text)).data ?? null
}
