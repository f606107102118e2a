import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

/** A file must match this: the SHA-256 of its bytes, or its git object id, which a hub reports for small files. */
export interface Digest {
  kind: 'sha256' | 'git-blob'
  hex: string
}

/** The SHA-256 of a file, in hexadecimal digits. */
export async function sha256Of(path: string, signal?: AbortSignal): Promise<string> {
  return hashOf(path, createHash('sha256'), signal)
}

/** Returns true when the file matches the digest. */
export async function hasDigest(path: string, { kind, hex }: Digest, signal?: AbortSignal): Promise<boolean> {
  if (kind === 'sha256') return (await sha256Of(path, signal)) === hex
  const { size } = await stat(path)
  return (await hashOf(path, createHash('sha1').update(`blob ${size}\0`), signal)) === hex
}

async function hashOf(path: string, hash: ReturnType<typeof createHash>, signal?: AbortSignal): Promise<string> {
  const source = createReadStream(path, { highWaterMark: 1024 * 1024, ...(signal === undefined ? {} : { signal }) })
  for await (const chunk of source) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
