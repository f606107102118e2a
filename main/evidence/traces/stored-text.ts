import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { storedFilesOf, type ArtifactPlace } from '../files/artifact-files.ts'
import { readTraceTexts } from './trace-texts.ts'

type TracedRow = Pick<CanonicalRow, 'run_id' | 'dataset' | 'derived_from'>

/** Texts that the trace of a row names, without those that are not stored here. A row that was made from another one finds what that one kept. */
export async function storedTraceTexts(
  place: ArtifactPlace,
  { run_id: runId, dataset, derived_from: from }: TracedRow,
  digests: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const run of from === undefined ? [runId] : [runId, from.run_id]) {
    const missing = new Set(digests.filter((sha256) => !found.has(sha256)))
    if (missing.size === 0) break
    const { evidence } = storedFilesOf(place, run, dataset.id)
    for (const [sha256, text] of await readTraceTexts(evidence, missing)) found.set(sha256, text)
  }
  return found
}

/** A text that the trace of a row names; null where it is not stored here. */
export const storedTraceText = async (place: ArtifactPlace, row: TracedRow, sha256: string): Promise<string | null> =>
  (await storedTraceTexts(place, row, [sha256])).get(sha256) ?? null
