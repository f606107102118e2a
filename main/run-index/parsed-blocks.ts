import { Worker } from 'node:worker_threads'
import type { CanonicalRow } from '../../contract/index.ts'
import { moduleEntry } from '../lib/module-entry.ts'
import type { CellRecord } from './cell-record.ts'
import { BLOCK_BYTES, BlockReader, linesOf, type LineBlock } from './line-blocks.ts'
import { type PackedRows, unpackRows } from './packed-rows.ts'
import type { RowParser } from './row-parser.ts'

/** What of a row is put into the index, and where its line stands. Members that rows share are one object within a block. */
export interface IndexRow {
  runId: string
  dataset: CanonicalRow['dataset']
  provenance: CanonicalRow['reproducibility']
  record: CellRecord
  offset: number
  length: number
}

export interface Damage {
  offset: number
  message: string
}

/** A block of lines, and the rows up to the first line that cannot be used. */
export interface ParsedBlock extends LineBlock {
  rows: IndexRow[]
  damage: Damage | null
}

/** The part of an open file that is to be read: from a line's beginning to what was its end. */
export interface FileRange {
  fd: number
  from: number
  to: number
}

/** Blocks one after the other. */
export interface ParsedBlocks {
  /** Null when there is no complete line any more. */
  next(): Promise<ParsedBlock | null>
  /** After it the file is not read any more. */
  close(): Promise<void>
}

/** From here on a second thread that reads ahead is worth its start. */
const AHEAD_FROM_BYTES = 3 * BLOCK_BYTES

export function parseBlock(block: LineBlock, parser: RowParser): ParsedBlock {
  const rows: IndexRow[] = []
  for (const { line, offset } of linesOf(block)) {
    const parsed = parser.parse(line)
    if (!parsed.ok) return { ...block, rows, damage: { offset, message: parsed.problem } }
    const { run_id: runId, dataset, reproducibility: provenance } = parsed.row
    rows.push({ runId, dataset, provenance, record: parsed.record, offset, length: line.length })
  }
  return { ...block, rows, damage: null }
}

/** The blocks of a range, by this thread when there is little to read, else by one that is a block ahead of who applies them. */
export const parsedBlocks = (range: FileRange, parser: RowParser): ParsedBlocks =>
  range.to - range.from < AHEAD_FROM_BYTES ? blocksHere(range, parser) : firstHereThenAhead(range, parser)

/** The other thread takes a moment to start; the first block is made here meanwhile. */
function firstHereThenAhead(range: FileRange, parser: RowParser): ParsedBlocks {
  let others: ParsedBlocks | null = null
  return {
    async next() {
      if (others !== null) return others.next()
      const block = new BlockReader().read(range.fd, range)
      if (block === null) return null
      others = blocksAhead({ ...range, from: range.from + block.bytes.length })
      return parseBlock(block, parser)
    },
    close: async () => others?.close(),
  }
}

/** Parses when it is asked; a block is valid until the next. */
export function blocksHere({ fd, from, to }: FileRange, parser: RowParser, blockBytes = BLOCK_BYTES): ParsedBlocks {
  const reader = new BlockReader()
  let at = from
  return {
    async next() {
      const block = reader.read(fd, { from: at, to }, blockBytes)
      if (block === null) return null
      at += block.bytes.length
      return parseBlock(block, parser)
    },
    close: async () => undefined,
  }
}

export interface AheadRequest extends FileRange {
  blockBytes: number
}
/** Bytes lose their kind on the way between threads. */
export type AheadAnswer = (Omit<ParsedBlock, 'bytes' | 'rows'> & { bytes: Uint8Array; packed: PackedRows }) | null

/** Parses in a thread of its own, which shares this process's open files: while one block is applied the next is made. */
export function blocksAhead(range: FileRange, blockBytes = BLOCK_BYTES): ParsedBlocks {
  const request: AheadRequest = { ...range, blockBytes }
  const worker = new Worker(moduleEntry('./parse-thread', import.meta.url), { workerData: request })
  const ask = (): Promise<AheadAnswer> => {
    const answered = new Promise<AheadAnswer>((resolve, reject) => {
      const end = (settle: () => void): void => {
        worker.off('message', onMessage).off('error', onError).off('exit', onExit)
        settle()
      }
      const onMessage = (answer: AheadAnswer): void => end(() => resolve(answer))
      const onError = (error: unknown): void =>
        end(() => reject(new Error('the thread that reads ahead failed', { cause: error })))
      const onExit = (): void => end(() => reject(new Error('the thread that reads ahead ended')))
      worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    })
    worker.postMessage('next')
    // Applying the block before may fail; this one is then not awaited.
    answered.catch(() => undefined)
    return answered
  }
  let coming = ask()
  return {
    async next() {
      const answer = await coming
      if (answer === null) return null
      const { bytes, packed, ...block } = answer
      coming = block.isLast || block.damage !== null ? Promise.resolve(null) : ask()
      return {
        ...block,
        rows: unpackRows(packed),
        bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      }
    },
    async close() {
      await worker.terminate()
    },
  }
}
