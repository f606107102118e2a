import { open, truncate, type FileHandle } from 'node:fs/promises'
import { copyRecordOf, copyRecordPathFor, ownRowsRefusal, type CopyRecord } from '../copied-evidence.ts'
import { RefusalError } from '../errors.ts'
import { nodeFileOps } from '../files/file-ops.ts'
import { writeRecord } from '../rows/identity-record.ts'
import { lastLineEnd, readWhole, scanLines } from '../files/line-file.ts'
import { withUnusedEvidence } from '../remove-evidence.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import type { StoreOutcome } from '../evidence-store.ts'
import type { DatabaseSession } from './database-session.ts'
import { RunIdentity } from '../../../contract/evidence/run-identity.ts'

const LINES_AT_ONCE = 256
/** Lines of a run that are written at once; a single longer one goes alone. */
const PIECE_BYTES = 4 << 20

interface RunToCopy {
  session: DatabaseSession
  /** Number of the run in the database. */
  run: number
  record: CopyRecord
  file: string
}

/**
 * The copy of a run in the folder of results: the stored lines, byte for byte, in their order. Several processes may make the same copy. A copy
 * of another run of the same name, which was removed since, is made again.
 */
export class RunCopy {
  readonly #run: RunToCopy
  /** States how far this process knows the file; another process may have brought it further. */
  #known: { lines: number; bytes: number } | null = null

  constructor(run: RunToCopy) {
    this.#run = run
  }

  /** Brings the copy up to what the database holds. Refuses a file that is not a copy. */
  async update(): Promise<StoreOutcome> {
    const outcome = await withUnusedEvidence(this.#run.file, () => this.#append()).catch((error: unknown) => {
      if (error instanceof RefusalError) return { ok: false as const, refusal: error.refusal }
      throw error
    })
    return outcome.ok ? { ok: true } : outcome
  }

  async #append(): Promise<void> {
    const { session, run, file } = this.#run
    if (this.#known === null) await this.#begin()
    const target = await open(file, 'a+')
    try {
      const { size } = await target.stat()
      let lines =
        this.#known?.bytes === size
          ? this.#known.lines
          : await startOfNew(target, file, (position) => lineAt(session, run, position))
      for (;;) {
        const piece = await linesAfter(session, run, lines)
        if (piece.length === 0) break
        await appendAll(target, piece)
        lines += piece.length
      }
      await target.datasync()
      this.#known = { lines, bytes: (await target.stat()).size }
    } finally {
      await target.close()
    }
    await copyIdentity(session, run, file)
  }

  async #begin(): Promise<void> {
    const { record, file } = this.#run
    const known = await copyRecordOf(file)
    const size = nodeFileOps.state(file)?.sizeBytes ?? 0
    if (known === null && size > 0) throw new RefusalError(ownRowsRefusal(file, record.database))
    // Whole or not at all: a process that is killed here would leave a file that no later run can read.
    await writeAtomic(copyRecordPathFor(file), `${JSON.stringify(record, null, 2)}\n`)
  }
}

/** Returns how many lines the copy has; what is unfinished, or of another run, is cut off. */
async function startOfNew(
  target: FileHandle,
  file: string,
  stored: (position: number) => Promise<Buffer | null>,
): Promise<number> {
  const log = {
    read: async (into: Buffer, start: number, length: number, position: number) =>
      (await target.read(into, start, length, position)).bytesRead,
  } as Parameters<typeof scanLines>[0]
  const { size } = await target.stat()
  const end = await lastLineEnd(log, { from: 0, to: size })
  if (end < size) await truncate(file, end)
  let lines = 0
  let lastAt = 0
  await scanLines(log, { from: 0, to: end }, (_, offset) => {
    lines += 1
    lastAt = offset
  })
  if (lines === 0) return 0
  const last = Buffer.allocUnsafe(end - lastAt)
  await readWhole(log, last, lastAt)
  if ((await stored(lines))?.equals(last) === true) return lines
  await truncate(file, 0)
  return 0
}

async function lineAt(session: DatabaseSession, run: number, position: number): Promise<Buffer | null> {
  const { rows } = await session.use((client) =>
    client.query<{ line: Buffer }>('SELECT line FROM rag_ladder.rows WHERE run = $1 AND position = $2', [
      run,
      position,
    ]),
  )
  return rows[0]?.line ?? null
}

async function linesAfter(session: DatabaseSession, run: number, position: number): Promise<Buffer[]> {
  const { rows } = await session.use((client) =>
    client.query<{ line: Buffer }>(
      `SELECT line FROM rag_ladder.rows WHERE run = $1 AND position > $2 ORDER BY position LIMIT ${LINES_AT_ONCE}`,
      [run, position],
    ),
  )
  return rows.map(({ line }) => line)
}

async function appendAll(target: FileHandle, lines: readonly Buffer[]): Promise<void> {
  let piece: Buffer[] = []
  let bytes = 0
  for (const line of lines) {
    piece.push(line)
    bytes += line.length
    if (bytes < PIECE_BYTES) continue
    await target.appendFile(Buffer.concat(piece))
    piece = []
    bytes = 0
  }
  await target.appendFile(Buffer.concat(piece))
}

/** The record of the run's identity, as a run without a database has it. */
async function copyIdentity(session: DatabaseSession, run: number, file: string): Promise<void> {
  const { rows } = await session.use((client) =>
    client.query<{ identity: string | null }>('SELECT identity FROM rag_ladder.runs WHERE key = $1', [run]),
  )
  const identity = rows[0]?.identity ?? null
  if (identity !== null) await writeRecord(file, nodeFileOps, RunIdentity.parse(JSON.parse(identity)))
}
