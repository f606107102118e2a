import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Aggregate } from '../../contract/index.ts'
import { ARTIFACT_KINDS, artifactFilesOf, type ArtifactFiles } from './artifact-files.ts'
import { hashFile } from './hash-file.ts'
import type { LadderPageInput } from './html/ladder-page.ts'
import type { PageArtifact } from './html/artifact-list.ts'
import { inLadderOrder } from './long-csv.ts'
import { firstRowOf } from './summarize-folder.ts'
import { readAggregate, summarizeRun } from './write-artifacts.ts'

const SUFFIXES = ['-evaluation.json', '-evidence.jsonl'] as const

/** The runs of a folder that a report can be made of, by id: those with evidence or with a summary. */
export async function runsIn(dir: string): Promise<string[]> {
  const found = await Promise.all((await prefixesIn(dir)).map((prefix) => identityOf(artifactFilesOf(dir, prefix))))
  return [...new Set(found.flatMap((identity) => identity?.runId ?? []))].sort()
}

/**
 * What the report of one run says: the figures of each `-evaluation.json`, or of the evidence where there is none or it compares nothing, and the
 * hashes of all artifacts as they stand now, named as seen from `outputDir`. Throws `ReportError` and the disk's errors.
 */
export async function ladderReportOf(dir: string, runId: string, outputDir: string): Promise<LadderPageInput> {
  const aggregates: Aggregate[] = []
  const artifacts = new Map<Aggregate, PageArtifact[]>()
  for (const prefix of await prefixesIn(dir)) {
    const files = artifactFilesOf(dir, prefix)
    const identity = await identityOf(files)
    if (identity?.runId !== runId) continue
    const { stored, datasetId, hasEvidence } = identity
    const isComplete = stored !== null && (stored.comparisons !== null || !hasEvidence)
    const aggregate = isComplete ? stored : await summarizeRun(files, runId, datasetId)
    aggregates.push(aggregate)
    artifacts.set(aggregate, await hashed(files, datasetId, outputDir))
  }
  const ordered = inLadderOrder(aggregates)
  return { aggregates: ordered, artifacts: ordered.flatMap((aggregate) => artifacts.get(aggregate)!) }
}

async function prefixesIn(dir: string): Promise<string[]> {
  const names = await readdir(dir)
  const prefixes = names.flatMap((name) =>
    SUFFIXES.filter((suffix) => name.endsWith(suffix)).map((suffix) => name.slice(0, -suffix.length)),
  )
  return [...new Set(prefixes)].sort()
}

interface Identity {
  runId: string
  datasetId: string
  stored: Aggregate | null
  hasEvidence: boolean
}

/** Null for a pair of files that hold neither a summary nor a row. */
async function identityOf(files: ArtifactFiles): Promise<Identity | null> {
  const stored = await readAggregate(files.evaluation)
  const row = await firstRowOf(files.evidence)
  if (stored !== null) return { runId: stored.run_id, datasetId: stored.dataset.id, stored, hasEvidence: row !== null }
  return row === null ? null : { runId: row.run_id, datasetId: row.dataset.id, stored, hasEvidence: true }
}

async function hashed(files: ArtifactFiles, datasetId: string, outputDir: string): Promise<PageArtifact[]> {
  const found: PageArtifact[] = []
  for (const kind of ARTIFACT_KINDS) {
    const path = files[kind]
    const hash = await hashFile(path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    })
    if (hash === null) continue
    const href = relative(outputDir, join(path)).split(sep).join('/')
    found.push({ datasetId, href, sha256: hash.sha256 })
  }
  return found
}
