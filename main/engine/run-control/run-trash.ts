import { cp, mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { RemovedRun } from '../../../contract/control/stored-runs.ts'
import { storedFilesOf, type ArtifactPlace } from '../../evidence/artifact-files.ts'
import { withUnusedEvidence } from '../../evidence/remove-evidence.ts'
import { writeAtomic } from '../../lib/write-atomic.ts'
import { fileStore } from '../../evidence/evidence-store.ts'
import { listDeletions } from '../../runner/cold-reset.ts'
import { EvidenceRefusedError } from '../../runner/open-evidence.ts'
import { ControlFailure } from '../control-failure.ts'
import { JournalEntry } from './run-journal.ts'

// A removed run is a folder `<state>/run-trash/<run_id>@<time>` with its files, numbered, and `contents.json`, which lists where each one belongs.
// The list is written before the first file is moved, and each file is at one of its two places at any moment: after a crash, restoring goes on.

const Contents = z.strictObject({
  schema_version: z.literal(1),
  ...RemovedRun.omit({ trash_id: true, files: true, size_bytes: true }).shape,
  files: z.array(
    z.strictObject({ path: z.string(), stored_as: z.string().regex(/^[\w.-]+$/), size_bytes: z.int().min(0) }),
  ),
  journal: JournalEntry.nullable(),
})
type Contents = z.infer<typeof Contents>

const CONTENTS_FILE = 'contents.json'

export interface RunTrashPlace {
  root: string
  stateDir: string
  artifacts: ArtifactPlace
}

const trashFolder = ({ stateDir }: RunTrashPlace): string => join(stateDir, 'run-trash')

const viewOf = (trash_id: string, { run_id, removed_at, files }: Contents): RemovedRun => ({
  trash_id,
  run_id,
  removed_at,
  files: files.length,
  size_bytes: files.reduce((sum, { size_bytes: size }) => sum + size, 0),
})

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null

/** Renames, also from one file system to another. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await cp(from, `${to}.part`, { preserveTimestamps: true })
    await rename(`${to}.part`, to)
    await rm(from)
  }
}

/**
 * Moves everything that a run's datasets have among the working artifacts to the trash: evidence and what is beside it, summaries, matrices,
 * judgments and votes. Throws `EvidenceRefusedError` while a process has evidence open, and `ControlFailure` where there is nothing.
 */
export async function removeRun(
  place: RunTrashPlace,
  runId: string,
  datasetIds: readonly string[],
  journal: JournalEntry | null,
): Promise<RemovedRun> {
  const scopes = datasetIds.map((datasetId) => ({
    root: place.root,
    runId,
    datasetId,
    files: storedFilesOf(place.artifacts, runId, datasetId),
    store: fileStore,
    collections: null,
  }))
  const listed = (await Promise.all(scopes.map(listDeletions))).flatMap(({ items }) => items)
  if (listed.length === 0 && journal === null)
    throw new ControlFailure('not_found', `${runId} has no file among the working artifacts`)
  const now = new Date().toISOString()
  const trashId = `${runId}@${now.replaceAll(':', '-')}`
  const folder = join(trashFolder(place), trashId)
  const files = listed.map(({ path, size_bytes }, number) => ({
    path,
    stored_as: `${number}-${basename(path)}`.replaceAll(/[^\w.-]/g, '_'),
    size_bytes,
  }))
  const contents: Contents = { schema_version: 1, run_id: runId, removed_at: now, files, journal }
  await mkdir(folder, { recursive: true })
  await writeAtomic(join(folder, CONTENTS_FILE), `${JSON.stringify(contents, null, 2)}\n`)
  const left = new Map(files.map(({ path, stored_as }) => [path, join(folder, stored_as)]))
  const moveListed = async (paths: readonly string[]): Promise<void> => {
    for (const path of paths) {
      const target = left.get(path)
      if (target === undefined) continue
      await move(path, target)
      left.delete(path)
    }
  }
  try {
    for (const { files: own } of scopes) {
      if (!(await exists(own.evidence))) continue
      const outcome = await withUnusedEvidence(own.evidence, moveListed)
      if (!outcome.ok) throw new EvidenceRefusedError(outcome.refusal)
    }
    await moveListed([...left.keys()])
  } catch (error) {
    // A run is in the trash as a whole or not at all.
    await moveBack(folder, contents)
    await rm(folder, { recursive: true })
    throw error
  }
  return viewOf(trashId, contents)
}

/** Removed runs, the last one first. A folder without a usable list is not shown and not touched. */
export async function removedRuns(place: RunTrashPlace): Promise<RemovedRun[]> {
  const names = await readdir(trashFolder(place)).catch((): string[] => [])
  const found = await Promise.all(
    names.map(async (name) => {
      const contents = await contentsOf(join(trashFolder(place), name))
      return contents === null ? [] : [viewOf(name, contents)]
    }),
  )
  return found.flat().sort((a, b) => (a.removed_at < b.removed_at ? 1 : -1))
}

/** Moves a removed run back and returns it with its journal. Throws `ControlFailure` where a file of it is there again. */
export async function restoreRun(
  place: RunTrashPlace,
  trashId: string,
): Promise<{ run: RemovedRun; journal: JournalEntry | null }> {
  // A name, not a path: the folder must be one of the trash.
  const folder = join(trashFolder(place), basename(trashId))
  const contents = await contentsOf(folder)
  if (contents === null) throw new ControlFailure('not_found', `the trash has no ${trashId}`)
  for (const { path, stored_as } of contents.files)
    if ((await exists(path)) && (await exists(join(folder, stored_as))))
      throw new ControlFailure(
        'run_state',
        `Cannot restore ${contents.run_id}: ${path} is there again. Remove the run of that name first.`,
      )
  await moveBack(folder, contents)
  await rm(join(folder, CONTENTS_FILE))
  await rmdir(folder)
  return { run: viewOf(trashId, contents), journal: contents.journal }
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
  try {
    const parsed = Contents.safeParse(JSON.parse(await readFile(join(folder, CONTENTS_FILE), 'utf8')))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
