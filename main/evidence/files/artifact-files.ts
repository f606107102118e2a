import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Identifier } from '../../../contract/common.ts'

// The artifacts of a dataset run are in `<results>/<run_id>-<dataset_id>-<ending>`, except for single files that variables put
// elsewhere. Such a file holds one dataset run, and its content names it. Every command, the engine and the run index ask here.

/** The artifacts of one dataset run. */
export const ARTIFACT_KINDS = ['evidence', 'evaluation', 'matrix', 'judgments'] as const
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number]

const ENDINGS: Readonly<Record<ArtifactKind, string>> = {
  evidence: 'evidence.jsonl',
  evaluation: 'evaluation.json',
  matrix: 'matrix.json',
  judgments: 'judgments.json',
}

/** Paths of the artifacts of one dataset run. */
export type ArtifactFiles = Readonly<Record<ArtifactKind, string>>

/** Artifacts that variables put elsewhere, by absolute path. */
export type NamedFiles = Partial<ArtifactFiles>

/** File name of an artifact: `<run_id>-<dataset_id>-evidence.jsonl` and its like. */
export const artifactName = (kind: ArtifactKind, runId: string, datasetId: string): string =>
  `${runId}-${datasetId}-${ENDINGS[kind]}`

/** Returns true when a file is named as an artifact of some run. */
export const isArtifactName = (name: string): boolean =>
  Object.values(ENDINGS).some((ending) => name.endsWith(`-${ending}`))

/** The artifacts whose names begin with `prefix`. */
export function artifactFilesOf(dir: string, prefix: string): ArtifactFiles {
  const path = (kind: ArtifactKind): string => join(dir, `${prefix}-${ENDINGS[kind]}`)
  return {
    evidence: path('evidence'),
    evaluation: path('evaluation'),
    matrix: path('matrix'),
    judgments: path('judgments'),
  }
}

export const artifactFiles = (dir: string, runId: string, datasetId: string): ArtifactFiles =>
  artifactFilesOf(dir, `${runId}-${datasetId}`)

/** The variables that put single artifacts elsewhere, with their field in the runner's inputs. */
export const NAMING_VARIABLES = {
  evidence: ['MATRIX_CANONICAL_FILE', 'canonicalFile'],
  evaluation: ['MATRIX_SUMMARY_FILE', 'summaryFile'],
  matrix: ['MATRIX_RESULTS_FILE', 'resultsFile'],
} as const satisfies Partial<Record<ArtifactKind, [variable: string, field: string]>>
export type NamedKind = keyof typeof NAMING_VARIABLES

/** Relative paths count from the project folder. */
export function namedFiles(
  root: string,
  inputs: Readonly<Record<(typeof NAMING_VARIABLES)[NamedKind][1], string | null>>,
): NamedFiles {
  const named = Object.entries(NAMING_VARIABLES).flatMap(([kind, [, field]]) => {
    const file = inputs[field]
    return file === null ? [] : [[kind, resolve(root, file)] as const]
  })
  return Object.fromEntries(named)
}

/** Describes where runs keep their artifacts. */
export interface ArtifactPlace {
  resultsDir: string
  named: NamedFiles
}

export interface ArtifactOwner {
  runId: string
  datasetId: string
}

/** Which dataset run a file holds, by its content; null for a file that is missing, empty or does not name one. */
export function ownerOf(kind: NamedKind, file: string): ArtifactOwner | null {
  try {
    const value = JSON.parse(kind === 'evidence' ? firstLineOf(file) : readFileSync(file, 'utf8')) as {
      run_id?: unknown
      dataset_id?: unknown
      dataset?: { id?: unknown }
    } | null
    const owner = { runId: value?.run_id, datasetId: value?.dataset_id ?? value?.dataset?.id }
    const isOwner = Identifier.safeParse(owner.runId).success && Identifier.safeParse(owner.datasetId).success
    return isOwner ? (owner as ArtifactOwner) : null
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'syscall' in error)) return null
    throw error
  }
}

/** A row is at most as long as a gateway's answer with its contexts. */
const MAX_LINE_BYTES = 64 << 20

function firstLineOf(file: string): string {
  const fd = openSync(file, 'r')
  try {
    const parts: Buffer[] = []
    for (let size = 0; size < MAX_LINE_BYTES;) {
      const part = Buffer.alloc(1 << 16)
      const read = readSync(fd, part)
      const end = part.subarray(0, read).indexOf(10)
      parts.push(part.subarray(0, end === -1 ? read : end))
      if (read === 0 || end !== -1) break
      size += read
    }
    return Buffer.concat(parts).toString('utf8')
  } finally {
    closeSync(fd)
  }
}

/**
 * The files that a dataset run is made in: where variables put them, else in the folder of results. Files that hold another run are left alone
 * where this one has its own in the folder, as a run has that makes failed cells of theirs again.
 */
export function filesOfRun({ resultsDir, named }: ArtifactPlace, runId: string, datasetId: string): ArtifactFiles {
  const own = artifactFiles(resultsDir, runId, datasetId)
  const isOfOther = namedKinds(named).some((kind) => {
    const owner = ownerOf(kind, named[kind]!)
    return owner !== null && (owner.runId !== runId || owner.datasetId !== datasetId)
  })
  return isOfOther && [own.evidence, own.matrix].some((file) => existsSync(file)) ? own : { ...own, ...named }
}

/** The files that a stored dataset run is read from: each named file that holds it, else the one in the folder of results. */
export function storedFilesOf({ resultsDir, named }: ArtifactPlace, runId: string, datasetId: string): ArtifactFiles {
  const isOfRun = (kind: NamedKind): boolean => {
    const owner = ownerOf(kind, named[kind]!)
    return owner?.runId === runId && owner.datasetId === datasetId
  }
  const own = namedKinds(named).filter(isOfRun)
  return {
    ...artifactFiles(resultsDir, runId, datasetId),
    ...Object.fromEntries(own.map((kind) => [kind, named[kind]!])),
  }
}

/** The kinds that variables name, in the order of the variables. */
export const namedKinds = (named: NamedFiles): NamedKind[] =>
  (Object.keys(NAMING_VARIABLES) as NamedKind[]).filter((kind) => named[kind] !== undefined)
