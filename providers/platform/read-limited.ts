import type { Dispatcher } from 'undici'

/** A response body as text; null, with the connection dropped, once it exceeds `limitBytes`. */
export async function readLimited(body: Dispatcher.ResponseData['body'], limitBytes: number): Promise<string | null> {
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
  return Buffer.concat(parts).toString('utf8')
}
