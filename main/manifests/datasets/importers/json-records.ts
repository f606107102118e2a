import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { createGunzip } from 'node:zlib'
import { isRecord } from '../../../../core/json.ts'
import { ImportError } from './importer.ts'

// Records of JSON files of any size, one at a time: the lines of a JSONL file, the elements of a list, or those of a list that is a member of
// the one object in the file (SQuAD's "data"). Only one record is in memory. Brackets are counted on bytes, which are ASCII in UTF-8, and each
// record is parsed by JSON.parse. A byte order mark and Windows line ends are accepted, and files that end in .gz are unpacked as they are read.

/** Far above a record of any known format: one that is longer is a list that nothing ends. */
const MAX_RECORD_BYTES = 128 * 1024 * 1024
const HEAD_BYTES = 64 * 1024
const READ_BYTES = 256 * 1024

export type JsonObject = Readonly<Record<string, unknown>>

export interface JsonRecord {
  value: JsonObject
  /** `dev.json, line 12`. */
  place: string
}

/** Reads the records of a file. Throws `ImportError` with file and line for what is no JSON. */
export async function* jsonRecords(
  path: string,
  { member = null, onBytes = () => undefined }: { member?: string | null; onBytes?: (bytes: number) => void } = {},
): AsyncGenerator<JsonRecord> {
  const head = await headOf(path)
  const line = parsedLine(head)
  const isLines = line !== null && (member === null || !Array.isArray(line[member]))
  if (head.trimStart().startsWith('[')) yield* elementsOf(path, null, onBytes)
  else if (isLines || /\.jsonl$/i.test(withoutGzip(path))) yield* linesOf(path, onBytes)
  else if (member !== null) yield* elementsOf(path, member, onBytes)
  else yield* wholeFile(path, onBytes)
}

async function headOf(path: string): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const chunk of chunksOf(path)) {
    pieces.push(chunk)
    size += chunk.length
    if (size >= HEAD_BYTES) break
  }
  return Buffer.concat(pieces)
    .toString('utf8', 0, HEAD_BYTES)
    .replace(/^\uFEFF/, '')
}

/** The first line as an object; null where it is none, or longer than the head of the file. */
function parsedLine(head: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(head.split('\n', 1)[0]!)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** A name without the ending of a compressed file. */
export const withoutGzip = (name: string): string => name.replace(/\.gz$/i, '')

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: READ_BYTES })
  if (withoutGzip(path) === path) {
    yield* file as AsyncIterable<Buffer>
    return
  }
  try {
    yield* file.pipe(createGunzip({ chunkSize: READ_BYTES })) as AsyncIterable<Buffer>
  } catch (error) {
    throw new ImportError(`${basename(path)}: cannot be unpacked (${(error as Error).message}): fetch it again`)
  } finally {
    file.destroy()
  }
}

/** A whole file, unpacked where its name ends in .gz. Throws `ImportError` above the size of one record. */
export async function unpackedFile(path: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const chunk of chunksOf(path)) {
    size += chunk.length
    if (size > MAX_RECORD_BYTES) throw tooLong(path)
    pieces.push(chunk)
  }
  return Buffer.concat(pieces)
}

function parsed(bytes: Buffer, path: string, line: number): JsonRecord {
  const place = `${basename(path)}, line ${line}`
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new ImportError(`${place}: not JSON (${(error as Error).message}): correct the file, or fetch it again`)
  }
  if (!isRecord(value)) throw new ImportError(`${place}: expected an object`)
  return { value, place }
}

const NEWLINE = 0x0a

/** Splits at line feeds alone: JSON texts may hold U+2028, which other readers take for the end of a line. */
async function* linesOf(path: string, onBytes: (bytes: number) => void): AsyncGenerator<JsonRecord> {
  let number = 0
  for await (const bytes of rawLines(path, onBytes)) {
    number += 1
    if (bytes.toString('latin1').trim() !== '') yield parsed(bytes, path, number)
  }
}

async function* rawLines(path: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  let size = 0
  for await (const chunk of chunksOf(path)) {
    onBytes(chunk.length)
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      yield rest.length === 0 ? chunk.subarray(from, at) : Buffer.concat([...rest, chunk.subarray(from, at)])
      rest = []
      size = 0
      from = at + 1
    }
    if (from < chunk.length) rest.push(chunk.subarray(from))
    size += chunk.length - from
    if (size > MAX_RECORD_BYTES) throw tooLong(path)
  }
  if (rest.length > 0) yield Buffer.concat(rest)
}

