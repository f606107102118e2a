import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { FormData } from 'undici'

/** An answer has more bytes than its reader takes. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'

  constructor(limitBytes: number) {
    super(`the answer is larger than ${limitBytes} bytes`)
  }
}

/** The whole body. Rejects with `BodyTooLarge`, with the connection dropped, once it exceeds the limit. */
export async function bytesOf(body: Readable, limitBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.length
    if (size > limitBytes) throw new BodyTooLarge(limitBytes)
    parts.push(part)
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts, size)
}

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
])

/** The body without compression: nothing compressed is asked for, but some proxies compress all the same. */
export function plainBody(body: Readable, encoding: string | string[] | undefined): Readable {
  const decoder = DECODERS.get(String(encoding ?? '').toLowerCase())
  // A fault of either ends the other, and shows to whoever reads.
  return decoder === undefined ? body : pipeline(body, decoder(), () => undefined)
}

/** The body of an upload: fields, and a file under the name `file`. */
export function uploadOf(bytes: Uint8Array, name: string, fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  form.append('file', new Blob([bytes]), name)
  return form
}
