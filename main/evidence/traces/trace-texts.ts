import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import { z } from 'zod'
import { Sha256 } from '../../../contract/common.ts'
import { TRACE_LIMITS } from '../../../contract/evidence/trace.ts'
import { jsonIn } from '../../../core/json.ts'
import { nodeFileOps, type FileOps, type LogFile } from '../files/file-ops.ts'
import { scanLines } from '../files/line-file.ts'

// The texts of a run's traces, in `<name>-evidence.traces.jsonl`: one line for each cell with texts that the file did not hold before. A line is written
// before the row that names its texts; the disk is waited for in the background. What a dying writer left unfinished is no JSON, and skipped.

const Line = z.strictObject({
  sha256: z.array(Sha256).min(1),
  /** Base64 of Brotli of a JSON list of texts, in the order of their digests. */
  texts: z.string(),
})

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)
/** Fast; the texts of a cell repeat each other, which any quality finds. */
const QUALITY = 3
const SYNC_EVERY_MS = 2000
/** A line unpacks to at most all texts of a cell with their escapes. */
const MOST_UNPACKED_BYTES = TRACE_LIMITS.cellChars * 8

/** `…-evidence.jsonl` → `…-evidence.traces.jsonl`. */
export const traceTextsPathFor = (evidence: string): string => `${evidence.replace(/\.jsonl$/, '')}.traces.jsonl`

/** The file as a run writes it. Any number of processes may append. */
export class TraceTexts {
  readonly path: string
  readonly #ops: FileOps
  readonly #mostBytes: number
  #opening: Promise<LogFile> | null = null
  readonly #known = new Set<string>()
  #sizeBytes = 0
  #syncedAt = 0
  #syncing: Promise<void> = Promise.resolve()
  #isDirty = false

  constructor(evidence: string, { ops = nodeFileOps, mostBytes = TRACE_LIMITS.runBytes } = {}) {
    this.path = traceTextsPathFor(evidence)
    this.#ops = ops
    this.#mostBytes = mostBytes
  }

