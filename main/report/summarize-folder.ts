import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Aggregate, CanonicalRow } from '../../contract/index.ts'
import { artifactFilesOf } from './artifact-files.ts'
import { loadHistorical } from './historical.ts'
import { inLadderOrder, type Summaries } from './long-csv.ts'
import { readEvidenceRows } from './read-evidence.ts'
import { ReportError } from './report-error.ts'
import { summarizeRun } from './write-artifacts.ts'

const EVIDENCE_SUFFIX = '-evidence.jsonl'

/** The first row of an evidence file; null when it has none, or is not there. Throws `ReportError`. */
export async function firstRowOf(file: string): Promise<CanonicalRow | null> {
  try {
    for await (const row of readEvidenceRows(file)) return row
  } catch (error) {
    const cause = error instanceof ReportError ? (error.cause as NodeJS.ErrnoException | undefined) : undefined
    if (cause?.code !== 'ENOENT') throw error
  }
  return null
}

/** Run and dataset of an evidence file: its name alone cannot be split. */
async function identityOf(file: string): Promise<{ runId: string; datasetId: string } | null> {
  const row = await firstRowOf(file)
  return row === null ? null : { runId: row.run_id, datasetId: row.dataset.id }
}

/**
 * Everything in a folder of results, summed up anew from the evidence: runs in ladder order, and historical snapshots by name. `runId`
 * takes one run's datasets and no snapshots. Evidence without a row is left out. Throws `ReportError`.
 */
export async function summarizeFolder(dir: string, runId?: string): Promise<Summaries> {
  const names = (await readdir(dir)).filter((name) => name.endsWith(EVIDENCE_SUFFIX)).sort()
  const aggregates: Aggregate[] = []
  for (const name of names) {
    const evidence = join(dir, name)
    const identity = await identityOf(evidence)
    if (identity === null || (runId !== undefined && identity.runId !== runId)) continue
    const files = artifactFilesOf(dir, name.slice(0, -EVIDENCE_SUFFIX.length))
    aggregates.push(await summarizeRun(files, identity.runId, identity.datasetId))
  }
  return { aggregates: inLadderOrder(aggregates), snapshots: runId === undefined ? await loadHistorical(dir) : [] }
}
