import { createReadStream } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Deletion, DeletionList } from '../../../contract/control/run-job.ts'
import type { EvidenceStore } from '../../evidence/evidence-store.ts'
import { evidenceFilesOf, withUnusedEvidence } from '../../evidence/remove-evidence.ts'
import { ballotFiles, BALLOTS_FOLDER, humanFiles } from '../../judge/human/human-files.ts'
import { journalPath } from '../../judge/verdict-journal.ts'
import { STATE_FOLDER } from '../../manifests/project/project-folder.ts'
import type { ArtifactFiles } from '../../evidence/files/artifact-files.ts'
import { bytesWords, plural } from '../../../contract/words.ts'
import { EvidenceRefusedError, refused } from '../cells/open-evidence.ts'
import { refuseForeignFiles } from './protected-files.ts'
import { filesBelow } from '../../lib/files/files-below.ts'
import { orIfMissing } from '../../lib/files/missing-file.ts'
import { openTrash, TRASH_DAYS } from '../../lib/files/trash.ts'
import { remedyFor } from '../../evidence/typed-command.ts'

/** Describes what a cold reset of one dataset run works on. */
export interface ResetScope {
  /** Project folder, which holds the votes of the panel's Judges page. */
  root: string
  runId: string
  datasetId: string
  files: ArtifactFiles
  store: EvidenceStore
  /** Folder of what the embedded platform made for the ingestion profile; null: an external platform keeps its collections. */
  collections: string | null
}

/** Something is there that the confirmed list did not name. Nothing was removed. */
class ColdResetChangedError extends Error {
  override readonly name = 'ColdResetChangedError'
  readonly code = 'cold_reset_changed'
}

const NEWLINE = 10

async function linesIn(file: string): Promise<number> {
  let count = 0
  for await (const bytes of createReadStream(file) as AsyncIterable<Buffer>)
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1
  return count
}

/** Returns what the platform keeps beside the collections: records of users, objects, downloads. A reset of a run's collections leaves them. */
const isRecord = (name: string): boolean =>
  /^(?:platform|memory-vectors)\.sqlite/.test(name) || ['storage', 'models', 'task-signing-secret'].includes(name)

/** Returns what the embedded platform made from the documents of a profile. */
async function collectionEntries(folder: string): Promise<string[]> {
  const names = await orIfMissing(readdir(folder), [])
  return names.filter((name) => !isRecord(name)).map((name) => join(folder, name))
}

