import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Deletion, DeletionList } from '../../contract/control/run-job.ts'
import type { EvidenceStore } from '../evidence/evidence-store.ts'
import { evidenceFilesOf, removeEvidence } from '../evidence/remove-evidence.ts'
import { ballotFiles, BALLOTS_FOLDER, humanFiles } from '../judge/human/human-files.ts'
import { journalPath } from '../judge/verdict-journal.ts'
import { STATE_FOLDER } from '../manifests/project-folder.ts'
import type { ArtifactFiles } from '../evidence/artifact-files.ts'
import { bytesWords, plural } from '../../contract/words.ts'
import { EvidenceRefusedError, refused } from './open-evidence.ts'
import { orIfMissing } from '../lib/read-json.ts'

/** What a cold reset of one dataset run works on. */
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

/** Something is there that the confirmed list did not name. Nothing was deleted. */
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

/** Null where there is nothing. */
async function sizeOf(path: string): Promise<number | null> {
  const found = await orIfMissing(stat(path), null)
  if (found === null) return null
  if (!found.isDirectory()) return found.size
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

type Candidate = readonly [Deletion['what'], string]

async function candidatesOf({ root, runId, datasetId, files, collections }: ResetScope): Promise<Candidate[]> {
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
    ...(collections === null ? [] : [['collections', collections] as const]),
  ]
}

const placeIn = ({ runId, datasetId, files }: ResetScope) => ({ runId, datasetId, file: files.evidence })

/** Everything that a cold reset of this dataset run would delete now. Reads only; `coldReset` deletes exactly this. */
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
  return { dataset_id: scope.datasetId, items, keeps_external_collections: scope.collections === null }
}

/** Finished rows that lists would delete. */
export const rowsIn = (lists: readonly DeletionList[]): number =>
  lists.flatMap(({ items }) => items).reduce((sum, { rows }) => sum + (rows ?? 0), 0)

/** Lists without what the next run makes again at no cost but time: whether a confirmation is needed. */
export const mustConfirm = (lists: readonly DeletionList[]): boolean =>
  lists.some(({ items }) => items.some(({ what }) => what !== 'collections'))

/** The first thing that is there, or has grown, since a list was confirmed; null when there is none. */
export function unconfirmed(now: DeletionList, confirmed: readonly DeletionList[]): string | null {
  const known = new Map(confirmed.flatMap(({ items }) => items).map(({ path, rows }) => [path, rows]))
  for (const { what, path, rows } of now.items) {
    if (what === 'collections') continue
    const before = known.get(path)
    if (before === undefined) return `${path} was not in the list that was confirmed`
    if ((rows ?? 0) > (before ?? 0)) return `${path} has ${plural(rows ?? 0, 'row')}, ${before ?? 0} were confirmed`
  }
  return null
}

/**
 * Deletes what `listDeletions` lists, after comparing it with the lists that a person confirmed; null asks for no comparison. Throws
 * `ColdResetChangedError`, and `EvidenceRefusedError` while another process has the evidence open; nothing is deleted then.
 */
export async function coldReset(scope: ResetScope, confirmed: readonly DeletionList[] | null): Promise<string> {
  await mkdir(dirname(scope.files.evidence), { recursive: true })
  const list = await listDeletions(scope)
  const problem = confirmed === null ? null : unconfirmed(list, confirmed)
  if (problem !== null)
    throw new ColdResetChangedError(
      `Cannot reset run ${scope.runId}: ${problem}. Nothing was deleted. Start the run again to see and confirm the new list.`,
    )
  refused(await scope.store.remove(placeIn(scope)))
  const evidence = await removeEvidence(scope.files.evidence)
  if (!evidence.ok) throw new EvidenceRefusedError(evidence.refusal)
  for (const { path } of list.items.filter(({ what }) => what !== 'evidence'))
    await rm(path, { recursive: true, force: true })
  const files = list.items.filter(({ what }) => what !== 'collections').length
  const collections = list.keeps_external_collections
    ? 'the external platform keeps its collections'
    : 'collections of the embedded platform deleted'
  return `${plural(files, 'file')} with ${plural(rowsIn([list]), 'finished row')} deleted; ${collections}`
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
