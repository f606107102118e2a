import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Digest } from './file-digest.ts'
import { hasDigest, sha256Of } from './file-digest.ts'
import { firstByte, openRemoteFile, strongTag } from './open-remote-file.ts'

export interface DownloadRequest {
  url: string
  /** The finished file. What has arrived is beside it as `.part`, and the next try continues it. */
  target: string
  sizeBytes: number | null
  sha256: string | null
  signal: AbortSignal
  onBytes(receivedBytes: number, sizeBytes: number | null): void
  /** First wait between tries; doubled for each further one without a byte. */
  retryMs?: number
  /** Longest silence in the middle of a body. */
  stallMs?: number
}

/** Tries in a row that may bring no byte. */
const MAX_EMPTY_TRIES = 4

/** Why the file could not be downloaded; the store adds which model and folder it was for. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError'
  readonly code: 'offline' | 'interrupted' | 'refused' | 'checksum_mismatch' | 'no_checksum'
  /** The SHA-256 of what the server sends, where that is what is wrong. */
  readonly actual: string | null

  constructor(code: DownloadError['code'], message: string, options: { cause?: unknown; actual?: string } = {}) {
    super(message, options)
    this.code = code
    this.actual = options.actual ?? null
  }
}

/**
 * Fetches one file, checks it, and gives it its name. A broken connection is tried again from where it broke. Rejects with `DownloadError`,
 * with the file system's errors, and with the signal's reason.
 */
export async function downloadFile(request: DownloadRequest): Promise<void> {
  await mkdir(dirname(request.target), { recursive: true })
  const part = `${request.target}.part`
  const wasResumed = (await sizeOf(part)) > 0
  const digest = await fetchWhole(request, part)
  if (await hasDigest(part, digest, request.signal)) return finish(request.target, part)
  const actual = await sha256Of(part, request.signal)
  await dropPart(part)
  // The first half may be of an older file than the second, where a server does not report it.
  if (wasResumed) return downloadFile(request)
  throw new DownloadError('checksum_mismatch', `what arrived has not the checksum ${digest.hex}`, { actual })
}

async function fetchWhole(request: DownloadRequest, part: string): Promise<Digest> {
  const declared: Digest | null = request.sha256 === null ? null : { kind: 'sha256', hex: request.sha256 }
  let emptyTries = 0
  for (;;) {
    const before = await sizeOf(part)
    try {
      const reported = await fetchRest(request, part, before)
      const digest = declared ?? reported
      if (digest === null)
        throw new DownloadError('no_checksum', 'neither the declaration nor the server gives its checksum')
      return digest
    } catch (cause) {
      request.signal.throwIfAborted()
      if (!isTransient(cause)) throw cause
      const after = await sizeOf(part)
      emptyTries = after > before ? 0 : emptyTries + 1
      if (emptyTries >= MAX_EMPTY_TRIES) throw gaveUp(cause, after)
      await delay((request.retryMs ?? 500) * 2 ** emptyTries, undefined, { signal: request.signal })
    }
  }
}

/** A server's own trouble, which may pass. */
class ServerTrouble extends Error {}

function isTransient(cause: unknown): boolean {
  if (cause instanceof DownloadError) return false
  // Errors of the file system have a system call; fetch's have it in their cause.
  return (cause as NodeJS.ErrnoException).syscall === undefined
}

function gaveUp(cause: unknown, received: number): DownloadError {
  const reason = reasonOf(cause)
  if (cause instanceof ServerTrouble) return new DownloadError('refused', reason, { cause })
  if (received === 0) return new DownloadError('offline', reason, { cause })
  return new DownloadError(
    'interrupted',
    `${reason}; ${received} bytes are kept, and the next try goes on from there`,
    {
      cause,
    },
  )
}

function reasonOf(cause: unknown): string {
  const inner = (cause as Error).cause
  return inner instanceof Error ? `${(cause as Error).message} (${inner.message})` : (cause as Error).message
}

/** One connection: appends to the part what the server has beyond it. Returns the server's digest of the content. */
async function fetchRest(request: DownloadRequest, part: string, have: number): Promise<Digest | null> {
  const stall = new AbortController()
  const signal = AbortSignal.any([request.signal, stall.signal])
  const stallMs = request.stallMs ?? 60_000
  const timer = setTimeout(() => stall.abort(new Error(`nothing arrived for ${stallMs / 1000} s`)), stallMs)
  try {
    const etag = have === 0 ? null : await readFile(`${part}.etag`, 'utf8').catch(() => null)
    const { response, sizeBytes, digest } = await openRemoteFile(request.url, { byte: have, etag }, signal)
    const size = request.sizeBytes ?? sizeBytes
    if (request.sha256 !== null && digest?.kind === 'sha256' && digest.hex !== request.sha256) {
      // Reported before its first byte, so that no one downloads hundreds of megabytes to find it out.
      await response.body?.cancel()
      const message = `the server reports the checksum ${digest.hex}, not ${request.sha256}`
      throw new DownloadError('checksum_mismatch', message, { actual: digest.hex })
    }
    if (response.status === 416) {
      await response.body?.cancel()
      if (have === size) return digest
      await dropPart(part)
      throw new ServerTrouble('the server has less than what was fetched before')
    }
    if (!response.ok || response.body === null) {
      await response.body?.cancel()
      const message = `${new URL(request.url).host} answered ${response.status}`
      if (response.status === 429 || response.status >= 500) throw new ServerTrouble(message)
      throw new DownloadError('refused', message)
    }
    const goesOn = response.status === 206 && firstByte(response) === have
    if (response.status === 206 && !goesOn) {
      await response.body.cancel()
      await dropPart(part)
      throw new ServerTrouble('the server sent another part than it was asked for')
    }
    const tag = strongTag(response)
    await (tag === null ? rm(`${part}.etag`, { force: true }) : writeFile(`${part}.etag`, tag))
    const received = await append(response.body, part, goesOn ? have : 0, (bytes) => {
      timer.refresh()
      if (size !== null && bytes > size) throw new DownloadError('refused', `the server sends more than ${size} bytes`)
      request.onBytes(bytes, size)
    })
    if (size !== null && received < size) throw new Error(`the connection ended after ${received} of ${size} bytes`)
    return digest
  } finally {
    clearTimeout(timer)
  }
}

async function append(
  body: ReadableStream<Uint8Array>,
  part: string,
  from: number,
  onBytes: (received: number) => void,
): Promise<number> {
  const file = await open(part, from === 0 ? 'w' : 'a')
  let received = from
  try {
    onBytes(received)
    for await (const chunk of body) {
      await file.write(chunk)
      received += chunk.length
      onBytes(received)
    }
  } finally {
    await file.sync()
    await file.close()
  }
  return received
}

async function finish(target: string, part: string): Promise<void> {
  await rename(part, target)
  await rm(`${part}.etag`, { force: true })
}

async function dropPart(part: string): Promise<void> {
  await rm(part, { force: true })
  await rm(`${part}.etag`, { force: true })
}

/** Bytes that an earlier try has left. */
async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