/** Null where there is nothing. */
async function sizeOf(path: string): Promise<number | null> {
  const found = await orIfMissing(stat(path), null)
  if (found === null) return null
  if (!found.isDirectory()) return found.size
  const files = await filesBelow(path)
  const sizes = files.map(async (file) => (await stat(join(path, file)).catch(() => null))?.size ?? 0)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

type Candidate = readonly [Deletion['what'], string]

async function candidatesOf({ root, runId, datasetId, files }: ResetScope): Promise<Candidate[]> {
  const human = humanFiles(dirname(files.judgments), runId, datasetId)
  const ballots = ballotFiles(join(root, STATE_FOLDER, BALLOTS_FOLDER), runId, datasetId)
  const [evidence, ...besideEvidence] = await evidenceFilesOf(files.evidence)
  return [
    ['evidence', evidence!],
    ...besideEvidence.map((file): Candidate => ['beside_evidence', file]),
    ['summary', files.evaluation],
    ['matrix', files.matrix],
    ['judgments', files.judgments],
    ['judgments', journalPath(files.judgments)],
    ['human_round', human.roundFile],
    ['human_round', human.sealFile],
    ['votes', human.votesFile],
    ['votes', human.resultFile],
    ['votes', ballots.ballotsFile],
    ['votes', ballots.handedInFile],
  ]
}

const placeIn = ({ runId, datasetId, files }: ResetScope) => ({ runId, datasetId, file: files.evidence })

/** Everything that a cold reset of this dataset run would remove now. Reads only; `coldReset` removes exactly this. */
export async function listDeletions(scope: ResetScope): Promise<DeletionList> {
  const items: Deletion[] = []
  const stored = await scope.store.outside(placeIn(scope))
  if (stored !== null)
    items.push({ what: 'evidence', path: stored.name, size_bytes: stored.sizeBytes, rows: stored.rows })
  for (const [what, path] of await candidatesOf(scope)) {
    const sizeBytes = await sizeOf(path)
    if (sizeBytes === null) continue
    // A copy has the rows that are counted already.
    const isLog = what === 'evidence' && stored === null
    items.push({ what, path, size_bytes: sizeBytes, rows: isLog ? await linesIn(path) : null })
  }
  const sizes =
    scope.collections === null ? [] : await Promise.all((await collectionEntries(scope.collections)).map(sizeOf))
  if (scope.collections !== null && sizes.length > 0) {
    const size_bytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
    items.push({ what: 'collections', path: scope.collections, size_bytes, rows: null })
  }
  return { dataset_id: scope.datasetId, items, keeps_external_collections: scope.collections === null }
}

/** Finished rows that lists would delete. */
export const rowsIn = (lists: readonly DeletionList[]): number =>
  lists.flatMap(({ items }) => items).reduce((sum, { rows }) => sum + (rows ?? 0), 0)

/** Returns true when a reset removes anything, which a person must confirm. */
export const mustConfirm = (lists: readonly DeletionList[]): boolean => lists.some(({ items }) => items.length > 0)

/** The first thing that is there, or has grown, since a list was confirmed; null when there is none. */
export function unconfirmed(now: DeletionList, confirmed: readonly DeletionList[]): string | null {
  const known = new Map(confirmed.flatMap(({ items }) => items).map(({ path, rows }) => [path, rows]))
  for (const { what, path, rows } of now.items) {
    // A run that was queued before this one may have made collections since.
    if (what === 'collections') continue
    const before = known.get(path)
    if (before === undefined) return `${path} was not in the list that was confirmed`
    if ((rows ?? 0) > (before ?? 0)) return `${path} has ${plural(rows ?? 0, 'row')}, ${before ?? 0} were confirmed`
  }
  return null
}

const restoreWith = (name: string): string =>
  remedyFor({ panel: `restore ${name} on the page Runs`, commandLine: `rag-ladder trash restore ${name}` })

/** Files of the run, evidence first, while no other process can open it. */
async function removeFiles(scope: ResetScope, list: DeletionList): Promise<string | null> {
  const items = list.items.filter(({ what }) => what !== 'collections')
  if (items.length === 0) return null
  const isStored = (await scope.store.outside(placeIn(scope))) !== null
  // Rows of a database are in its copy too, which goes to the trash.
  if (isStored) refused(await scope.store.bringToFile(placeIn(scope)))
  const files = isStored ? await onDisk(scope) : items
  const trash = await openTrash(stateOf(scope), { runId: scope.runId, why: 'cold_reset', items: files })
  try {
    const moved = await withUnusedEvidence(scope.files.evidence, trash.take)
    if (!moved.ok) throw new EvidenceRefusedError(moved.refusal)
    refused(await scope.store.remove(placeIn(scope)))
    await trash.takeRest()
  } catch (error) {
    await trash.undo()
    throw error
  }
  return `${plural(items.length, 'file')} with ${plural(rowsIn([list]), 'finished row')} moved to the trash: ${restoreWith(trash.entry.trash_id)}`
}

async function onDisk(scope: ResetScope): Promise<{ path: string; size_bytes: number }[]> {
  const found = await Promise.all(
    (await candidatesOf(scope)).map(async ([, path]) => ({ path, size: await sizeOf(path) })),
  )
  return found.flatMap(({ path, size }) => (size === null ? [] : [{ path, size_bytes: size }]))
}

async function removeCollections(scope: ResetScope): Promise<string> {
  if (scope.collections === null) return 'the external platform keeps its collections'
  const paths = await collectionEntries(scope.collections)
  if (paths.length === 0) return 'no collections yet'
  const items = await Promise.all(paths.map(async (path) => ({ path, size_bytes: (await sizeOf(path)) ?? 0 })))
  const trash = await openTrash(stateOf(scope), { runId: scope.runId, why: 'collections', items })
  await trash.takeRest()
  return `collections (${bytesWords(trash.entry.size_bytes)}) moved to the trash: ${restoreWith(trash.entry.trash_id)}`
}

const stateOf = ({ root }: ResetScope): string => join(root, STATE_FOLDER)

/**
 * Moves what `listDeletions` lists to the trash, after comparing it with the lists that a person confirmed; null asks for no comparison. Throws
 * `ColdResetChangedError`, `InputError` for files that are not this run's, and `EvidenceRefusedError` while another process has the evidence open;
 * nothing is removed then.
 */
export async function coldReset(scope: ResetScope, confirmed: readonly DeletionList[] | null): Promise<string> {
  await mkdir(dirname(scope.files.evidence), { recursive: true })
  const list = await listDeletions(scope)
  const problem = confirmed === null ? null : unconfirmed(list, confirmed)
  if (problem !== null)
    throw new ColdResetChangedError(
      `Cannot reset run ${scope.runId}: ${problem}. Nothing was removed. Start the run again to see and confirm the new list.`,
    )
  await refuseForeignFiles(scope, list.items)
  const files = await removeFiles(scope, list)
  const collections = await removeCollections(scope)
  const kept = files === null && scope.collections === null ? '' : ` (kept for ${TRASH_DAYS} days)`
  return `${files === null ? '' : `${files}; `}${collections}${kept}`
}

/** The list as lines of text, for a terminal. */
export function describeDeletions(lists: readonly DeletionList[]): string[] {
  return lists.flatMap(({ dataset_id: dataset, items, keeps_external_collections: keeps }) => [
    ...items.map(
      ({ what, path, size_bytes: size, rows }) =>
        `  ${dataset}: ${what.replaceAll('_', ' ')} ${path} (${rows === null ? '' : `${plural(rows, 'finished row')}, `}${bytesWords(size)})`,
    ),
    ...(keeps ? [`  ${dataset}: collections of the external platform are kept`] : []),
  ])
}
