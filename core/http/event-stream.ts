import { BodyTooLarge } from './bodies.ts'

/**
 * The data of server-sent events, one string each, as they arrive; comments and other fields are left out. `limitBytes` bounds the whole stream;
 * beyond it the reading throws `BodyTooLarge`.
 */
export async function* eventData(body: AsyncIterable<Uint8Array>, limitBytes: number): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let sizeBytes = 0
  let data: string[] = []
  for await (const bytes of body) {
    sizeBytes += bytes.byteLength
    if (sizeBytes > limitBytes) throw new BodyTooLarge(limitBytes)
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
      if (line !== '' || data.length === 0) continue
      yield data.join('\n')
      data = []
    }
  }
  // Some services end the connection without the empty line after the last event.
  if (rest.startsWith('data:')) data.push(rest.slice(5).trim())
  if (data.length > 0) yield data.join('\n')
}

/** The last event of a stream of chat completion chunks. */
export const DONE = '[DONE]'
