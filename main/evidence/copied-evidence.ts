import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { EvidenceRefusal } from './evidence-log.ts'
import { jsonIn } from '../../core/json.ts'
import { orIfMissing } from '../lib/files/missing-file.ts'
import { RefusalError } from './errors.ts'
import { remedyFor } from './typed-command.ts'

// A run whose rows are in a database has a copy of them in the folder of results, line by line and byte for byte, so that the run index, the
// reports and every command that only reads work on it as on any other run. A record beside the copy names its original: nothing may
// add rows to it but the copying itself.

const CopyRecord = z.object({
  schema_version: z.literal(1),
  database: z.string(),
  run_id: z.string(),
  dataset_id: z.string(),
})
export type CopyRecord = z.infer<typeof CopyRecord>

/** `…-evidence.jsonl` → `…-evidence.copy.json`. */
export const copyRecordPathFor = (file: string): string => `${file.replace(/\.jsonl$/, '')}.copy.json`

/** Of what a file of rows is a copy; null when it is none. Rejects with `RefusalError` for a record that cannot be read. */
export async function copyRecordOf(file: string): Promise<CopyRecord | null> {
  const text = await orIfMissing(readFile(copyRecordPathFor(file), 'utf8'), null)
  if (text === null) return null
  const record = CopyRecord.safeParse(jsonIn(text))
  if (!record.success) throw new RefusalError(unreadable(file))
  return record.data
}

/** Earlier versions did not write it whole, so that a kill could leave it empty. */
const unreadable = (file: string): EvidenceRefusal => ({
  code: 'copy',
  file,
  offset: null,
  line: null,
  message: `${copyRecordPathFor(file)}: the record that names the database of the rows in ${file} cannot be read`,
  remedy: 'if the rows are in the database, remove both files and resume the run: they are copied from there again',
})

export const copyRefusal = (file: string, { database }: CopyRecord): EvidenceRefusal => ({
  code: 'copy',
  file,
  offset: null,
  line: null,
  message: `${file}: it is a copy of rows in the database ${database}, and rows are added there`,
  remedy: remedyFor({
    panel: 'set MATRIX_EVIDENCE_URL to that database, or start a run under another name',
    commandLine: `go on with --evidence ${database} (or MATRIX_EVIDENCE_URL), or use a new run id`,
  }),
})

/** The file has rows of its own where a copy would be made. */
export const ownRowsRefusal = (file: string, database: string): EvidenceRefusal => ({
  code: 'copy',
  file,
  offset: null,
  line: null,
  message: `${file}: it has rows of a run without a database, so it cannot become the copy of a run in ${database}`,
  remedy: remedyFor({
    panel: 'start a run under another name, or go on without the database',
    commandLine: 'use a new run id, or go on without --evidence',
  }),
})
