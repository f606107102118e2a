import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { isOfSystem } from '../../../core/system-limit.ts'
import { verifyEvidence } from '../../evidence/verify-evidence.ts'
import {
  artifactFiles,
  artifactFilesOf,
  namedKinds,
  ownerOf,
  type ArtifactFiles,
  type NamedFiles,
} from '../../evidence/files/artifact-files.ts'
import { readEvidenceRows } from '../read-evidence.ts'
import { ReportError } from '../report-error.ts'
import { readStoredAggregate } from './write-artifacts.ts'

/** A file of a results folder that could not be used. The rest of the folder does not depend on it. */
export interface UnusableFile {
  /** File name. */
  file: string
  /** The first problem, in words. */
  reason: string
  /** States how many problems a full check found; 1 where the file cannot be checked further. */
  issues: number
}

/** The artifacts of one dataset run in a folder, named by their content: a file name alone is ambiguous. */
interface FoundRun {
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

/**
 * Finds every dataset run of a folder, and those whose files are `named` elsewhere. A file that cannot be read is listed with its reason.
 * Rejects when the folder itself cannot be read.
 */
export async function scanResults(dir: string, named: NamedFiles = {}): Promise<ResultsFolder> {
  const names = await namesIn(dir, named)
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
  await addNamed(dir, named, found)
  return found
}

/** A folder need not exist where every file of the only run is named elsewhere. */
async function namesIn(dir: string, named: NamedFiles): Promise<string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    const isNamed = namedKinds(named).some((kind) => existsSync(named[kind]!))
    if (isNamed && (error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Joins each named file to the run that its content names, which may have its other files in the folder. */
async function addNamed(dir: string, named: NamedFiles, found: ResultsFolder): Promise<void> {
  for (const kind of namedKinds(named)) {
    const file = named[kind]!
    const owner = ownerOf(kind, file)
    if (owner === null) {
      // A missing one is of a run that is still to come.
      const reason = 'it does not name its run'
      if (existsSync(file)) found.unusable.push({ file: basename(file), reason, issues: 1 })
      continue
    }
    const { runId, datasetId } = owner
    const known = found.runs.find((run) => run.runId === runId && run.datasetId === datasetId)
    const run: FoundRun = known ?? {
      runId,
      datasetId,
      stored: null,
      hasEvidence: false,
      files: artifactFiles(dir, runId, datasetId),
    }
    run.files = { ...run.files, [kind]: file }
    if (kind === 'evidence')
      run.hasEvidence = (await usableOrListed(file, found.unusable, () => firstRowOf(file))) !== null
    if (kind === 'evaluation') run.stored = await storedIn(file, found.unusable)
    if (known === undefined && (run.hasEvidence || run.stored !== null)) found.runs.push(run)
  }
}

/** Returns what `use` makes of a file; null, and the file listed, where it cannot be read or its rows do not belong together. */
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
    unusable.push({ file: basename(file), reason: read.issues[0]!, issues: read.issues.length })
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
