import { readdir, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Aggregate } from '../../contract/index.ts'
import { verifyEvidence } from '../evidence/verify-evidence.ts'
import { artifactFilesOf, type ArtifactFiles } from './artifact-files.ts'
import { readEvidenceRows } from './read-evidence.ts'
import { ReportError } from './report-error.ts'
import { readStoredAggregate } from './write-artifacts.ts'

/** A file of a results folder that could not be used. What the rest of the folder says does not depend on it. */
export interface UnusableFile {
  /** File name. */
  file: string
  /** The first problem, in words. */
  reason: string
  /** How many problems a full check found; 1 where the file cannot be checked further. */
  issues: number
}

/** The artifacts of one dataset run in a folder, named by what stands in them: a file name alone cannot be split. */
export interface FoundRun {
  files: ArtifactFiles
  runId: string
  datasetId: string
  /** Null when there is no usable `-evaluation.json` of this run. */
  stored: Aggregate | null
  hasEvidence: boolean
}

export interface ResultsFolder {
  /** By file name. */
  runs: FoundRun[]
  unusable: UnusableFile[]
}

const ENDINGS = ['-evidence.jsonl', '-evaluation.json'] as const

/** Finds every dataset run of a folder. A file that cannot be read is listed with its reason. Rejects when the folder itself cannot be read. */
export async function scanResults(dir: string): Promise<ResultsFolder> {
  const names = await readdir(dir)
  const prefixes = new Set(
    names.flatMap((name) =>
      ENDINGS.filter((ending) => name.endsWith(ending)).map((ending) => name.slice(0, -ending.length)),
    ),
  )
  const found: ResultsFolder = { runs: [], unusable: [] }
  for (const prefix of [...prefixes].sort()) {
    const run = await identify(artifactFilesOf(dir, prefix), new Set(names), found.unusable)
    if (run !== null) found.runs.push(run)
  }
  return found
}

/** What `use` makes of a file; null, and the file listed, where it cannot be read or its rows do not belong together. */
export async function usableOrListed<Result>(
  file: string,
  unusable: UnusableFile[],
  use: () => Promise<Result>,
): Promise<Result | null> {
  try {
    const info = await stat(file)
    // A pipe would be waited for, a folder cannot be read.
    if (!info.isFile()) throw new ReportError('unreadable', `${basename(file)} is not a regular file`, { file })
    return await use()
  } catch (error) {
    if (!(error instanceof ReportError) && !isOfSystem(error)) throw error
    if (!unusable.some((each) => each.file === basename(file))) unusable.push(await unusableFile(file, error))
    return null
  }
}

const isOfSystem = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error

async function unusableFile(file: string, error: Error): Promise<UnusableFile> {
  const { code, cause } = error as NodeJS.ErrnoException
  const why = cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
  const name = basename(file)
  const isLine = code === 'malformed_line' || code === 'duplicate_row' || code === 'torn_tail'
  const issues = isLine ? Math.max(1, (await verifyEvidence(file)).problemCount) : 1
  return { file: name, reason: why.startsWith(name) ? why.slice(name.length).replace(/^[: ]+/, '') : why, issues }
}

async function identify(
  files: ArtifactFiles,
  names: ReadonlySet<string>,
  unusable: UnusableFile[],
): Promise<FoundRun | null> {
  const isThere = (file: string): boolean => names.has(basename(file))
  const stored = isThere(files.evaluation) ? await storedIn(files.evaluation, unusable) : null
  if (!isThere(files.evidence))
    return stored && { files, runId: stored.run_id, datasetId: stored.dataset.id, stored, hasEvidence: false }
  const first = await usableOrListed(files.evidence, unusable, () => firstRowOf(files.evidence))
  if (first === null)
    // No figure is taken from a summary whose evidence is damaged: it could be the summary of other rows.
    return stored === null || unusable.some(({ file }) => file === basename(files.evidence))
      ? null
      : { files, runId: stored.run_id, datasetId: stored.dataset.id, stored, hasEvidence: false }
  const [runId, datasetId] = [first.run_id, first.dataset.id]
  if (stored === null || (stored.run_id === runId && stored.dataset.id === datasetId))
    return { files, runId, datasetId, stored, hasEvidence: true }
  unusable.push({
    file: basename(files.evaluation),
    reason: `it is of run ${stored.run_id}, dataset ${stored.dataset.id}; the evidence beside it is of run ${runId}, dataset ${datasetId}`,
    issues: 1,
  })
  return { files, runId, datasetId, stored: null, hasEvidence: true }
}

/** A stored aggregate; null, and the file listed, where it cannot be used. */
export async function storedIn(file: string, unusable: UnusableFile[]): Promise<Aggregate | null> {
  return usableOrListed(file, unusable, async () => {
    const read = await readStoredAggregate(file)
    if (read.ok) return read.aggregate
    unusable.push({ file: basename(file), reason: read.reason, issues: read.issues })
    return null
  })
}

/** The first row of an evidence file; null when it has none. Throws `ReportError`. */
async function firstRowOf(file: string) {
  for await (const row of readEvidenceRows(file)) return row
  return null
}

/** A listing for a person: which files were left out, and why; empty for none. */
export function unusableLines(unusable: readonly UnusableFile[]): string[] {
  return unusable.map(
    ({ file, reason, issues }) => `${file}: ${reason}${issues > 1 ? ` (the first of ${issues} problems)` : ''}`,
  )
}
