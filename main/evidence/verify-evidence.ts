import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { AnswerJournal } from './answer-journal.ts'
import {
  changedTexts,
  duplicateRow,
  foreignRun,
  malformedLine,
  missingFile,
  mixedRows,
  systemCode,
  tornTail,
} from './errors.ts'
import type { EvidenceRefusal } from './evidence-log.ts'
import { type FileOps, type LogFile, nodeFileOps } from './files/file-ops.ts'
import { MISSING_SEAL } from '../lib/files/sealed-json.ts'
import { lastLineEnd, readWhole, scanLines } from './files/line-file.ts'
import { LockFolder } from './locks/lock-folder.ts'
import { storedTextsOf } from './traces/cell-recorder.ts'
import { traceTextsPathFor, verifyTraceTexts } from './traces/trace-texts.ts'
import { SharedConditions } from './rows/conditions.ts'
import { answerReplaced, isFinalRow, SupersededRows } from './rows/retried-rows.ts'
import { rowKeyOf } from './rows/row-id.ts'
import { decodeLine, sealOf } from './rows/row-line.ts'

const MAX_PROBLEMS = 100

/** Describes what a full check of an evidence file found. */
export interface EvidenceReport {
  file: string
  ok: boolean
  rows: number
  sizeBytes: number
  /** SHA-256 of the whole file, lower-case hex. */
  sha256: string
  /** Null when the file holds no row. */
  runId: string | null
  /** Rows of cells that failed and were tried again: a later row counts instead. */
  supersededRows: number
  /** Rows whose line carries its checksum; of the others only the form could be checked. */
  sealedRows: number
  /** At most 100 of the `problemCount` problems. */
  problems: EvidenceRefusal[]
  problemCount: number
  /** Answers that wait for their evaluation, in the journal beside the file. */
  pendingAnswers: number
  /** Texts of traces in the file beside it, each compared with its digest; null where there is no such file. */
  traceTexts: number | null
  /** Texts that rows name and that file does not hold, as after a power cut. */
  missingTraceTexts: number
}

/**
 * Checks every byte of an evidence file: each line's form, checksum and row id, duplicates, rows of other conditions, and the unfinished tail.
 * Reads only, so it also serves published files. Rejects with the system's error when the file cannot be read.
 */
export async function verifyEvidence(file: string, ops: FileOps = nodeFileOps): Promise<EvidenceReport> {
  const path = resolve(file)
  if (ops.state(path) === null) return missing(path)
  const open = await ops.openRead(path)
  try {
    const sizeBytes = await quietly(path, ops, async () => open.state().sizeBytes)
    return await check(path, ops, open, sizeBytes)
  } finally {
    await open.close()
  }
}

/** Runs `look` while no process appends. A folder that cannot be locked cannot be written to from here either. */
async function quietly<Result>(path: string, ops: FileOps, look: () => Promise<Result>): Promise<Result> {
  if (ops.state(LockFolder.pathFor(path)) === null) return look()
  let locks: LockFolder
  try {
    locks = await LockFolder.open(path, ops)
  } catch (error) {
    if (['EACCES', 'EROFS', 'SQLITE_CANTOPEN', 'SQLITE_READONLY'].includes(systemCode(error) ?? '')) return look()
    throw error
  }
  try {
    return await locks.exclusive(look)
  } finally {
    await locks.close()
  }
}

