import { readFile } from 'node:fs/promises'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import { RunIdentity } from '../../../contract/evidence/run-identity.ts'
import { describeIssues } from '../../../core/issues.ts'
import type { AnswerJournal } from '../answer-journal.ts'
import { EvidenceError, messageOf, systemCode } from '../errors.ts'
import type { FileOps } from '../files/file-ops.ts'
import { appendWhole } from '../files/line-file.ts'
import { conflictsWith } from './conditions.ts'
import { fingerprint, IDENTITY_PARTS, sameJson } from './row-identity.ts'
import type { StoredRow, StoredRun } from './run-identity.ts'
import type { StoredRows } from './stored-rows.ts'

// The identity record of an evidence file, and the file as `checkIdentity` looks at it: by the fingerprints of the row index, so that 200,000
// rows cost milliseconds.

const REPRODUCIBILITY = IDENTITY_PARTS.indexOf('reproducibility')

/** Returns the same text for answers of the same conditions and approach, which bind other rows alike. Of a row that may be replaced only the row itself shows whether it has an answer, so it is a kind of its own. */
const kindAt = ({ index }: StoredRows, ordinal: number): string =>
  index.isFinal(ordinal)
    ? IDENTITY_PARTS.map((name, part) =>
        name === 'question' ? '' : index.partOf(ordinal, part).toString('latin1'),
      ).join('')
    : String(ordinal)

/** `…-evidence.jsonl` → `…-evidence.identity.json`. */
export const identityPathFor = (file: string): string => `${file.replace(/\.jsonl$/, '')}.identity.json`

/** The record of `file`; null when there is none. Throws `damaged` for one that cannot be read. */
export async function readRecord(file: string): Promise<RunIdentity | null> {
  const path = identityPathFor(file)
  let problem: string
  try {
    const parsed = RunIdentity.safeParse(JSON.parse(await readFile(path, 'utf8')))
    if (parsed.success) return parsed.data
    problem = describeIssues(parsed.error).slice(0, 3).join('; ')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    problem = messageOf(error)
  }
  const message = `${path}: invalid run identity (${problem}). Remove the file: it is rebuilt from the rows of ${file}`
  throw new EvidenceError('damaged', message, { file: path })
}

/** Replaces the record of `file` whole, and makes it durable. */
export async function writeRecord(file: string, ops: FileOps, identity: RunIdentity): Promise<void> {
  const path = identityPathFor(file)
  const temporary = `${path}.tmp`
  await ops.remove(temporary)
  const target = await ops.openNew(temporary)
  try {
    await appendWhole(ops, temporary, target, Buffer.from(`${JSON.stringify(identity, null, 2)}\n`), 0)
    await target.sync()
  } finally {
    await target.close()
  }
  await ops.rename(temporary, path)
  await ops.syncFolderOf(path)
}

interface StoredFiles {
  file: string
  rows: StoredRows
  answers: AnswerJournal
  ops: FileOps
}

/** Use it under the log's lock, with everything read that others wrote. */
export function storedRunOf({ file, rows, answers, ops }: StoredFiles): StoredRun {
  return {
    rowCount: rows.index.count,
    answerCount: answers.rowIds().length,
    record: () => readRecord(file),
    async keep(identity) {
      await writeRecord(file, ops, identity)
      return true
    },
    first: () => firstRow(rows, answers),
    others: (reproducibility) => otherRows(rows, answers, reproducibility),
  }
}

/** The first row, or else a kept answer; null for a run with neither. */
export async function firstRow(
  rows: StoredRows,
  answers: Pick<AnswerJournal, 'rowIds' | 'read'>,
): Promise<CanonicalRow | null> {
  if (rows.index.count > 0) return rows.readAt(0)
  for (const rowId of answers.rowIds()) return answers.read(rowId)
  return null
}

/** One row for each kind of row with conditions other than these, and each such kept answer. */
export async function otherRows(
  rows: StoredRows,
  answers: Pick<AnswerJournal, 'rowIds' | 'read'>,
  reproducibility: Reproducibility,
): Promise<StoredRow[]> {
  const { index } = rows
  const digest = fingerprint(reproducibility)
  const found = new Map<string, { ordinal: number; rows: number }>()
  for (let ordinal = 0; ordinal < index.count; ordinal += 1) {
    if (index.hasPart(ordinal, REPRODUCIBILITY, digest)) continue
    const key = kindAt(rows, ordinal)
    const known = found.get(key)
    if (known === undefined) found.set(key, { ordinal, rows: 1 })
    else known.rows += 1
  }
  const other: StoredRow[] = []
  for (const { ordinal, rows: count } of found.values()) {
    const row = await rows.readAt(ordinal)
    other.push({ rowId: row.row_id, row, rows: count })
  }
  for (const rowId of answers.rowIds()) {
    const row = await answers.read(rowId)
    if (row !== null && !sameJson(row.reproducibility, reproducibility)) other.push({ rowId, row, rows: 1 })
  }
  return other
}

/** Looks at the rows that came since: another program may append without asking. Throws `other_identity`. */
export async function checkRowsFrom(
  first: number,
  rows: StoredRows,
  identity: RunIdentity,
  digest: Buffer,
): Promise<void> {
  const seen = new Set<string>()
  for (let ordinal = first; ordinal < rows.index.count; ordinal += 1) {
    if (rows.index.hasPart(ordinal, REPRODUCIBILITY, digest)) continue
    const kind = kindAt(rows, ordinal)
    if (seen.has(kind)) continue
    seen.add(kind)
    const row = await rows.readAt(ordinal)
    const [difference] = conflictsWith(row, identity.reproducibility)
    if (difference === undefined) continue
    const { path, stored, current } = difference
    const message = `${rows.path}: another process stored row ${ordinal + 1} under other conditions (${path}: stored ${stored}, this run has ${current}). Stop that process, and start a new run under another name`
    throw new EvidenceError('other_identity', message, { file: rows.path, rowId: row.row_id, path })
  }
}
