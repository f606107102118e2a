import { createReadStream } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline'
import type { Deletion } from '../../../contract/control/run-job.ts'
import {
  type ArtifactFiles,
  artifactFiles,
  NAMING_VARIABLES,
  ownerOf,
  type NamedKind,
} from '../../evidence/files/artifact-files.ts'
import { orIfMissing } from '../../lib/files/missing-file.ts'
import { gitOutput } from '../../manifests/project/git-state.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { remedyFor } from '../../evidence/typed-command.ts'

// A run writes its artifacts where variables say, and a cold reset removes them from there. Neither may touch a file that is not this run's: a
// variable that still names an earlier run's file, a published result or a document of the checkout is a mistake, which is found before anything
// is removed.

interface RunFiles {
  root: string
  runId: string
  datasetId: string
  files: ArtifactFiles
}

const KINDS = Object.keys(NAMING_VARIABLES) as NamedKind[]

const isMissing = async (file: string): Promise<boolean> => (await orIfMissing(realpath(file), null)) === null

/** The first run other than this one of which a row is in the file; null when every readable row is this run's. */
async function foreignRow(file: string, runId: string, datasetId: string): Promise<string | null> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
  for await (const line of lines) {
    // Rows carry both near their start; a row that is torn or not of this program names none.
    const run = /"run_id":\s*"([^"\\]*)"/.exec(line)?.[1]
    const dataset = /"dataset":\s*\{[^{}]*?"id":\s*"([^"\\]*)"/.exec(line)?.[1]
    if (run !== undefined && run !== runId) return run
    if (dataset !== undefined && dataset !== datasetId) return `${runId} on ${dataset}`
  }
  return null
}

/** Why a file of this kind is not this run's; null when it is, is empty, or has the run's own name in its folder and cannot be read. */
async function foreignReason(kind: NamedKind, file: string, run: RunFiles): Promise<string | null> {
  const { runId, datasetId } = run
  const owner = ownerOf(kind, file)
  if (owner !== null && (owner.runId !== runId || owner.datasetId !== datasetId))
    return `it holds the run ${owner.runId} on ${owner.datasetId}`
  if (kind === 'evidence') {
    const other = await foreignRow(file, runId, datasetId)
    if (other !== null) return `it holds rows of the run ${other}`
  }
  const isOwnName = basename(file) === basename(artifactFiles(dirname(file), runId, datasetId)[kind])
  if (owner !== null || isOwnName || (await isEmpty(file))) return null
  return `it holds no ${kind === 'evidence' ? 'row' : kind === 'matrix' ? 'matrix' : 'summary'} of this run`
}

async function isEmpty(file: string): Promise<boolean> {
  for await (const part of createReadStream(file, { end: 4096 }) as AsyncIterable<Buffer>)
    if (part.toString('utf8').trim() !== '') return false
  return true
}

const sourceOf = (kind: NamedKind, file: string, { files, runId, datasetId }: RunFiles): string => {
  const own = artifactFiles(dirname(file), runId, datasetId)[kind]
  return files[kind] === file && own !== file ? ` (${NAMING_VARIABLES[kind][0]})` : ''
}

/** Why this run must not write to its files, a sentence each: they are there and hold something else. */
async function foreignFiles(run: RunFiles): Promise<string[]> {
  const problems: string[] = []
  for (const kind of KINDS) {
    const file = run.files[kind]
    if (await isMissing(file)) continue
    const reason = await foreignReason(kind, file, run)
    if (reason !== null)
      problems.push(
        `${file}${sourceOf(kind, file, run)}: ${reason}, which the run ${run.runId} on ${run.datasetId} would replace; name another file, or unset the variable`,
      )
  }
  return problems
}

/** Why a cold reset must not remove what it lists, a sentence each: published results, and files that git tracks. */
async function protectedItems(root: string, items: readonly Deletion[]): Promise<string[]> {
  const problems: string[] = []
  const results = await orIfMissing(realpath(join(root, 'docs/results')), resolve(root, 'docs/results'))
  for (const { what, path } of items) {
    if (what === 'collections') continue
    const real = await orIfMissing(realpath(path), null)
    if (real === null) continue
    const reason = isBelow(results, real)
      ? 'docs/results holds published results'
      : (await isTracked(path)) || (await isTracked(real))
        ? 'git tracks it'
        : null
    if (reason !== null)
      problems.push(
        `${path}: a cold reset does not remove it, because ${reason}; ${remedyFor({ panel: 'start the run without "Cold start", or under another name', commandLine: 'resume the run with --no-cold-reset, or take another --run-id or file' })}`,
      )
  }
  return problems
}

const isBelow = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`)
}

/** False where there is no git or no checkout. */
const isTracked = async (path: string): Promise<boolean> =>
  ((await gitOutput(dirname(path), 'ls-files', '--', `:(literal)${basename(path)}`)) ?? '').trim() !== ''

/** Every sentence of the two: what keeps a run from writing, and its cold reset from removing. Changes nothing. */
export const foreignProblems = async (run: RunFiles, items: readonly Deletion[]): Promise<string[]> => [
  ...(await foreignFiles(run)),
  ...(await protectedItems(run.root, items)),
]

/** Throws `InputError` with all of them. */
export async function refuseForeignFiles(run: RunFiles, items: readonly Deletion[]): Promise<void> {
  const problems = await foreignProblems(run, items)
  if (problems.length > 0) throw new InputError(problems)
}
