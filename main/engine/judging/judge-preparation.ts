import { stat } from 'node:fs/promises'
import type { CellJudging } from '../../../contract/control/cells.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { BlockedPrompt, Judgments, PromptLeak } from '../../../contract/evidence/judgments.ts'
import {
  artifactFiles,
  artifactFilesOf,
  storedFilesOf,
  type ArtifactFiles,
  type ArtifactPlace,
} from '../../evidence/files/artifact-files.ts'
import { exists } from '../../lib/files/missing-file.ts'
import { loadHistorical, snapshotIdentity } from '../../report/publication/historical.ts'
import { readJudgments } from '../../report/aggregate/judge-input.ts'
import { unpackedFolder } from '../../report/publication/published-folder.ts'

const MAX_LISTED = 20

type Answer = Pick<CanonicalRow, 'run_id'> & {
  dataset: Pick<CanonicalRow['dataset'], 'id'>
  question: Pick<CanonicalRow['question'], 'id'>
  approach: Pick<CanonicalRow['approach'], 'model'>
}

/** Reads how answers were prepared for the judges of their run, from the judgments beside them. Keeps the last file that was read. */
export class JudgePreparation {
  readonly #root: string
  readonly #artifacts: ArtifactPlace
  #last: { file: string; stamp: string; judgments: Judgments | null } | null = null

  constructor(root: string, artifacts: ArtifactPlace) {
    this.#root = root
    this.#artifacts = artifacts
  }

  /** Null where no judge panel ran, and where its file cannot be read, which the Judges page reports. */
  async of(answer: Answer): Promise<CellJudging | null> {
    const files = await judgedFiles(this.#root, this.#artifacts, answer.run_id, answer.dataset.id)
    const judgments = await this.#read(files.judgments)
    return judgments === null ? null : preparationOf(judgments, answer.question.id, answer.approach.model)
  }

  async #read(file: string): Promise<Judgments | null> {
    const found = await stat(file).catch(() => null)
    if (found === null) return null
    const stamp = `${found.mtimeMs} ${found.size} ${found.ino}`
    if (this.#last?.file !== file || this.#last.stamp !== stamp) {
      const input = await readJudgments(file)
      this.#last = { file, stamp, judgments: input.state === 'read' ? input.judgments : null }
    }
    return this.#last.judgments
  }
}

/** One answer in the judgments; null where they do not name its question. */
export function preparationOf(
  { queries, withheld = [], blocked = [] }: Judgments,
  questionId: string,
  model: string,
): CellJudging | null {
  const leaksIn = (list: readonly BlockedPrompt[]): PromptLeak[] =>
    list.find(({ query_id }) => query_id === questionId)?.leaks ?? []
  const question = queries.find(({ query_id }) => query_id === questionId)
  const preventing = leaksIn(blocked)
  if (question === undefined && preventing.length === 0) return null
  return {
    shown: preventing.length > 0 ? null : (question?.answers?.[model] ?? null),
    withheld: leaksIn(withheld)
      .filter(({ found_in }) => found_in === model)
      .slice(0, MAX_LISTED),
    blocked: preventing.slice(0, MAX_LISTED),
  }
}

/** Artifacts of a dataset run: the working files, else the published ones, else those of a historical snapshot. */
export async function judgedFiles(
  root: string,
  artifacts: ArtifactPlace,
  runId: string,
  datasetId: string,
): Promise<ArtifactFiles> {
  const working = storedFilesOf(artifacts, runId, datasetId)
  if ((await exists(working.evidence)) || (await exists(working.matrix))) return working
  const published = artifactFiles(unpackedFolder(root), runId, datasetId)
  if ((await exists(published.evidence)) || (await exists(published.matrix))) return published
  for (const dir of [artifacts.resultsDir, unpackedFolder(root)]) {
    const snapshot = await snapshotIn(dir, runId, datasetId)
    if (snapshot !== null) return snapshot
  }
  return working
}

/** The file name of a snapshot may differ from its run and dataset. */
async function snapshotIn(dir: string, runId: string, datasetId: string): Promise<ArtifactFiles | null> {
  if (!(await exists(dir))) return null
  const { snapshots } = await loadHistorical(dir)
  const found = snapshots.find((snapshot) => {
    const identity = snapshotIdentity(snapshot)
    return identity.runId === runId && identity.datasetId === datasetId
  })
  return found === undefined ? null : artifactFilesOf(dir, found.name)
}
