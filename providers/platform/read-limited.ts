import type { Dispatcher } from 'undici'

type Body = Dispatcher.ResponseData['body']

/** A response body as text; null, with the connection dropped, once it exceeds `limitBytes`. */
export async function readLimited(body: Body, limitBytes: number): Promise<string | null> {
  return (await readLimitedBytes(body, limitBytes))?.toString('utf8') ?? null
}

/** The same as bytes. */
export async function readLimitedBytes(body: Body, limitBytes: number): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.length
    if (size > limitBytes) {
      body.destroy()
      return null
    }
    parts.push(part)
  }
  return Buffer.concat(parts)
}
