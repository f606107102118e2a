import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { FormFile } from '../kit/multipart-form.ts'
import type { AdapterConfig } from './config.ts'

/** Most that a busy converter is waited for between two attempts. */
const MOST_PAUSE_MS = 30_000

/** Has the converter convert a file and keeps its ZIP in `target`. A full converter is asked again; any other refusal is thrown. */
export async function fetchBundle(
  config: AdapterConfig,
  upload: FormFile,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(config.conversionTimeoutMs)])
  for (let attempt = 1; ; attempt += 1) {
    const form = new FormData()
    form.append('file', new Blob([upload.bytes]), upload.filename)
    const response = await fetch(`${config.converterUrl}/internal/graph/bundle`, {
      method: 'POST',
      body: form,
      headers: config.converterToken === null ? {} : { authorization: `Bearer ${config.converterToken}` },
      signal: deadline,
      redirect: 'error',
    })
    if (response.status === 429 && attempt < config.maxAttempts) {
      await response.body?.cancel()
      const seconds = Number(response.headers.get('retry-after') ?? '1')
      await delay(Math.min(MOST_PAUSE_MS, (Number.isFinite(seconds) ? seconds : 1) * 1000 * attempt), undefined, {
        signal: deadline,
      })
      continue
    }
    if (!response.ok || response.body === null)
      throw new Error(`the converter answered ${response.status}: ${(await response.text()).slice(0, 500)}`)
    try {
      await pipeline(
        Readable.fromWeb(response.body),
        capped(config.maxResultBytes),
        createWriteStream(target, { mode: 0o600 }),
      )
    } catch (error) {
      await rm(target, { force: true })
      throw error
    }
    return
  }
}

function capped(maxBytes: number): Transform {
  let size = 0
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      size += part.length
      if (size > maxBytes) done(new Error(`the result is over ${maxBytes} bytes`))
      else done(null, part)
    },
  })
}
