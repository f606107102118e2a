import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startS3Server } from '../../../../tests/helpers/s3-server.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { createEnvReader } from '../../../kit/env-reader.ts'
import { BytesUnavailableError, folderBytes, type ObjectBytes } from './object-bytes.ts'
import type { ReceivedFile } from './receive-file.ts'
import { s3Bytes } from './s3-bytes.ts'
import { readStorageSettings, type S3Settings } from './storage-settings.ts'
import { listenLocally } from '../../../../tests/helpers/local-server.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder('bytes')
})

async function received(bytes: Buffer): Promise<ReceivedFile> {
  const temporaryFile = join(folder, 'received')
  await writeFile(temporaryFile, bytes)
  const sha256 = hash('sha256', bytes)
  return { filename: 'a.bin', mediaType: 'text/plain', temporaryFile, sizeBytes: bytes.length, sha256 }
}
const PLACE = { bucket: 'notes', key: 'ab/abcdef-1' }

const IMPLEMENTATIONS = {
  'files in a folder': async () => ({ bytes: folderBytes(join(folder, 'storage')), close: async () => {} }),
  'an S3 service': async () => {
    const server = await startS3Server(join(folder, 's3'))
    return { bytes: s3Bytes(server.settings), close: () => server.close() }
  },
}

describe.each(Object.entries(IMPLEMENTATIONS))('bytes as %s', (_name, open) => {
  let bytes: ObjectBytes
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ bytes, close } = await open())
  })
  afterEach(async () => {
    bytes.close()
    await close()
  })

  it.each([1, 1024 * 1024, 3 * 1024 * 1024 + 17])('of %i are read as they were written', async (length) => {
    const written = Buffer.alloc(length, 'a piece of text that repeats ')
    await bytes.write(PLACE, await received(written))
    expect((await buffer(await bytes.read(PLACE))).equals(written)).toBe(true)
  })

  it('of two buckets and keys are apart', async () => {
    const other = { bucket: 'default', key: PLACE.key }
    await bytes.write(PLACE, await received(Buffer.from('one')))
    await bytes.write(other, await received(Buffer.from('two')))
    expect((await buffer(await bytes.read(PLACE))).toString()).toBe('one')
    await bytes.remove(PLACE)
    await expect(bytes.read(PLACE)).rejects.toThrow(BytesUnavailableError)
    expect((await buffer(await bytes.read(other))).toString()).toBe('two')
  })

  it('that are removed twice, or were never there, are no error', async () => {
    await bytes.write(PLACE, await received(Buffer.from('one')))
    for (let time = 0; time < 2; time += 1) await bytes.remove(PLACE)
    await bytes.remove({ bucket: 'never', key: 'ab/never' })
  })

  it('can be probed', async () => {
    await bytes.probe()
  })
})

describe('an S3 service', () => {
  const settingsOf = (endpoint: string, other: Partial<S3Settings> = {}): S3Settings => ({
    endpoint,
    bucket: 'artifacts',
    region: 'us-east-1',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    forcePathStyle: true,
    ...other,
  })

  it('that refuses the key, or has no such bucket, is unavailable, and the reason names no secret', async () => {
    const server = await startS3Server(join(folder, 's3'))
    const wrong = s3Bytes({ ...server.settings, secretAccessKey: 'another-secret' })
    await expect(wrong.probe()).rejects.toThrow(/HTTP 403/)
    const refused = await wrong.write(PLACE, await received(Buffer.from('x'))).catch((error: unknown) => error)
    expect(String(refused)).toMatch(/cannot store an object: HTTP 403 SignatureDoesNotMatch/)
    expect(String(refused)).not.toContain('another-secret')
    const absent = s3Bytes({ ...server.settings, bucket: 'absent' })
    await expect(absent.probe()).rejects.toThrow(/HTTP 404/)
    await expect(absent.write(PLACE, await received(Buffer.from('x')))).rejects.toThrow(/HTTP 404 NoSuchBucket/)
    expect(await server.keys()).toEqual([])
    await server.close()
  })

  it('gets a file again from its start when an answer fails, with its digest in the signature, and not a fourth time', async () => {
    const bodies: string[] = []
    const digests: unknown[] = []
    let failures = 2
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      bodies.push((await buffer(request)).toString())
      digests.push(request.headers['x-amz-content-sha256'])
      response.statusCode = failures > 0 ? 503 : 200
      failures -= 1
      response.end(response.statusCode === 503 ? '<Error><Code>SlowDown</Code></Error>' : '')
    }
    const server = await listenLocally(createServer((request, response) => void answer(request, response)))
    const bytes = s3Bytes(settingsOf(server.url))
    const file = await received(Buffer.from('whole'))
    await bytes.write(PLACE, file)
    expect([bodies, digests]).toEqual([
      ['whole', 'whole', 'whole'],
      [file.sha256, file.sha256, file.sha256],
    ])
    failures = 9
    await expect(bytes.write(PLACE, file)).rejects.toThrow(/HTTP 503 SlowDown/)
    expect(bodies).toHaveLength(6)
    bytes.close()
    await server.close()
    await expect(bytes.probe()).rejects.toThrow(BytesUnavailableError)
  })
})