async function check(path: string, ops: FileOps, file: LogFile, sizeBytes: number): Promise<EvidenceReport> {
  const whole = { from: 0, to: sizeBytes }
  const endBytes = await lastLineEnd(file, whole)
  const rowIds = new Set<string>()
  const openIds = new Set<string>()
  const superseded = new SupersededRows()
  const named = new Set<string>()
  const report: EvidenceReport = { ...missing(path), ok: true, sizeBytes, problems: [], problemCount: 0 }
  const found = (problem: EvidenceRefusal) => {
    report.problemCount += 1
    if (report.problems.length < MAX_PROBLEMS) report.problems.push(problem)
  }

  let line = 0
  const unsealed: EvidenceRefusal[] = []
  const conditions = new SharedConditions()
  await scanLines(file, { from: 0, to: endBytes }, (bytes, offset) => {
    line += 1
    const decoded = decodeLine(bytes, 'full')
    if (!decoded.ok) {
      found(malformedLine(path, offset, line, decoded.problem))
      return
    }
    const { row } = decoded
    report.rows += 1
    report.runId ??= row.run_id
    if (sealOf(bytes) === 'intact') report.sealedRows += 1
    else if (unsealed.length < MAX_PROBLEMS) unsealed.push(malformedLine(path, offset, line, MISSING_SEAL))
    if (row.run_id !== report.runId) found(foreignRun({ file: path, offset, line }, row.run_id, report.runId))
    const difference = conditions.addAndCompare(row)
    if (difference !== null) found(mixedRows({ file: path, offset, line }, difference))
    if (rowIds.has(row.row_id)) found(duplicateRow(path, offset, line, row.row_id))
    rowIds.add(row.row_id)
    if (!isFinalRow(row)) openIds.add(row.row_id)
    for (const sha256 of storedTextsOf(row.trace)) named.add(sha256)
    for (const replaced of superseded.add(rowKeyOf(row)))
      if (rowIds.has(replaced) && !openIds.has(replaced))
        found(malformedLine(path, offset, line, answerReplaced(replaced)))
  })
  if (report.sealedRows > 0) for (const problem of unsealed) found(problem)
  if (endBytes < sizeBytes) found(tornTail(path, endBytes, sizeBytes - endBytes))

  report.supersededRows = [...openIds].filter((rowId) => superseded.has(rowId)).length
  report.sha256 = await sha256Of(file, sizeBytes)
  report.pendingAnswers = await pendingAnswers(path, ops, rowIds, found)
  const texts = await verifyTraceTexts(path, ops)
  if (texts !== null) {
    report.traceTexts = texts.texts.size
    report.missingTraceTexts = [...named].filter((sha256) => !texts.texts.has(sha256)).length
    for (const offset of texts.changed) found(changedTexts(traceTextsPathFor(path), offset))
  }
  report.ok = report.problemCount === 0
  return report
}

async function sha256Of(file: LogFile, sizeBytes: number): Promise<string> {
  const digest = createHash('sha256')
  const buffer = Buffer.allocUnsafe(1 << 20)
  for (let at = 0; at < sizeBytes;) {
    const piece = buffer.subarray(0, Math.min(buffer.length, sizeBytes - at))
    await readWhole(file, piece, at)
    digest.update(piece)
    at += piece.length
  }
  return digest.digest('hex')
}

async function pendingAnswers(
  path: string,
  ops: FileOps,
  rowIds: ReadonlySet<string>,
  found: (problem: EvidenceRefusal) => void,
): Promise<number> {
  const journal = AnswerJournal.pathFor(path)
  const state = ops.state(journal)
  if (state === null) return 0
  const file = await ops.openRead(journal)
  const pending = new Set<string>()
  let line = 0
  try {
    const endBytes = await lastLineEnd(file, { from: 0, to: state.sizeBytes })
    await scanLines(file, { from: 0, to: endBytes }, (bytes, offset) => {
      line += 1
      const decoded = decodeLine(bytes, 'full')
      if (!decoded.ok) found(malformedLine(journal, offset, line, decoded.problem))
      else if (!rowIds.has(decoded.row.row_id)) pending.add(decoded.row.row_id)
    })
  } finally {
    await file.close()
  }
  return pending.size
}

const missing = (path: string): EvidenceReport => ({
  file: path,
  ok: false,
  rows: 0,
  sizeBytes: 0,
  sha256: createHash('sha256').digest('hex'),
  runId: null,
  supersededRows: 0,
  sealedRows: 0,
  problems: [missingFile(path)],
  problemCount: 1,
  pendingAnswers: 0,
  traceTexts: null,
  missingTraceTexts: 0,
})