const tooLong = (path: string): ImportError =>
  new ImportError(`${basename(path)}: one record has more than ${MAX_RECORD_BYTES} bytes: it is damaged`)

/** Lines of a text file, without line ends. */
export async function* textLines(
  path: string,
  onBytes: (bytes: number) => void = () => undefined,
): AsyncGenerator<string> {
  let isFirst = true
  for await (const bytes of rawLines(path, onBytes)) {
    const line = bytes.toString('utf8').replace(/\r$/, '')
    yield isFirst ? line.replace(/^\uFEFF/, '') : line
    isFirst = false
  }
}

async function* wholeFile(path: string, onBytes: (bytes: number) => void): AsyncGenerator<JsonRecord> {
  const bytes = await unpackedFile(path)
  onBytes(bytes.length)
  yield parsed(bytes, path, 1)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const COLON = 0x3a
const COMMA = 0x2c

/** Objects of the list that is the file, or that is the named member of its one object. */
async function* elementsOf(
  path: string,
  member: string | null,
  onBytes: (bytes: number) => void,
): AsyncGenerator<JsonRecord> {
  const depthOfElements = member === null ? 1 : 2
  let [depth, line, firstLine] = [0, 1, 1]
  let [isInString, isEscaped] = [false, false]
  /** The list is being read, and has ended. */
  let [isInList, hasList] = [false, false]
  /** The last text at the depth of members, and the name before a colon. */
  let [text, name]: [number[], string | null] = [[], null]
  let pieces: Buffer[] = []
  let size = 0
  for await (const chunk of chunksOf(path)) {
    onBytes(chunk.length)
    /** Marks where the current element begins in this chunk; -1 outside of elements. */
    let start = size > 0 ? 0 : -1
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!
      if (byte === NEWLINE) line += 1
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isInString = false
        if (isInString && depth === 1 && !isInList) text.push(byte)
        continue
      }
      switch (byte) {
        case QUOTE:
          isInString = true
          text = []
          break
        case COLON:
          if (depth === 1) name = Buffer.from(text).toString()
          break
        case COMMA:
          if (depth === 1) name = null
          break
        case OPEN_OBJECT:
        case OPEN_LIST:
          if (isInList && depth === depthOfElements) {
            if (byte === OPEN_LIST) throw new ImportError(`${basename(path)}, line ${line}: expected an object`)
            start = at
            firstLine = line
          }
          if (byte === OPEN_LIST && depth === depthOfElements - 1 && (member === null || name === member))
            isInList = hasList = true
          depth += 1
          break
        case CLOSE_OBJECT:
        case CLOSE_LIST:
          depth -= 1
          if (start !== -1 && depth === depthOfElements) {
            const bytes = chunk.subarray(start, at + 1)
            yield parsed(pieces.length === 0 ? bytes : Buffer.concat([...pieces, bytes]), path, firstLine)
            pieces = []
            size = 0
            start = -1
          }
          if (depth < depthOfElements) isInList = false
          break
        default:
      }
    }
    if (start !== -1) {
      pieces.push(chunk.subarray(start))
      size += chunk.length - start
      if (size > MAX_RECORD_BYTES) throw tooLong(path)
    }
  }
  if (depth !== 0)
    throw new ImportError(`${basename(path)}, line ${line}: the file ends within a list: fetch it again, it is cut off`)
  if (!hasList) throw new ImportError(`${basename(path)}: expected an object with a list "${member}"`)
}

/** A text field of a record. Throws `ImportError` with the place where it is missing. */
export function textField({ value, place }: JsonRecord, name: string): string {
  const text = value[name]
  if (typeof text === 'number') return String(text)
  if (typeof text !== 'string') throw new ImportError(`${place}: "${name}" is missing: expected a text`)
  return text
}

/** A list of a record. Throws `ImportError` with the place where it is missing. */
export function listField({ value, place }: JsonRecord, name: string): readonly unknown[] {
  const list = value[name]
  if (!Array.isArray(list)) throw new ImportError(`${place}: "${name}" is missing: expected a list`)
  return list as unknown[]
}

/** The texts of a list, white space at their ends removed, each once, none empty. */
export const distinctTexts = (list: readonly unknown[]): string[] => [
  ...new Set(list.flatMap((each) => (typeof each === 'string' && each.trim() !== '' ? [each.trim()] : []))),
]

/** The key of a passage that has no id: by title and text, for titles repeat. */
export const passageKey = (title: string, text: string): string => hash('sha256', `${title}\0${text}`).slice(0, 24)
