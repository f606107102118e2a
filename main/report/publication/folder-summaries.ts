// From a folder of results to aggregates: of everything in it, or of one run for its report.
import { existsSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { ARTIFACT_KINDS, type ArtifactFiles, type NamedFiles } from '../../evidence/files/artifact-files.ts'
import { hashFile } from '../../lib/files/hash-file.ts'
import { loadHistorical } from './historical.ts'
import type { LadderPageInput } from '../html/ladder-page.ts'
import type { PageArtifact } from '../html/run-facts.ts'
import { inLadderOrder, type Summaries } from '../csv/long-csv.ts'
import { PACKED_ENDING } from './published-folder.ts'
import { differencesOf, isParaphrased } from '../tables/paraphrase-differences.ts'
import { scanResults, usableOrListed, type ResultsFolder, type UnusableFile } from './results-folder.ts'
import { summarizeRun } from './write-artifacts.ts'

interface FolderSummaries extends Summaries {
  /** Files that could not be used; the rest of the folder is summarized without them. */
  unusable: UnusableFile[]
  /** The evidence files of the aggregates. */
  evidence: string[]
  /** The dataset runs of the aggregates. */
  runs: { runId: string; datasetId: string; files: ArtifactFiles }[]
}

/**
 * Summarizes a folder of results and the files `named` elsewhere from the evidence: runs in ladder order, historical snapshots by name. `runId`
 * selects one run and no snapshots. Evidence without rows is left out. Rejects only when the folder itself cannot be read.
 */
export async function summarizeFolder(dir: string, runId?: string, named: NamedFiles = {}): Promise<FolderSummaries> {
  const { runs, unusable } = await scanResults(dir, named)
  const aggregates: Aggregate[] = []
  const evidence: string[] = []
  const summed: FolderSummaries['runs'] = []
  for (const { files, stored, hasEvidence, ...run } of runs) {
    if (!hasEvidence || (runId !== undefined && run.runId !== runId)) continue
    const aggregate = await usableOrListed(files.evidence, unusable, () =>
      summarizeRun(files, run.runId, run.datasetId, stored),
    )
    if (aggregate === null) continue
    aggregates.push(aggregate)
    evidence.push(files.evidence)
    summed.push({ runId: run.runId, datasetId: run.datasetId, files })
  }
  const historical =
    runId === undefined && existsSync(dir) ? await loadHistorical(dir) : { snapshots: [], unusable: [] }
  return {
    aggregates: inLadderOrder(aggregates),
    snapshots: historical.snapshots,
    unusable: [...unusable, ...historical.unusable],
    evidence,
    runs: summed,
  }
}

/** The runs in a folder that can have a report, by ID: those with evidence or with a summary. */
export const runsIn = ({ runs }: ResultsFolder): string[] => [...new Set(runs.map(({ runId }) => runId))].sort()

/**
 * The content of one run's report: summed up from the evidence, whose every row has a checksum, or `-evaluation.json` where there is none, and the current
 * hashes of all artifacts, named relative to `outputDir`. Unusable files are listed. Rejects with the
 * system's errors.
 */
export async function ladderReportOf(
  folder: ResultsFolder,
  runId: string,
  outputDir: string,
): Promise<Required<Omit<LadderPageInput, 'label'>>> {
  const unusable = [...folder.unusable]
  const aggregates: Aggregate[] = []
  const artifacts = new Map<Aggregate, PageArtifact[]>()
  for (const { files, datasetId, stored, hasEvidence } of folder.runs.filter((run) => run.runId === runId)) {
    const aggregate = hasEvidence
      ? await usableOrListed(files.evidence, unusable, () => summarizeRun(files, runId, datasetId, stored))
      : stored
    if (aggregate === null) continue
    aggregates.push(aggregate)
    artifacts.set(aggregate, await hashed(files, datasetId, outputDir))
  }
  const ordered = inLadderOrder(aggregates)
  const complete = folder.runs.filter((run) => run.runId === runId && run.hasEvidence)
  return {
    aggregates: ordered.filter((aggregate) => !isParaphrased(aggregate)),
    artifacts: ordered.flatMap((aggregate) => artifacts.get(aggregate)!),
    unusable,
    paraphrases: await differencesOf(complete),
  }
}

async function hashed(files: ArtifactFiles, datasetId: string, outputDir: string): Promise<PageArtifact[]> {
  const found: PageArtifact[] = []
  for (const kind of ARTIFACT_KINDS) {
    for (const path of [files[kind], `${files[kind]}${PACKED_ENDING}`]) {
      const hash = await hashFile(path).catch((error: unknown) => {
        if (['ENOENT', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
        throw error
      })
      if (hash === null) continue
      const href = relative(outputDir, join(path)).split(sep).join('/')
      found.push({ datasetId, href, sha256: hash.sha256 })
    }
  }
  return found
}
