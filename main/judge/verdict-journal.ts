import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { Identifier, Sha256 } from '../../contract/common.ts'
import { JudgedRotation } from '../../contract/evidence/judgments.ts'
import { nodeFileOps } from '../evidence/files/file-ops.ts'
import { OsLock } from '../lib/files/os-lock.ts'
import { sealOf } from '../evidence/rows/row-line.ts'
import { lastLineEnd, scanLines, moveTail } from '../evidence/files/line-file.ts'
import { JudgePanelError } from './judge-error.ts'

/** A verdict as it is kept: `key` is the hash of everything that it depends on. */
const JournalLine = z.strictObject({
  schema_version: z.literal(1),
  key: Sha256,
  query_id: Identifier,
  judge: z.string(),
  verdict: JudgedRotation,
  checksum: z.string(),
})
export type JournalEntry = Omit<z.infer<typeof JournalLine>, 'schema_version' | 'checksum'>

/** The verdicts that a panel has so far, one synced line each; a stored verdict is not requested again. */
export interface VerdictJournal {
  readonly kept: ReadonlyMap<string, JudgedRotation>
  /** States where the bytes of a half-written last line were moved; null when there were none. */
  readonly torn: string | null
  /** Resolves when the verdict is on stable storage. */
  append(entry: JournalEntry): Promise<void>
  close(): Promise<void>
}

/** `…-judgments.json` → `…-judgments.verdicts.jsonl`. */
export const journalPath = (judgmentsFile: string): string => `${judgmentsFile.replace(/\.json$/, '')}.verdicts.jsonl`

/**
 * Opens a journal for this process alone and reads what it holds. An unfinished last line was never acknowledged: it is moved aside. Throws
 * `JudgePanelError`: journal_in_use while another process judges, journal_damaged when a line is not the one that was written.
 */
export async function openVerdictJournal(file: string): Promise<VerdictJournal> {
  await mkdir(dirname(file), { recursive: true })
  const lock = new OsLock(`${file}.lock`)
  if (!lock.tryLock()) {
    lock.close()
    throw new JudgePanelError('journal_in_use', `${basename(file)}: another process is judging this run`, { file })
  }
  let handle: FileHandle | null = null
  try {
    const torn = await withoutTornTail(file)
    const isNew = nodeFileOps.state(file) === null
    handle = await open(file, 'a')
    if (isNew) await nodeFileOps.syncFolderOf(file)
    return journalOn(handle, lock, await readEntries(file), torn)
  } catch (error) {
    await handle?.close()
    lock.close()
    throw error
  }
}

function journalOn(
  handle: FileHandle,
  lock: OsLock,
  kept: Map<string, JudgedRotation>,
  torn: string | null,
): VerdictJournal {
  let queue: Promise<void> = Promise.resolve()
  return {
    kept,
    torn,
    append(entry) {
      // A failed write or sync poisons the queue: nothing after it may count as kept.
      queue = queue.then(async () => {
        await handle.appendFile(lineOf(entry))
        await handle.datasync()
        kept.set(entry.key, entry.verdict)
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

function lineOf(entry: JournalEntry): Buffer {
  const body = Buffer.from(JSON.stringify({ schema_version: 1, ...entry }).slice(0, -1))
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

async function readEntries(file: string): Promise<Map<string, JudgedRotation>> {
  return new Map((await readVerdicts(file)).map(({ key, verdict }) => [key, verdict]))
}

/** All entries of a journal, in their order. Throws `journal_damaged` when a line is not the one that was written. */
export async function readVerdicts(file: string): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  const log = await nodeFileOps.openRead(file)
  let line = 0
  try {
    await scanLines(log, { from: 0, to: log.state().sizeBytes }, (bytes, offset) => {
      line += 1
      const entry = sealOf(bytes) === 'intact' ? JournalLine.safeParse(JSON.parse(bytes.toString('utf8'))) : null
      if (entry?.success !== true)
        throw new JudgePanelError(
          'journal_damaged',
          `${basename(file)}:${line}: the line is not the one that was written. Remove the file to ask for all verdicts again`,
          { file, line, offset },
        )
      entries.push(entry.data)
    })
  } finally {
    await log.close()
  }
  return entries
}
