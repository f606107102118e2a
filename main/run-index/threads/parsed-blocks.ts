// Evidence → blocks of parsed rows, which the writer applies one by one. A small range is parsed by the caller's thread; of a large one only the
// first block, while a second thread starts, which then stays one block ahead of the caller. Its rows are posted in packed form.
import { Worker } from 'node:worker_threads'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { moduleEntry, threadOptions } from '../../lib/module-entry.ts'
import type { CellRecord, RowParser } from '../apply/cell-record.ts'
import { BLOCK_BYTES, BlockReader, linesOf, type LineBlock } from './line-blocks.ts'
import { INDEX_METRICS } from '../schema.ts'

/** Describes what the index keeps of a row, and the range of its line. Members that rows share are one object within a block. */
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

/** The range of an open file to read; it begins at a line. */
export interface FileRange {
  fd: number
  from: number
  to: number
}

/** Blocks in the order of the file. */
export interface ParsedBlocks {
  /** Null when there is no further complete line. */
  next(): Promise<ParsedBlock | null>
  /** The file is not read after it. */
  close(): Promise<void>
}

/** From this size on, a thread that reads ahead saves more time than its start takes. */
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

/** The blocks of a range; the last is followed by null. */
export const parsedBlocks = (range: FileRange, parser: RowParser): ParsedBlocks =>
  range.to - range.from < AHEAD_FROM_BYTES ? blocksHere(range, parser) : firstHereThenAhead(range, parser)

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

/** Parses in this thread; a block is valid until the next. */
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
/** A `Buffer` arrives as a `Uint8Array`. */
export type AheadAnswer = (Omit<ParsedBlock, 'bytes' | 'rows'> & { bytes: Uint8Array; packed: PackedRows }) | null

/** Parses in another thread, which shares this process's open files: while one block is applied the next is parsed. */
export function blocksAhead(range: FileRange, blockBytes = BLOCK_BYTES): ParsedBlocks {
  const request: AheadRequest = { ...range, blockBytes }
  const worker = new Worker(moduleEntry('./parse-thread', import.meta.url), threadOptions(request))
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
    // This promise is not awaited when applying the previous block fails.
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

/** Rows as they are posted to another thread: a few large lists, which are copied in an eighth of the time that objects take. */
interface PackedRows {
  /** Values that several rows may share, each once. */
  shared: unknown[]
  /** `WIDTH` of each row; NaN for null. */
  numbers: Float64Array
  texts: (string | null)[]
}

const FIGURES = [
  'evaluation',
  'queueMs',
  'latencyMs',
  'attempts',
  'serverSeconds',
  'totalTokens',
  'answerChars',
  'finishedMs',
] as const satisfies (keyof CellRecord)[]
const METRICS = INDEX_METRICS.length
/** Four indexes into `shared`, offset, length, the count of sources, the repetition and the retry; then the figures, values and states of a row. */
const HEAD = 9
const WIDTH = HEAD + FIGURES.length + 2 * METRICS

/** `unpackRows` returns equal rows, and what was one object in them is one object again. */
export function packRows(rows: readonly IndexRow[]): PackedRows {
  const shared = new Map<unknown, number>()
  const indexOf = (value: unknown): number => {
    const known = shared.get(value)
    if (known !== undefined) return known
    shared.set(value, shared.size)
    return shared.size - 1
  }
  const scores: (number | null)[] = []
  const numbers = new Float64Array(rows.length * WIDTH)
  const texts: (string | null)[] = []
  for (const [index, { runId, dataset, provenance, record, offset, length }] of rows.entries()) {
    let at = index * WIDTH
    for (const value of [dataset, provenance, record.question, record.alias]) numbers[at++] = indexOf(value)
    numbers[at++] = offset
    numbers[at++] = length
    numbers[at++] = record.sources.length
    numbers[at++] = record.repeat
    numbers[at++] = record.retry
    for (const name of FIGURES) numbers[at++] = record[name] ?? NaN
    for (const value of record.values) numbers[at++] = value ?? NaN
    for (const state of record.states) numbers[at++] = state
    texts.push(runId, record.rowId, record.status, record.errorType, record.reasons, record.searchable)
    for (const { title, document, score } of record.sources) {
      texts.push(title, document)
      scores.push(score)
    }
  }
  return { shared: [...shared.keys(), scores], numbers, texts }
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

export function unpackRows({ shared, numbers, texts }: PackedRows): IndexRow[] {
  const scores = shared.at(-1) as (number | null)[]
  let [text, source] = [0, 0]
  const nextText = (): string => texts[text++]!
  return Array.from({ length: numbers.length / WIDTH }, (_, index): IndexRow => {
    const start = index * WIDTH
    const sharedAt = (column: number): unknown => shared[numbers[start + column]!]
    const figure = (name: (typeof FIGURES)[number]): number | null =>
      orNull(numbers[start + HEAD + FIGURES.indexOf(name)]!)
    const metrics = start + HEAD + FIGURES.length
    return {
      runId: nextText(),
      dataset: sharedAt(0) as IndexRow['dataset'],
      provenance: sharedAt(1) as IndexRow['provenance'],
      offset: numbers[start + 4]!,
      length: numbers[start + 5]!,
      record: {
        question: sharedAt(2) as CellRecord['question'],
        repeat: numbers[start + 7]!,
        retry: numbers[start + 8]!,
        alias: sharedAt(3) as CellRecord['alias'],
        rowId: nextText(),
        status: nextText() as CellRecord['status'],
        errorType: nextText(),
        reasons: nextText(),
        searchable: nextText(),
        evaluation: figure('evaluation'),
        queueMs: figure('queueMs'),
        latencyMs: figure('latencyMs'),
        attempts: figure('attempts'),
        serverSeconds: figure('serverSeconds'),
        totalTokens: figure('totalTokens'),
        answerChars: figure('answerChars'),
        finishedMs: figure('finishedMs'),
        values: Array.from(numbers.subarray(metrics, metrics + METRICS), orNull),
        states: Array.from(numbers.subarray(metrics + METRICS, metrics + 2 * METRICS)),
        sources: Array.from({ length: numbers[start + 6]! }, () => ({
          title: nextText(),
          document: nextText(),
          score: scores[source++]!,
        })),
      },
    }
  })
}
