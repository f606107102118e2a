import { EvidenceError, messageOf } from './evidence-error.ts'
import type { FileOps, LogFile } from './file-ops.ts'
import { readWhole } from './scan-lines.ts'

const COPY_BYTES = 1 << 20

/**
 * Appends all of `bytes`, or nothing. Call it under the log's lock. Throws `write_failed` when what was written of them could be
 * taken back to `goodEnd`, `log_failed` when it could not and a torn tail is left.
 */
export async function appendWhole(ops: FileOps, path: string, file: LogFile, bytes: Buffer, goodEnd: number) {
  try {
    for (let done = 0; done < bytes.length;) {
      const count = await file.write(bytes.subarray(done))
      if (count === 0) throw new Error('the system took 0 bytes')
      done += count
    }
  } catch (cause) {
    await takeBack(ops, path, goodEnd, cause)
    throw new EvidenceError('write_failed', `cannot write to ${path}: ${messageOf(cause)}`, { file: path }, cause)
  }
}

/** Cuts the file to its last good end. Throws `log_failed`, with both causes, when that fails too. */
export async function takeBack(ops: FileOps, path: string, goodEnd: number, cause: unknown): Promise<void> {
  try {
    await ops.truncate(path, goodEnd)
  } catch (second) {
    const message = `cannot write to ${path} (${messageOf(cause)}) nor take the half-written bytes back (${messageOf(second)})`
    throw new EvidenceError('log_failed', message, { file: path, offset: goodEnd }, new AggregateError([cause, second]))
  }
}

/**
 * Moves the bytes from `goodEnd` on to `<path>.torn-<time>`, durably, and cuts them off. Call it under the log's lock. Returns the
 * new file's name. A crash in between leaves the bytes in both files, never in none.
 */
export async function moveTail(ops: FileOps, path: string, file: LogFile, goodEnd: number): Promise<string> {
  const end = file.state().sizeBytes
  const { name, target } = await newTornFile(ops, path)
  try {
    for (let at = goodEnd; at < end;) {
      const piece = Buffer.allocUnsafe(Math.min(COPY_BYTES, end - at))
      await readWhole(file, piece, at)
      await appendWhole(ops, name, target, piece, at - goodEnd)
      at += piece.length
    }
    await target.sync()
  } finally {
    await target.close()
  }
  await ops.syncFolderOf(name)
  await ops.truncate(path, goodEnd)
  return name
}

async function newTornFile(ops: FileOps, path: string): Promise<{ name: string; target: LogFile }> {
  const time = new Date().toISOString().replace(/[-:.]/g, '')
  for (let count = 0; ; count += 1) {
    const name = `${path}.torn-${time}${count === 0 ? '' : `-${count}`}`
    if (ops.state(name) === null) return { name, target: await ops.openNew(name) }
  }
}
