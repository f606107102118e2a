import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { storedFilesOf, type ArtifactPlace } from '../files/artifact-files.ts'
import { readTraceText } from './trace-texts.ts'

/** A text that the trace of a row names; null where it is not stored here. A row that was made from another one finds what that one kept. */
export async function storedTraceText(
  place: ArtifactPlace,
  { run_id: runId, dataset, derived_from: from }: Pick<CanonicalRow, 'run_id' | 'dataset' | 'derived_from'>,
  sha256: string,
): Promise<string | null> {
  for (const run of from === undefined ? [runId] : [runId, from.run_id]) {
    const text = await readTraceText(storedFilesOf(place, run, dataset.id).evidence, sha256)
    if (text !== null) return text
  }
  return null
}
