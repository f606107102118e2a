import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { z } from 'zod'
import { OsLock } from '../../lib/files/os-lock.ts'
import { sealOf } from '../rows/row-line.ts'
import { nodeFileOps } from './file-ops.ts'
import { lastLineEnd, moveTail, scanLines } from './line-file.ts'

// A journal is a file of lines that one process appends to. Each line is a JSON object whose last field is the checksum of the bytes before it, and it counts
// when it is on stable storage. Lines are never changed.

/** Why a journal cannot be used; `damaged` names the line (from 1) and its offset in bytes. */
export type JournalProblem = { kind: 'in_use' } | { kind: 'damaged'; line: number; offset: number }

/** The error that a journal's owner throws for a problem of its file. */
type ErrorOf = (problem: JournalProblem) => Error

export interface SealedJournal<Entry> {
  /** In the order in which they were appended. */
  readonly entries: readonly Entry[]
  /** Names the file of a half-written last line's bytes; null when there were none. */
  readonly torn: string | null
  /** Resolves when the entry is on stable storage. After a failed write every further append rejects. */
  append(entry: Entry): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a journal for this process alone and reads what it holds. An unfinished last line was never acknowledged: it is moved aside. Throws what `errorOf` makes of
 * a journal that another process has open, and of a line that is not the one that was written.
 */
export async function openSealedJournal<Entry extends object>(
  file: string,
  schema: z.ZodType<Entry>,
  errorOf: ErrorOf,
): Promise<SealedJournal<Entry>> {
  await mkdir(dirname(file), { recursive: true })
  const lock = new OsLock(`${file}.lock`)
  if (!lock.tryLock()) {
    lock.close()
    throw errorOf({ kind: 'in_use' })
  }
  let handle: FileHandle | null = null
  try {
    const torn = await withoutTornTail(file)
    const isNew = nodeFileOps.state(file) === null
    handle = await open(file, 'a')
    if (isNew) await nodeFileOps.syncFolderOf(file)
    return journalOn(handle, lock, await readSealedJournal(file, schema, errorOf), torn)
  } catch (error) {
    await handle?.close()
    lock.close()
    throw error
  }
}

function journalOn<Entry extends object>(
  handle: FileHandle,
  lock: OsLock,
  entries: Entry[],
  torn: string | null,
): SealedJournal<Entry> {
  let queue: Promise<void> = Promise.resolve()
  return {
    entries,
    torn,
    append(entry) {
      // A failed write or sync poisons the queue: nothing after it may count as kept.
      queue = queue.then(async () => {
        await handle.appendFile(lineOf(entry))
        await handle.datasync()
        entries.push(entry)
      })
      return queue
    },
    async close() {
      await queue.catch(() => undefined)
      await handle.close()
      lock.close()
    },
  }
}

/** The entry as JSON without its last brace, then the checksum of these bytes. */
function lineOf(entry: object): Buffer {
  const body = Buffer.from(JSON.stringify(entry).slice(0, -1))
  const checksum = crc32(body).toString(16).padStart(8, '0')
  return Buffer.concat([body, Buffer.from(`,"checksum":"${checksum}"}\n`)])
}

async function withoutTornTail(file: string): Promise<string | null> {
  if (nodeFileOps.state(file) === null) return null
  const log = await nodeFileOps.openAppend(file)
  try {
    const { sizeBytes } = log.state()
    const end = await lastLineEnd(log, { from: 0, to: sizeBytes })
    return end === sizeBytes ? null : await moveTail(nodeFileOps, file, log, end)
  } finally {
    await log.close()
  }
}

/** All entries of a journal, in their order, without its lock. The schema does not name the checksum. Throws what `errorOf` makes of a damaged line. */
export async function readSealedJournal<Entry>(
  file: string,
  schema: z.ZodType<Entry>,
  errorOf: ErrorOf,
): Promise<Entry[]> {
  const entries: Entry[] = []
  const log = await nodeFileOps.openRead(file)
  let line = 0
  try {
    await scanLines(log, { from: 0, to: log.state().sizeBytes }, (bytes, offset) => {
      line += 1
      const entry = sealOf(bytes) === 'intact' ? schema.safeParse(withoutChecksum(bytes)) : null
      if (entry?.success !== true) throw errorOf({ kind: 'damaged', line, offset })
      entries.push(entry.data)
    })
  } finally {
    await log.close()
  }
  return entries
}

function withoutChecksum(bytes: Buffer): unknown {
  const { checksum: _, ...entry } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  return entry
}
