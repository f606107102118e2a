import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { replaceFile } from '../../../kit/kept-files.ts'
import { createNumbers } from '../../stores/columns/numbers.ts'
import { createPauses } from '../../stores/graph-engine/sliced-work.ts'
import type { ChunkRecords, NumberedTexts } from './chunk-records.ts'
import { EXTRACTOR_VERSION } from './concept-index.ts'
import { createPackedLists, type PackedLists } from './packed-lists.ts'

/** First line of the file: records of another extraction are not read. */
const HEAD = `chunk records ${EXTRACTOR_VERSION}`
/** Texts in one piece of the file. */
const TEXTS_AT_ONCE = 1000
const BYTES_AT_ONCE = 65_536
const NEWLINE = 10

/** A part is a line with its bytes, then these. */
function* part(bytes: Uint8Array): Generator<Uint8Array> {
  yield Buffer.from(`${bytes.length}\n`)
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) yield bytes.subarray(at, at + BYTES_AT_ONCE)
}

/** Texts are a line with their number, then a line for each; none of them has a line break. */
function* textPart(size: number, text: (at: number) => string): Generator<Uint8Array> {
  yield Buffer.from(`${size}\n`)
  for (let from = 0; from < size; from += TEXTS_AT_ONCE) {
    const length = Math.min(TEXTS_AT_ONCE, size - from)
    yield Buffer.from(Array.from({ length }, (_, at) => `${text(from + at)}\n`).join(''))
  }
}

function* storedForm({ digests, words, found, wordTexts, conceptTexts, names }: ChunkRecords): Generator<Uint8Array> {
  yield Buffer.from(`${HEAD}\n`)
  for (const lists of [words, found]) {
    const ends = lists.ends()
    yield* part(new Uint8Array(ends.buffer))
    yield* part(lists.bytes())
  }
  yield* part(names)
  yield* textPart(digests.length, (at) => digests[at]!)
  for (const texts of [wordTexts, conceptTexts]) yield* textPart(texts.size, (at) => texts.text(at))
}

/** Replaces the records of a collection. */
export async function writeRecordsFile(file: string, records: ChunkRecords): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await replaceFile(file, async (handle) => {
    const gzip = createGzip({ level: 1 })
    const source = Readable.from(storedForm(records), { objectMode: false })
    await Promise.all([pipeline(source, gzip), handle.writeFile(gzip)])
  })
}

/** The records of a collection, or null when there are none of this make. A file with other bytes than were written counts as missing. */
export async function readRecordsFile(file: string): Promise<ChunkRecords | null> {
  try {
    const pieces: Buffer[] = []
    await pipeline(createReadStream(file), createGunzip(), async (source: AsyncIterable<Buffer>) => {
      for await (const piece of source) pieces.push(piece)
    })
    return await recordsIn(Buffer.concat(pieces))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // The checksum of gzip finds changed bytes and missing ones.
    if (code === 'ENOENT' || code.startsWith('Z_')) return null
    throw error
  }
}

async function recordsIn(bytes: Buffer): Promise<ChunkRecords | null> {
  const pause = createPauses()
  let at = 0
  const line = (): string => {
    const from = at
    at = bytes.indexOf(NEWLINE, from) + 1
    return bytes.toString('utf8', from, at - 1)
  }
  // Copied: numbers begin at multiples of four.
  const next = (): Uint8Array<ArrayBuffer> => {
    const length = Number(line())
    at += length
    return Uint8Array.from(bytes.subarray(at - length, at))
  }
  const lists = (): PackedLists => createPackedLists({ ends: new Int32Array(next().buffer), bytes: next() })
  const texts = async (): Promise<NumberedTexts> => {
    const size = Number(line())
    const starts = createNumbers()
    starts.push(at)
    for (let text = 0; text < size; text += 1) {
      at = bytes.indexOf(NEWLINE, at) + 1
      starts.push(at)
      await pause()
    }
    return { size, text: (number) => bytes.toString('utf8', starts.at(number), starts.at(number + 1) - 1) }
  }
  if (line() !== HEAD) return null
  const [words, found, names] = [lists(), lists(), next()]
  const digests = await texts()
  return {
    words,
    found,
    names,
    chunksRead: 0,
    digests: Array.from({ length: digests.size }, (_, digest) => digests.text(digest)),
    wordTexts: await texts(),
    conceptTexts: await texts(),
  }
}