  /** Stores the texts that are not there yet. Resolves with the digests of those that a limit or the disk kept out. */
  async add(texts: ReadonlyMap<string, string>): Promise<Set<string>> {
    if (texts.size === 0) return new Set()
    try {
      this.#opening ??= this.#open()
      const file = await this.#opening
      const fresh = [...texts].filter(([sha256]) => !this.#known.has(sha256))
      if (fresh.length === 0) return new Set()
      const digests = fresh.map(([sha256]) => sha256)
      for (const sha256 of digests) this.#known.add(sha256)
      const packed = await compress(JSON.stringify(fresh.map(([, text]) => text)), {
        params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY },
      })
      const line = Buffer.from(`${JSON.stringify({ sha256: digests, texts: packed.toString('base64') })}\n`)
      if (this.#sizeBytes + line.length > this.#mostBytes) return this.#forget(digests)
      this.#sizeBytes += line.length
      await this.#write(file, line).catch(() => this.#forget(digests))
      return new Set(digests.filter((sha256) => !this.#known.has(sha256)))
    } catch {
      // A trace that cannot be stored must not fail the cell: its row says that the texts were left out.
      return new Set([...texts.keys()].filter((sha256) => !this.#known.has(sha256)))
    }
  }

  /** Waits until everything written is on the disk. */
  async close(): Promise<void> {
    const file = await this.#opening?.catch(() => null)
    if (!file) return
    await this.#syncing
    if (this.#isDirty) await file.sync().catch(() => undefined)
    await file.close()
  }

  #forget(digests: readonly string[]): Set<string> {
    for (const sha256 of digests) this.#known.delete(sha256)
    return new Set(digests)
  }

  async #open(): Promise<LogFile> {
    const isNew = this.#ops.state(this.path) === null
    const file = await this.#ops.openAppend(this.path)
    if (isNew) await this.#ops.syncFolderOf(this.path)
    this.#sizeBytes = file.state().sizeBytes
    const scanned = await scanTexts(file, this.#sizeBytes, (line) => {
      for (const sha256 of digestsOf(line)) this.#known.add(sha256)
    })
    // The line that a dead writer left is ended, so that the next one is whole.
    if (scanned < this.#sizeBytes) await file.write(Buffer.from('\n'))
    return file
  }

  async #write(file: LogFile, line: Buffer): Promise<void> {
    for (let done = 0; done < line.length;) done += await file.write(line.subarray(done))
    this.#isDirty = true
    if (performance.now() - this.#syncedAt < SYNC_EVERY_MS) return
    this.#syncedAt = performance.now()
    this.#isDirty = false
    this.#syncing = this.#syncing.then(() => file.sync()).catch(() => undefined)
  }
}

/** Hands out the whole lines, and returns the offset after the last one. */
async function scanTexts(file: LogFile, to: number, onLine: (line: Buffer, offset: number) => void): Promise<number> {
  let end = 0
  await scanLines(file, { from: 0, to }, (line, offset) => {
    end = offset + line.length + 1
    onLine(line, offset)
  })
  return end
}

const HEAD = /^\{"sha256":(\["[0-9a-f",]*"\]),"texts":"/

/** The digests of a line, read without its texts; none for what is no line of ours. */
function digestsOf(line: Buffer): string[] {
  const end = line.indexOf('"texts":"')
  const head = end === -1 ? null : HEAD.exec(line.toString('latin1', 0, end + '"texts":"'.length))
  return head === null ? [] : (jsonIn(head[1]!) as string[])
}

async function textsOf(line: Buffer): Promise<Map<string, string> | null> {
  const parsed = Line.safeParse(jsonIn(line.toString('utf8')))
  if (!parsed.success) return null
  const { sha256, texts: packed } = parsed.data
  try {
    const bytes = await decompress(Buffer.from(packed, 'base64'), { maxOutputLength: MOST_UNPACKED_BYTES })
    const texts = z
      .array(z.string())
      .length(sha256.length)
      .parse(jsonIn(bytes.toString('utf8')))
    return new Map(sha256.map((digest, index) => [digest, texts[index]!]))
  } catch {
    return null
  }
}

/** Stored texts by their digests, which were checked; without those that the file does not hold. */
export async function readTraceTexts(evidence: string, wanted: ReadonlySet<string>): Promise<Map<string, string>> {
  const missing = new Set(wanted)
  const lines: Buffer[] = []
  await scanFile(evidence, nodeFileOps, (line) => {
    if (missing.size === 0) return
    const held = digestsOf(line).filter((sha256) => missing.delete(sha256))
    if (held.length > 0) lines.push(Buffer.from(line))
  })
  const found = new Map<string, string>()
  for (const line of lines)
    for (const [sha256, text] of (await textsOf(line)) ?? [])
      if (wanted.has(sha256) && hash('sha256', text) === sha256) found.set(sha256, text)
  return found
}

/** Gives the lines of the file to `look`, and returns its size; null where there is no file. */
async function scanFile(
  evidence: string,
  ops: FileOps,
  look: (line: Buffer, offset: number) => void,
): Promise<number | null> {
  const path = traceTextsPathFor(evidence)
  const state = ops.state(path)
  if (state === null) return null
  const file = await ops.openRead(path)
  try {
    await scanTexts(file, state.sizeBytes, look)
    return state.sizeBytes
  } finally {
    await file.close()
  }
}

/** Every text of such a file, which holds them packed, with its line. What a dying writer left unfinished is skipped. */
export async function* allTraceTexts(path: string): AsyncGenerator<{ where: string; text: string }> {
  let line = 0
  for await (const packed of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    line += 1
    for (const text of (await textsOf(Buffer.from(packed)))?.values() ?? []) yield { where: `line ${line}`, text }
  }
}

/** States what a check of the file found; `changed` lists the byte offsets of lines whose texts are not those of their digests. */
export interface TraceTextsReport {
  texts: ReadonlySet<string>
  sizeBytes: number
  changed: number[]
}

/** Compares every text with its digest; null where there is no file. */
export async function verifyTraceTexts(evidence: string, ops = nodeFileOps): Promise<TraceTextsReport | null> {
  const lines: { line: Buffer; offset: number }[] = []
  const sizeBytes = await scanFile(evidence, ops, (line, offset) => {
    // What a dying writer left is shorter than the head of a line, or not JSON; a line with a head must be whole.
    if (digestsOf(line).length > 0 && line.at(-1) === CLOSE) lines.push({ line: Buffer.from(line), offset })
  })
  if (sizeBytes === null) return null
  const report = { texts: new Set<string>(), sizeBytes, changed: [] as number[] }
  for (const { line, offset } of lines) {
    const texts = await textsOf(line)
    const isIntact = texts !== null && [...texts].every(([sha256, text]) => hash('sha256', text) === sha256)
    if (isIntact) for (const sha256 of texts.keys()) report.texts.add(sha256)
    else report.changed.push(offset)
  }
  return report
}

const CLOSE = 0x7d
