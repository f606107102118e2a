import { existsSync } from 'node:fs'
import type { Aggregate } from '../../contract/index.ts'
import { loadHistorical } from './historical.ts'
import type { NamedFiles } from '../evidence/artifact-files.ts'
import { inLadderOrder, type Summaries } from './long-csv.ts'
import { scanResults, usableOrListed, type UnusableFile } from './results-folder.ts'
import { summarizeRun } from './write-artifacts.ts'

export interface FolderSummaries extends Summaries {
  /** Files that could not be used; everything else in the folder is summed up without them. */
  unusable: UnusableFile[]
  /** The evidence files behind the aggregates. */
  evidence: string[]
}

/**
 * Everything in a folder of results and in the files `named` elsewhere, summed up again from the evidence: runs in ladder order, and
 * historical snapshots by name. `runId` takes one run's datasets and no snapshots. Evidence without a row is left out. Rejects only when the folder itself cannot be read.
 */
export async function summarizeFolder(dir: string, runId?: string, named: NamedFiles = {}): Promise<FolderSummaries> {
  const { runs, unusable } = await scanResults(dir, named)
  const aggregates: Aggregate[] = []
  const evidence: string[] = []
  for (const { files, stored, hasEvidence, ...run } of runs) {
    if (!hasEvidence || (runId !== undefined && run.runId !== runId)) continue
    const aggregate = await usableOrListed(files.evidence, unusable, () =>
      summarizeRun(files, run.runId, run.datasetId, stored),
    )
    if (aggregate === null) continue
    aggregates.push(aggregate)
    evidence.push(files.evidence)
  }
  const historical =
    runId === undefined && existsSync(dir) ? await loadHistorical(dir) : { snapshots: [], unusable: [] }
  return {
    aggregates: inLadderOrder(aggregates),
    snapshots: historical.snapshots,
    unusable: [...unusable, ...historical.unusable],
    evidence,
  }
}
