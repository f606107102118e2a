import { resolve } from 'node:path'
import { missingFile, notTorn, RefusalError } from '../errors.ts'
import type { EvidenceRefusal } from '../evidence-log.ts'
import { type FileOps, nodeFileOps } from './file-ops.ts'
import { moveTail } from './line-file.ts'
import { LockFolder } from '../locks/lock-folder.ts'
import { RowFile } from '../rows/row-file.ts'

type RecoverOutcome =
  /** `rows` complete rows stay; the `movedBytes` after them are in `movedTo`. */
  { ok: true; rows: number; movedBytes: number; movedTo: string } | { ok: false; refusal: EvidenceRefusal }

/**
 * Moves the unfinished last line of a log to `<file>.torn-<time>` and cuts it off, durably. Refuses, and changes nothing, when the
 * log ends with a finished row or is damaged anywhere else. Other processes may have the log open.
 */
export async function recoverTornTail(file: string, ops: FileOps = nodeFileOps): Promise<RecoverOutcome> {
  const path = resolve(file)
  if (ops.state(path) === null) return { ok: false, refusal: missingFile(path) }
  const locks = await LockFolder.open(path, ops)
  try {
    return await locks.exclusive(() => recover(path, ops))
  } catch (error) {
    if (error instanceof RefusalError) return { ok: false, refusal: error.refusal }
    throw error
  } finally {
    await locks.close()
  }
}

async function recover(path: string, ops: FileOps): Promise<RecoverOutcome> {
  const file = await ops.openAppend(path)
  try {
    const rows = new RowFile(path, null, ops, file)
    const { endBytes, sizeBytes } = await rows.finishedEnd(0)
    if (endBytes === sizeBytes) return { ok: false, refusal: notTorn(path) }
    await rows.scanTo(endBytes)
    const movedTo = await moveTail(ops, path, file, endBytes)
    return { ok: true, rows: rows.index.count, movedBytes: sizeBytes - endBytes, movedTo }
  } finally {
    await file.close()
  }
}
