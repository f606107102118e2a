import type { CellInput } from '../../../contract/control/run-index/cell.ts'
import type { ArtifactPlace } from '../../evidence/files/artifact-files.ts'
import { storedTraceText } from '../../evidence/traces/stored-text.ts'
import type { RunIndexApi } from '../index-gateway.ts'

/** A text that the trace of a cell names; null where it is not stored here. */
export async function traceText(
  index: RunIndexApi,
  place: ArtifactPlace,
  { sha256, ...input }: CellInput & { sha256: string },
): Promise<string | null> {
  const cell = await index.query('cell', input)
  if (cell.kind !== 'canonical') return null
  return storedTraceText(place, cell.row, sha256)
}
