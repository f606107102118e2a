import { createHash, randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { HttpError } from '../../../kit/http-error.ts'
import { boundaryOf, FRAMING_BYTES, malformed, partFacts } from '../../../kit/multipart-form.ts'
import { InvalidRequestError } from '../../../kit/validate.ts'

/** An uploaded file that is on disk, and not stored yet. */
export interface ReceivedFile {
  /** As the sender named it: not checked. */
  filename: string
  mediaType: string | null
  /** Holds the bytes, synced; whoever keeps it renames it, else it is removed. */
  temporaryFile: string
  sizeBytes: number
  sha256: string
}

/** A file with the text fields that came before or after it; the last value counts. A long value is cut, and fails where it is checked. */
export interface ReceivedForm extends ReceivedFile {
  fields: Readonly<Record<string, string>>
}

const FIELD_BYTES = 1024
const MOST_FIELDS = 64

/** Bytes are written, hashed and counted in pieces of this size; more is never in memory. */
const CHUNK_BYTES = 1024 * 1024
const HEADER_BYTES = 16_384

/**
 * Reads a multipart body (RFC 7578) as it arrives and writes its part `file` to a new file in `folder`; other files are skipped. Throws 400
 * for a body that is not one or for an empty file, 413 as soon as the file has more than `maxBytes`, 422 without a file or with a
 * second one; nothing stays on disk then.
 */
export async function receiveFile(
  body: Readable,
  contentType: string,
  folder: string,
  maxBytes: number,
): Promise<ReceivedForm> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`)
  const reader = new BodyReader(body, maxBytes + FRAMING_BYTES)
  const temporaryFile = join(folder, randomUUID())
  let received: ReceivedFile | null = null
  const fields: Record<string, string> = {}
  try {
    // The first boundary has no line before it.
    reader.unread(Buffer.from('\r\n'))
    await reader.until(delimiter, () => {})
    while (!(await reader.isNext('--'))) {
      const header = await partHeader(reader)
      if (header.name !== 'file' || header.filename === null) {
        const text = await fieldText(reader, delimiter)
        if (header.name !== null && header.filename === null && Object.keys(fields).length < MOST_FIELDS)
          fields[header.name] = text
        continue
      }
      if (received !== null) throw new HttpError(422, `Only one file is accepted in 'file': send one request per file`)
      const written = await writePart(reader, delimiter, temporaryFile, maxBytes)
      received = { filename: header.filename, mediaType: header.mediaType, temporaryFile, ...written }
    }
    if (received === null)
      throw new InvalidRequestError(
        [{ loc: ['body', 'file'], msg: 'Field required', type: 'missing' }],
        ['file: required'],
      )
    if (received.sizeBytes === 0) throw new HttpError(400, 'upload is empty')
    return { ...received, fields }
  } catch (error) {
    await rm(temporaryFile, { force: true })
    throw error
  }
}

async function fieldText(reader: BodyReader, delimiter: Buffer): Promise<string> {
  const kept: Buffer[] = []
  let bytes = 0
  await reader.until(delimiter, (piece) => {
    if (bytes < FIELD_BYTES) kept.push(piece.subarray(0, FIELD_BYTES - bytes))
    bytes += piece.length
  })
  return Buffer.concat(kept).toString('utf8')
}

async function writePart(reader: BodyReader, delimiter: Buffer, file: string, maxBytes: number) {
  const handle = await open(file, 'wx', 0o600)
  try {
    const sink = new ChunkedSink(handle, maxBytes)
    await reader.until(delimiter, (bytes) => sink.write(bytes))
    const written = await sink.end()
    await handle.sync()
    return written
  } finally {
    await handle.close()
  }
}

/** Writes and hashes in chunks, and refuses what is over the limit before it is written. */
class ChunkedSink {
  readonly #handle: FileHandle
  readonly #maxBytes: number
  readonly #hash = createHash('sha256')
  #pending: Buffer[] = []
  #pendingBytes = 0
  #sizeBytes = 0

  constructor(handle: FileHandle, maxBytes: number) {
    this.#handle = handle
    this.#maxBytes = maxBytes
  }

  async write(bytes: Buffer): Promise<void> {
    this.#sizeBytes += bytes.length
    if (this.#sizeBytes > this.#maxBytes) throw new HttpError(413, `upload exceeds ${this.#maxBytes} byte limit`)
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
    if (this.#pendingBytes >= CHUNK_BYTES) await this.#flush()
  }

  async end(): Promise<{ sizeBytes: number; sha256: string }> {
    await this.#flush()
    return { sizeBytes: this.#sizeBytes, sha256: this.#hash.digest('hex') }
  }

  async #flush(): Promise<void> {
    const chunk = Buffer.concat(this.#pending)
    this.#pending = []
    this.#pendingBytes = 0
    this.#hash.update(chunk)
    for (let at = 0; at < chunk.length;) at += (await this.#handle.write(chunk, at)).bytesWritten
  }
}

/** A body as a sequence of bytes, of which only what is being looked at is in memory. */
class BodyReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #maxBytes: number
  #buffer: Buffer = Buffer.alloc(0)
  #seenBytes = 0

  constructor(body: Readable, maxBytes: number) {
    // A refused body must not cut the connection before the refusal is sent.
    this.#source = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    this.#maxBytes = maxBytes
  }

  unread(bytes: Buffer): void {
    this.#buffer = Buffer.concat([bytes, this.#buffer])
  }

  async isNext(text: string): Promise<boolean> {
    while (this.#buffer.length < text.length) await this.#fill()
    return this.#buffer.toString('latin1', 0, text.length) === text
  }

  /** Passes on what comes before the mark and drops the mark. */
  async until(mark: Buffer, sink: (bytes: Buffer) => void | Promise<void>): Promise<void> {
    for (;;) {
      const at = this.#buffer.indexOf(mark)
      if (at >= 0) {
        await sink(this.#buffer.subarray(0, at))
        this.#buffer = this.#buffer.subarray(at + mark.length)
        return
      }
      // The last bytes may be the beginning of the mark.
      const certain = Math.max(0, this.#buffer.length - mark.length + 1)
      if (certain > 0) {
        await sink(this.#buffer.subarray(0, certain))
        this.#buffer = this.#buffer.subarray(certain)
      }
      await this.#fill()
    }
  }

  async #fill(): Promise<void> {
    const next = await this.#source.next()
    if (next.done === true) throw malformed('the last part does not end')
    this.#seenBytes += next.value.length
    if (this.#seenBytes > this.#maxBytes)
      throw new HttpError(413, `Request body exceeds the limit for this endpoint (${this.#maxBytes} bytes)`)
    this.#buffer = Buffer.concat([this.#buffer, next.value])
  }
}

async function partHeader(reader: BodyReader) {
  let text = ''
  await reader.until(Buffer.from('\r\n\r\n'), (bytes) => {
    text += bytes.toString('utf8')
    if (text.length > HEADER_BYTES) throw malformed('a part has no header')
  })
  return partFacts(text)
}
