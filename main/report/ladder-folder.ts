import { join, relative, sep } from 'node:path'
import type { Aggregate } from '../../contract/index.ts'
import { ARTIFACT_KINDS, type ArtifactFiles } from '../evidence/artifact-files.ts'
import { hashFile } from '../lib/hash-file.ts'
import type { LadderPageInput } from './html/ladder-page.ts'
import type { PageArtifact } from './html/artifact-list.ts'
import { inLadderOrder } from './long-csv.ts'
import { usableOrListed, type ResultsFolder } from './results-folder.ts'
import { summarizeRun } from './write-artifacts.ts'

/** The runs of a folder that a report can be made of, by id: those with evidence or with a summary. */
export const runsIn = ({ runs }: ResultsFolder): string[] => [...new Set(runs.map(({ runId }) => runId))].sort()

/**
 * What the report of one run says: the figures of each `-evaluation.json`, or of the evidence where there is none or it compares nothing, and the
 * hashes of all artifacts as they are now, named relative to `outputDir`. Files that cannot be used are listed in it. Rejects with the
 * system's errors.
 */
export async function ladderReportOf(
  folder: ResultsFolder,
  runId: string,
  outputDir: string,
): Promise<Required<LadderPageInput>> {
  const unusable = [...folder.unusable]
  const aggregates: Aggregate[] = []
  const artifacts = new Map<Aggregate, PageArtifact[]>()
  for (const { files, datasetId, stored, hasEvidence } of folder.runs.filter((run) => run.runId === runId)) {
    const isComplete = stored !== null && (stored.comparisons !== null || !hasEvidence)
    const aggregate = isComplete
      ? stored
      : await usableOrListed(files.evidence, unusable, () => summarizeRun(files, runId, datasetId, stored))
    if (aggregate === null) continue
    aggregates.push(aggregate)
    artifacts.set(aggregate, await hashed(files, datasetId, outputDir))
  }
  const ordered = inLadderOrder(aggregates)
  return { aggregates: ordered, artifacts: ordered.flatMap((aggregate) => artifacts.get(aggregate)!), unusable }
}

async function hashed(files: ArtifactFiles, datasetId: string, outputDir: string): Promise<PageArtifact[]> {
  const found: PageArtifact[] = []
  for (const kind of ARTIFACT_KINDS) {
    const path = files[kind]
    const hash = await hashFile(path).catch((error: unknown) => {
      if (['ENOENT', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
      throw error
    })
    if (hash === null) continue
    const href = relative(outputDir, join(path)).split(sep).join('/')
    found.push({ datasetId, href, sha256: hash.sha256 })
  }
  return found
}
