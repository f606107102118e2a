import { join } from 'node:path'

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

/** File name of an artifact: `<run_id>-<dataset_id>-evidence.jsonl` and its like. */
export const artifactName = (kind: ArtifactKind, runId: string, datasetId: string): string =>
  `${runId}-${datasetId}-${ENDINGS[kind]}`

/** Whether a file is named as an artifact of some run. */
export const isArtifactName = (name: string): boolean =>
  Object.values(ENDINGS).some((ending) => name.endsWith(`-${ending}`))

/** Where the artifacts stand whose names begin with `prefix`. */
export function artifactFilesOf(dir: string, prefix: string): ArtifactFiles {
  const path = (kind: ArtifactKind): string => join(dir, `${prefix}-${ENDINGS[kind]}`)
  return {
    evidence: path('evidence'),
    evaluation: path('evaluation'),
    matrix: path('matrix'),
    judgments: path('judgments'),
  }
}

/** Where the artifacts of a dataset run stand in a folder; `overrides` are paths that the environment names instead. */
export function artifactFiles(
  dir: string,
  runId: string,
  datasetId: string,
  overrides: Partial<ArtifactFiles> = {},
): ArtifactFiles {
  return { ...artifactFilesOf(dir, `${runId}-${datasetId}`), ...overrides }
}
