import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../../tests/helpers/database-address.ts'
import { guardedServer } from '../../../../tests/helpers/guarded-server.ts'
import { onEachDatabase } from '../../../../tests/helpers/platform-databases.ts'
import { startS3Server } from '../../../../tests/helpers/s3-server.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { USER_ID, userToken } from '../../../../tests/helpers/user-token.ts'
import { createEnvReader } from '../../../kit/env-reader.ts'
import type { Database } from '../../stores/database/database.ts'
import { BytesUnavailableError, folderBytes, type ObjectBytes } from './object-bytes.ts'
import { ObjectStore } from './object-store.ts'
import { receiveFile } from './receive-file.ts'
import { registerStorageRoutes } from './routes.ts'
import { s3Bytes } from './s3-bytes.ts'
import { readStorageSettings } from './storage-settings.ts'

onEachDatabase('the object store', (kind) => {
  let folder: string
  let database: Database
  let app: FastifyInstance
  const apps: FastifyInstance[] = []
  beforeEach(async () => {
    folder = await temporaryFolder('storage')
    database = await openDatabase(await kind.fresh())
  })
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((each) => each.close()))
    await database.close()
  })

  const sha256 = (bytes: string | Buffer) => hash('sha256', bytes)
  const form = (name: string, bytes: string | Buffer, extra = '') =>
    Buffer.concat([
      Buffer.from(
        `--edge\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: text/plain\r\n\r\n`,
      ),
      Buffer.from(bytes),
      Buffer.from(`\r\n${extra}--edge--\r\n`),
    ])

  /** Set by the suite that runs with an S3 service. */
  let serviceBytes: ObjectBytes | null = null

  function storage(limits: Partial<{ maxUploadBytes: number; quotaBytes: number }> = {}) {
    const settings = { maxUploadBytes: 3_000_000, quotaBytes: 4_000_000, buckets: ['default', 'notes'], ...limits }
    const bytes = serviceBytes ?? folderBytes(folder)
    const store = new ObjectStore({ database, bytes, incoming: join(folder, '.incoming'), settings })
    app = guardedServer().app
    apps.push(app)
    registerStorageRoutes(app, store, settings.maxUploadBytes)
    const upload = async (
      name: string,
      bytes: string | Buffer,
      { query = '', token = 'operator-token', extra = '' } = {},
    ) => {
      const answer = await app.inject({
        method: 'POST',
        url: `/storage/upload${query}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=edge' },
        payload: form(name, bytes, extra),
      })
      return [answer.statusCode, answer.json()] as const
    }
    const read = (path: string, token = 'operator-token') =>
      app.inject({ url: `/storage/objects/${path}`, headers: { authorization: `Bearer ${token}` } })
    return { store, upload, read, bytes }
  }

  const files = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())

  const PLACES = {
    'files in a folder': async () => ({ kept: async () => files().map(({ name }) => name), close: async () => {} }),
    'an S3 service': async () => {
      const server = await startS3Server(await temporaryFolder('storage-s3'))
      serviceBytes = s3Bytes(server.settings)
      const close = async (): Promise<void> => {
        serviceBytes?.close()
        serviceBytes = null
        await server.close()
      }
      return { kept: async () => (await server.keys()).map((key) => key.split('/').at(-1)!), close }
    },
  }

  describe.each(Object.entries(PLACES))('POST /storage/upload with bytes as %s', (_name, open) => {
    /** Names of the stored bytes. */
    let kept: () => Promise<string[]>
    let close: () => Promise<void>
    beforeEach(async () => {
      ;({ kept, close } = await open())
    })
    afterEach(async () => close())

    it('stores a file by the digest of its bytes and returns it at its address', async () => {
      const { upload, read } = storage()
      const [status, body] = await upload('field notes.txt', 'lamp oil', { query: '?bucket=notes' })
      expect([status, body]).toEqual([
        200,
        {
          bucket: 'notes',
          path: 'notes/field notes.txt',
          url: 'http://localhost:80/storage/objects/notes/field%20notes.txt',
        },
      ])
      expect(await kept()).toEqual([sha256('lamp oil')])
      const answer = await read('notes/field%20notes.txt')
      expect([
        answer.statusCode,
        answer.body,
        answer.headers['content-disposition'],
        answer.headers['content-type'],
      ]).toEqual([200, 'lamp oil', 'attachment; filename="field notes.txt"', 'text/plain'])
    })

    it('stores equal bytes once, and counts them once', async () => {
      const { upload, store } = storage({ quotaBytes: 10 })
      await upload('a.txt', '12345678')
      expect((await upload('b.txt', '12345678'))[0]).toBe(200)
      expect([await store.usedBytes(), await kept()]).toEqual([8, [expect.anything()]])
      expect(await upload('c.txt', '123')).toEqual([
        413,
        { detail: 'The upload would exceed the storage quota (STORAGE_QUOTA_BYTES)' },
      ])
      expect((await upload('d.txt', '12'))[0]).toBe(200)
    })

    it('refuses a name that is taken and leaves the stored bytes', async () => {
      const { upload, read } = storage()
      await upload('a.txt', 'first')
      expect((await upload('a.txt', 'second'))[0]).toBe(409)
      expect((await read('default/a.txt')).body).toBe('first')
      expect((await upload('a.txt', 'second', { query: '?bucket=notes' }))[0]).toBe(200)
    })

    it.each(['../a', 'a/b', 'a\\b', '..', '.', 'ä.txt', 'x'.repeat(256), 'a\tb'])(
      'refuses the file name %j',
      async (name) => {
        const { upload } = storage()
        expect((await upload(name, 'bytes'))[0]).toBe(400)
        expect([await kept(), files()]).toEqual([[], []])
      },
    )

    it('refuses an unknown bucket, an empty file, no file and two files, and keeps nothing of them', async () => {
      const { upload } = storage()
      expect((await upload('a.txt', 'x', { query: '?bucket=other' }))[0]).toBe(400)
      expect((await upload('a.txt', ''))[0]).toBe(400)
      const second = '--edge\r\ncontent-disposition: form-data; name="file"; filename="b"\r\n\r\ny\r\n'
      expect((await upload('a.txt', 'x', { extra: second }))[0]).toBe(422)
      const none = await app.inject({
        method: 'POST',
        url: '/storage/upload',
        headers: { authorization: 'Bearer operator-token', 'content-type': 'multipart/form-data; boundary=edge' },
        payload: '--edge\r\ncontent-disposition: form-data; name="other"\r\n\r\nx\r\n--edge--\r\n',
      })
      expect(none.statusCode).toBe(422)
      expect([await kept(), files()]).toEqual([[], []])
    })

    it('takes a file of exactly the limit and refuses one of a byte more, with nothing left', async () => {
      const { upload } = storage({ maxUploadBytes: 1_500_000 })
      expect((await upload('a.bin', Buffer.alloc(1_500_000, 1)))[0]).toBe(200)
      expect(await upload('b.bin', Buffer.alloc(1_500_001, 2))).toEqual([
        413,
        { detail: 'upload exceeds 1500000 byte limit' },
      ])
      expect(await kept()).toHaveLength(1)
    })

    it('removes the bytes with the last object that has them, also while the same bytes come again', async () => {
      const { upload, read, store, bytes } = storage()
      for (const name of ['a.txt', 'b.txt']) await upload(name, 'shared')
      await store.remove('default', 'a.txt')
      expect((await read('default/b.txt')).body).toBe('shared')
      // The bytes are being removed when an upload of the same ones is stored.
      const removal = Promise.withResolvers<null>()
      const remove = bytes.remove.bind(bytes)
      bytes.remove = async (place) => {
        bytes.remove = remove
        await removal.promise
        return remove(place)
      }
      const removed = store.remove('default', 'b.txt')
      expect((await upload('c.txt', 'shared'))[0]).toBe(200)
      removal.resolve(null)
      await removed
      expect((await read('default/c.txt')).body).toBe('shared')
      expect(await kept()).toEqual([expect.stringMatching(new RegExp(`^${sha256('shared')}-`))])
      await store.remove('default', 'c.txt')
      await store.remove('default', 'unknown')
      expect(await kept()).toEqual([])
    })

    it('keeps equal bytes once when two uploads of them end at the same time', async () => {
      const { upload, read, store } = storage({ quotaBytes: 6 })
      const uploads = ['a.txt', 'b.txt', 'a.txt'].map(async (name) => (await upload(name, 'shared'))[0])
      expect((await Promise.all(uploads)).toSorted()).toEqual([200, 200, 409])
      expect([await kept(), await store.usedBytes()]).toEqual([[expect.stringContaining(sha256('shared'))], 6])
      for (const name of ['a.txt', 'b.txt']) expect((await read(`default/${name}`)).body).toBe('shared')
    })

    it('does not count equal bytes twice that another upload stores while the quota is looked at', async () => {
      const { upload, store } = storage({ quotaBytes: 6 })
      const usedBytes = store.usedBytes.bind(store)
      vi.spyOn(store, 'usedBytes').mockImplementationOnce(async (queries) => {
        expect((await upload('a.txt', 'shared'))[0]).toBe(200)
        return usedBytes(queries)
      })
      expect((await upload('b.txt', 'shared'))[0]).toBe(200)
    })

    it('answers 503 when the bytes cannot be stored or read, and keeps no object', async () => {
      const { upload, read, store, bytes } = storage()
      await upload('a.txt', 'before')
      await store.read((await store.find('default', 'a.txt'))!).then((stream) => stream.destroy())
      bytes.write = bytes.read = async () => {
        throw new BytesUnavailableError('gone')
      }
      expect(await upload('b.txt', 'x')).toEqual([503, { detail: 'Storage is unavailable' }])
      expect((await read('default/a.txt')).statusCode).toBe(503)
      expect([await store.find('default', 'b.txt'), files()]).toEqual([
        null,
        serviceBytes === null ? [expect.anything()] : [],
      ])
    })

    it('gives a user its own objects only', async () => {
      const { upload, read, store } = storage()
      const [mine, other] = [await userToken(), await userToken({ sub: USER_ID.replace('5', '6') })]
      await upload('mine.txt', 'x', { token: mine })
      await upload('operators.txt', 'y')
      expect(await store.find('default', 'mine.txt')).toMatchObject({ subject: USER_ID })
      const status = async (path: string, token?: string) => (await read(path, token)).statusCode
      expect([
        await status('default/mine.txt', mine),
        await status('default/mine.txt', other),
        await status('default/mine.txt'),
        await status('default/operators.txt', mine),
        await status('default/unknown.txt'),
      ]).toEqual([200, 404, 200, 404, 404])
    })
  })

  it('answers 503 when the disk refuses, without naming a path', async () => {
    const { upload } = storage()
    await rm(join(folder, '.incoming'), { recursive: true })
    expect(await upload('a.txt', 'x')).toEqual([503, { detail: 'Storage is unavailable' }])
    await mkdir(join(folder, '.incoming'))
    await writeFile(join(folder, 'default'), 'a file in the place of the bucket')
    expect(await upload('a.txt', 'x')).toEqual([503, { detail: 'Storage is unavailable' }])
    expect(files().map(({ name }) => name)).toEqual(['default'])
  })

  describe('receiving a multipart body', () => {
    it('gives the same bytes however the body is cut into pieces', async () => {
      const bytes = Buffer.from('\r\n--edg\r\n-\r\n--\r\n\r--edge\r\nlast')
      const body = form('a.bin', bytes)
      for (const size of [1, 2, 3, 5, 7, 11, 64, body.length]) {
        const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
          body.subarray(index * size, (index + 1) * size),
        )
        const file = await receiveFile(Readable.from(pieces), 'multipart/form-data; boundary=edge', folder, 1000)
        expect([size, file.sha256, file.sizeBytes]).toEqual([size, sha256(bytes), bytes.length])
      }
    })

    it('reads no further than the limit', async () => {
      let given = 0
      const endless = Readable.from(
        (function* () {
          yield form('a.bin', 'x').subarray(0, 80)
          yield Buffer.from('\r\n\r\n')
          for (;;) {
            given += 65_536
            yield Buffer.alloc(65_536)
          }
        })(),
      )
      await expect(receiveFile(endless, 'multipart/form-data; boundary=edge', folder, 1_000_000)).rejects.toThrow()
      expect(given).toBeLessThan(3_000_000)
      expect(files()).toEqual([])
    })
  })

  it('removes what an upload left whose process ended a day ago, and nothing younger', async () => {
    const incoming = join(folder, '.incoming')
    await mkdir(incoming)
    for (const name of ['old', 'young']) await writeFile(join(incoming, name), 'x')
    const yesterday = Date.now() / 1000 - 86_401
    await utimes(join(incoming, 'old'), yesterday, yesterday)
    storage()
    expect(files().map(({ name }) => name)).toEqual(['young'])
  })

  it('refuses bucket names that are no safe folder', () => {
    const reader = createEnvReader({ STORAGE_BUCKETS: 'default,../up,.incoming,Upper' })
    readStorageSettings(reader)
    expect(reader.problems.map((problem) => /"(.*)"/.exec(problem)?.[1])).toEqual(['../up', '.incoming', 'Upper'])
  })
})