describe('settings of S3', () => {
  const problems = (env: Record<string, string>) => {
    const reader = createEnvReader(env)
    return { s3: readStorageSettings(reader).s3, problems: reader.problems }
  }
  const WHOLE = {
    S3_ENDPOINT: 'http://127.0.0.1:9000/',
    S3_BUCKET: 'artifacts',
    S3_ACCESS_KEY_ID: 'the-id',
    S3_SECRET_ACCESS_KEY: 'the-secret',
  }

  it('are taken whole, with a region and the bucket in the path unless set', () => {
    expect(problems({})).toEqual({ s3: null, problems: [] })
    expect(problems(WHOLE)).toEqual({
      problems: [],
      s3: {
        endpoint: 'http://127.0.0.1:9000',
        bucket: 'artifacts',
        region: 'us-east-1',
        accessKeyId: 'the-id',
        secretAccessKey: 'the-secret',
        forcePathStyle: true,
      },
    })
    const other = problems({ ...WHOLE, S3_REGION: 'eu-west-1', S3_FORCE_PATH_STYLE: 'false' })
    expect(other.s3).toMatchObject({ region: 'eu-west-1', forcePathStyle: false })
  })

  it.each(['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])('without %s are refused', (name) => {
    expect(problems({ ...WHOLE, [name]: '' }).problems).toEqual([`${name}: required with S3_ENDPOINT`])
    expect(problems({ [name]: 'artifacts' }).problems).toEqual([`S3_ENDPOINT: required with ${name}`])
  })

  it('are refused with the variable named where a value is malformed', () => {
    expect(problems({ ...WHOLE, S3_ENDPOINT: 'ftp://host' }).problems).toEqual([
      'S3_ENDPOINT: invalid value: expected an http or https address',
    ])
    for (const bucket of ['ab', 'x'.repeat(64), 'Upper', 'a/b', '-ab'])
      expect(problems({ ...WHOLE, S3_BUCKET: bucket }).problems).toEqual([
        expect.stringContaining(`S3_BUCKET: invalid value "${bucket}"`),
      ])
    for (const bucket of ['abc', 'x'.repeat(63)]) expect(problems({ ...WHOLE, S3_BUCKET: bucket }).problems).toEqual([])
    expect(problems({ ...WHOLE, S3_FORCE_PATH_STYLE: 'yes' }).problems).toEqual([
      expect.stringContaining('S3_FORCE_PATH_STYLE: invalid value "yes"'),
    ])
    expect(problems({ ...WHOLE, MAX_UPLOAD_BYTES: '5368709120' }).problems).toEqual([])
    expect(problems({ ...WHOLE, MAX_UPLOAD_BYTES: '5368709121' }).problems).toEqual([
      'MAX_UPLOAD_BYTES: 5368709121 is more than S3 takes at once (5368709120)',
    ])
  })
})
