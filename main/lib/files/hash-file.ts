import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** SHA-256 (lower-case hex) and size of a file. Rejects with the system's error. */
export async function hashFile(path: string): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}
