import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { createHttpClient } from '../../core/http/http-client.ts'
import { askedPauseMs } from '../../core/http/pauses.ts'
import { bytesOf, uploadOf } from '../../core/http/bodies.ts'
import { jsonIn } from '../../core/json.ts'
import type { FormFile } from '../kit/multipart-form.ts'
import type { AdapterConfig } from './config.ts'

/** Most that a busy converter is waited for between two attempts. */
const MOST_PAUSE_MS = 30_000
const REFUSAL_LIMIT_BYTES = 1024 * 1024

/** A conversion that the converter refused, with its message where it has one for the sender. */
export class ConversionRefusedError extends Error {
  override readonly name = 'ConversionRefusedError'
}

/** Conversions of this process that the converter works on. */
export type UnderWay = Set<Promise<void>>

/**
 * Has the converter convert a file and keeps its ZIP in `target`. A full converter is asked again: after another conversion of this process has ended,
 * which counts as no attempt, or after a pause. Any other refusal is thrown as `ConversionRefusedError`.
 */
export async function fetchBundle(
  config: AdapterConfig,
  upload: FormFile,
  target: string,
  underWay: UnderWay,
  signal: AbortSignal,
): Promise<void> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(config.conversionTimeoutMs)])
  for (let attempt = 1; ;) {
    const others = [...underWay]
    const tried = attemptBundle(config, upload, target, deadline)
    const own = tried.then(
      () => undefined,
      () => undefined,
    )
    underWay.add(own)
    const pauseSeconds = await tried.finally(() => underWay.delete(own))
    if (pauseSeconds === null) return
    if (others.length > 0) {
      await Promise.race([...others, once(deadline, 'abort')])
      deadline.throwIfAborted()
      continue
    }
    if (attempt >= config.maxAttempts)
      throw new ConversionRefusedError(`The converter was busy ${config.maxAttempts} times; send the file again later`)
    await delay(Math.min(MOST_PAUSE_MS, pauseSeconds * 1000 * attempt), undefined, { signal: deadline })
    attempt += 1
  }
}

/** Null when the ZIP is in `target`, else how many seconds a full converter asks to wait. */
async function attemptBundle(
  config: AdapterConfig,
  upload: FormFile,
  target: string,
  signal: AbortSignal,
): Promise<number | null> {
  const form = uploadOf(upload.bytes, upload.filename)
  const client = createHttpClient(
    config.converterToken === null ? {} : { authorization: `Bearer ${config.converterToken}` },
  )
  const call = { body: form, signal, timeoutMs: config.conversionTimeoutMs }
  return client.open(`${config.converterUrl}/internal/graph/bundle`, call, async ({ status, headers, body }) => {
    if (status === 429) return (askedPauseMs(headers) ?? 1000) / 1000
    if (status < 200 || status > 299)
      throw new ConversionRefusedError(refusalOf(status, (await bytesOf(body, REFUSAL_LIMIT_BYTES)).toString('utf8')))
    try {
      await pipeline(body, capped(config.maxResultBytes), createWriteStream(target, { mode: 0o600 }))
    } catch (error) {
      await rm(target, { force: true })
      throw error
    }
    return null
  })
}

/** The converter has words for the sender where the file is at fault; its other failures are its own. */
function refusalOf(status: number, body: string): string {
  const { detail } = (jsonIn(body) ?? {}) as { detail?: unknown }
  if ([413, 415, 422].includes(status) && typeof detail === 'string') return detail
  return `The converter answered with status ${status}`
}

function capped(maxBytes: number): Transform {
  let size = 0
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      size += part.length
      if (size > maxBytes) done(new ConversionRefusedError(`The result is larger than ${maxBytes} bytes`))
      else done(null, part)
    },
  })
}
