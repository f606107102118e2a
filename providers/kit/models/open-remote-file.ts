import { fetchFrom } from '../../../core/http/connections.ts'
import type { Digest } from './file-digest.ts'

type Response = Awaited<ReturnType<typeof fetchFrom>>

/** A server reports this about a file before its bytes. */
export interface RemoteFile {
  response: Response
  /** Null: not reported. */
  sizeBytes: number | null
  digest: Digest | null
}

const MAX_REDIRECTS = 6

/**
 * Opens the file from `fromByte` on. Redirects are followed by hand, because a hub sends size and checksum with the redirect, not with the
 * answer of its storage. Rejects with fetch's own errors and for a redirect to an unprotected address.
 */
export async function openRemoteFile(
  url: string,
  from: { byte: number; etag: string | null },
  signal: AbortSignal,
): Promise<RemoteFile> {
  const headers: Record<string, string> = { 'accept-encoding': 'identity' }
  if (from.byte > 0) headers['range'] = `bytes=${from.byte}-`
  if (from.byte > 0 && from.etag !== null) headers['if-range'] = from.etag
  let address = new URL(url)
  let reported: Pick<RemoteFile, 'sizeBytes' | 'digest'> = { sizeBytes: null, digest: null }
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await fetchFrom(address, { headers, redirect: 'manual', signal })
    reported = { sizeBytes: reported.sizeBytes ?? hubSize(response), digest: reported.digest ?? hubDigest(response) }
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null)
      return { response, digest: reported.digest, sizeBytes: reported.sizeBytes ?? wholeSize(response) }
    await response.body?.cancel()
    const next = new URL(location, address)
    if (next.protocol !== 'https:' && next.protocol !== address.protocol)
      throw new Error(`redirected from ${address.origin} to the unprotected ${next.origin}`)
    address = next
  }
  throw new Error(`redirected more than ${MAX_REDIRECTS} times`)
}

function hubSize(response: Response): number | null {
  return numberIn(response.headers.get('x-linked-size'), /^(\d+)$/)
}

/** The hub's word on the content: SHA-256 of a large file, git's name of a small one. Other servers' entity tags mean nothing of the kind. */
function hubDigest(response: Response): Digest | null {
  const linked = bare(response.headers.get('x-linked-etag'))
  if (/^[0-9a-f]{64}$/.test(linked)) return { kind: 'sha256', hex: linked }
  if (response.headers.get('x-repo-commit') === null) return null
  const own = linked === '' ? bare(response.headers.get('etag')) : linked
  return /^[0-9a-f]{40}$/.test(own) ? { kind: 'git-blob', hex: own } : null
}

function wholeSize(response: Response): number | null {
  if (response.status === 200) return numberIn(response.headers.get('content-length'), /^(\d+)$/)
  return numberIn(response.headers.get('content-range'), /\/(\d+)$/)
}

/** The entity tag when it is a strong one: only such a tag promises the same bytes. */
export function strongTag(response: Response): string | null {
  const tag = response.headers.get('etag')
  return tag?.startsWith('"') === true ? tag : null
}

/** The byte that a partial answer begins with. */
export function firstByte(response: Response): number | null {
  return numberIn(response.headers.get('content-range'), /^bytes (\d+)-/)
}

const bare = (tag: string | null): string => tag?.replace(/^W\//, '').replaceAll('"', '') ?? ''

function numberIn(value: string | null, pattern: RegExp): number | null {
  const digits = pattern.exec(value ?? '')?.[1]
  return digits === undefined ? null : Number(digits)
}
