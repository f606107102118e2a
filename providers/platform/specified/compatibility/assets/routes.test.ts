import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../../../tests/helpers/temporary-folder.ts'
import { openDatabase } from '../../../../../tests/helpers/database-address.ts'
import { glbOf, gltfErrors, picture, sphere } from '../../../../../tests/helpers/glb-models.ts'
import { guardedServer } from '../../../../../tests/helpers/guarded-server.ts'
import { onEachDatabase } from '../../../../../tests/helpers/platform-databases.ts'
import { createLogger } from '../../../../kit/logger.ts'
import { listen } from '../../../../kit/server.ts'
import { createClosingList } from '../../../jobs/closing-list.ts'
import type { Database } from '../../../stores/database/database.ts'
import { folderBytes } from '../../storage/object-bytes.ts'
import { ObjectStore } from '../../storage/object-store.ts'
import { registerStorageRoutes } from '../../storage/routes.ts'
import { openAssets } from './assets-part.ts'
import { readAssetSettings } from './asset-settings.ts'

const MIB = 1024 * 1024
const SMALL = { rings: 8, segments: 16 }
const sha256 = (bytes: Uint8Array) => hash('sha256', bytes)

interface Answer {
  sha256: string
  artifact: { key: string; size_bytes: number }
  download_url: string
  summary: { tris_out: number }
  normalization: object
  optimization: object
  detail: unknown
}

/** A form with one file and text fields. */
function form(bytes: Uint8Array, fields: Record<string, string> = {}, filename = 'model.glb'): Buffer {
  const texts = Object.entries(fields).map(
    ([name, value]) => `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const head = `--edge\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`
  return Buffer.concat([Buffer.from(texts.join('') + head), bytes, Buffer.from('\r\n--edge--\r\n')])
}
const FORM = { 'content-type': 'multipart/form-data; boundary=edge' }

onEachDatabase('the asset processors', (kind) => {
  let folder: string
  let database: Database
  let objects: ObjectStore
  let app: FastifyInstance
  let closing: ReturnType<typeof createClosingList>
  beforeEach(async () => {
    folder = await temporaryFolder('assets')
    database = await openDatabase(await kind.fresh())
  })
  afterEach(async () => {
    await app.close()
    await closing.closeAll()
    await database.close()
  })

  function start(env: Record<string, string> = {}, quotaBytes = 100 * MIB): void {
    closing = createClosingList()
    const logger = createLogger('test', 'silent')
    const tokens = { ASSET_WORKER_API_TOKEN: 'worker-token', ASSET_BAKER_API_TOKEN: 'baker-token' }
    const guarded = guardedServer({ ...tokens, ...env })
    app = guarded.app
    objects = new ObjectStore({
      database,
      bytes: folderBytes(folder),
      incoming: join(folder, '.incoming'),
      settings: { buckets: ['default'], quotaBytes },
    })
    registerStorageRoutes(app, objects, 10 * MIB)
    openAssets({ app, objects, settings: readAssetSettings(guarded.reader), logger, closing })
    expect(guarded.reader.problems).toEqual([])
  }

  const post = async (url: string, token: string, payload: Buffer | object, headers: Record<string, string> = {}) => {
    const answer = await app.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${token}`, ...(Buffer.isBuffer(payload) ? FORM : {}), ...headers },
      payload,
    })
    return { status: answer.statusCode, body: answer.json<Answer>(), headers: answer.headers }
  }
  const bake = (bytes: Uint8Array, fields?: Record<string, string>) =>
    post('/asset-baker/assets/bake', 'baker-token', form(bytes, fields))
  const left = () => readdirSync(join(folder, '.incoming'))

  it('bakes an uploaded model and returns it by its SHA-256', async () => {
    start()
    const file = await glbOf(sphere({ rings: 100, segments: 100, texture: await picture(64, '#c08040') }))
    const { status, body } = await bake(file, { target_tris: '5000', canonical_size: '2', mode: 'bake' })
    expect([status, body]).toEqual([
      200,
      {
        status: 'succeeded',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        artifact: {
          storage: 'local',
          bucket: 'asset-baker',
          key: `${body.sha256}.glb`,
          content_type: 'model/gltf-binary',
          size_bytes: expect.any(Number),
        },
        download_url: `http://localhost:80/asset-baker/assets/artifacts/${body.sha256}.glb`,
        textures: [],
        summary: {
          mode: 'bake',
          faces_in: 19_800,
          tris_out: expect.any(Number),
          tex_size: 64,
          color_mean: expect.closeTo(0.502, 2),
          duration_s: expect.any(Number),
        },
      },
    ])
    expect(body.summary.tris_out).toBeLessThanOrEqual(5000)
    const url = new URL(body.download_url).pathname
    const stored = await app.inject({ url, headers: { authorization: 'Bearer baker-token' } })
    expect([stored.statusCode, stored.headers['content-type'], sha256(stored.rawPayload)]).toEqual([
      200,
      'model/gltf-binary',
      body.sha256,
    ])
    expect(await gltfErrors(stored.rawPayload)).toEqual([])
    expect(left()).toEqual([])
    // The same again: one artifact.
    expect((await bake(file, { target_tris: '5000', canonical_size: '2' })).body.sha256).toBe(body.sha256)
    expect(await objects.usedBytes()).toBe(body.artifact.size_bytes)
  })

  it('refuses a result over the storage quota', async () => {
    start({}, 1000)
    const { status, body } = await bake(await glbOf(sphere(SMALL)))
    expect([status, body]).toEqual([413, { detail: 'The result would exceed the storage quota (STORAGE_QUOTA_BYTES)' }])
    expect(left()).toEqual([])
  })

  it('removes results that are older than seven days, unless they are made again', async () => {
    start()
    const { body } = await bake(await glbOf(sphere(SMALL)))
    const key = `${body.sha256}.glb`
    await objects.removeOlder('asset-baker', Date.now() - 1000)
    expect(await objects.find('asset-baker', key)).not.toBeNull()
    await objects.removeOlder('asset-baker', Date.now() + 1)
    expect([await objects.find('asset-baker', key), await objects.usedBytes()]).toEqual([null, 0])
    const { status } = await app
      .inject({
        url: `/asset-baker/assets/artifacts/${key}`,
        headers: { authorization: 'Bearer baker-token' },
      })
      .then(({ statusCode }) => ({ status: statusCode }))
    expect(status).toBe(404)
  })

  // One database shows the rest: it stores nothing, or one object as storage.test.ts does on both.
  if (kind.name === 'PostgreSQL') return

  it('post-processes a stored object by its name', async () => {
    start()
    const file = await glbOf(sphere(SMALL))
    await post('/storage/upload', 'operator-token', form(file, {}, 'ball.glb'))
    const ref = async (bucket: string, key: string, params: object = {}) =>
      post('/asset-worker/gltf/postprocess/ref', 'worker-token', { input: { bucket, key }, params })
    const done = await ref('default', 'ball.glb', { target_height_m: 1.8, meshopt: true })
    expect([done.status, done.body.normalization, done.body.optimization]).toEqual([
      200,
      { up_axis: 'keep', base_y: 0, normalize_axis: 'height', target_height_m: 1.8 },
      { simplify_ratio: null, meshopt: true, draco: false, ktx2: false },
    ])
    expect((await ref('default', 'none.glb')).status).toBe(404)
    expect((await ref('asset-baker', 'ball.glb')).body).toEqual({
      detail: 'Input bucket is not allowed: name one of STORAGE_BUCKETS',
    })
    expect((await ref('default', 'ball.glb', { draco: true })).body.detail).toEqual([
      {
        loc: ['body', 'draco'],
        msg: 'Compression by Draco is not supported: expected false',
        type: 'invalid_value',
      },
    ])
    expect(left()).toEqual([])
  })

  it('opens to its own token and the operator only, and not without a token; health is open', async () => {
    start({ ASSET_WORKER_API_TOKEN: '' })
    const file = form(await glbOf(sphere(SMALL)))
    const statuses = async (url: string) =>
      Promise.all(
        ['wrong', 'worker-token', 'operator-token'].map(async (token) => (await post(url, token, file)).status),
      )
    expect(await statuses('/asset-worker/gltf/postprocess')).toEqual([503, 503, 503])
    const foreign = await post('/asset-baker/assets/bake', 'worker-token', file)
    expect([foreign.status, (await post('/asset-baker/assets/bake', 'operator-token', file)).status]).toEqual([
      401, 200,
    ])
    for (const prefix of ['/asset-worker', '/asset-baker']) {
      const health = await app.inject({ url: `${prefix}/health` })
      expect([health.statusCode, health.json()]).toEqual([200, { status: 'ok', concurrency: 1, under_way: 0 }])
    }
  })

  it('refuses what is no model with what is wrong, and keeps nothing of it', async () => {
    start({ ASSET_BAKER_MAX_UPLOAD_MB: '1' })
    const file = await glbOf(sphere(SMALL))
    const answers = {
      'another name': await post('/asset-baker/assets/bake', 'baker-token', form(file, {}, 'model.obj')),
      empty: await bake(new Uint8Array()),
      'no GLB': await bake(Buffer.from('PK'.padEnd(200))),
      'too dark': await bake(await glbOf(sphere({ ...SMALL, texture: await picture(8, '#000') }))),
      'too large': await bake(new Uint8Array(MIB + 1)),
      JSON: await post('/asset-baker/assets/bake', 'baker-token', { a: 1 }),
      'a field too many': await bake(file, { colour: 'red' }),
      'a value out of range': await bake(file, { target_tris: '0x10' }),
      'a long value': await bake(file, { mode: 'skip'.repeat(1000) }),
    }
    expect(
      Object.fromEntries(Object.entries(answers).map(([name, { status, body }]) => [name, [status, body.detail]])),
    ).toEqual({
      'another name': [400, 'Input must be a GLB file: expected a name that ends in .glb'],
      empty: [400, 'upload is empty'],
      'no GLB': [422, 'The file is no GLB file: expected binary glTF 2.0'],
      'too dark': [
        422,
        'The model is too dark: its mean brightness is 0.000, at least 0.05 is required (ASSET_BAKER_BRIGHTNESS_MIN)',
      ],
      'too large': [413, `upload exceeds ${MIB} byte limit`],
      JSON: [415, 'A multipart body with the part "file" is required'],
      'a field too many': [422, [expect.objectContaining({ loc: ['body', 'colour'] })]],
      'a value out of range': [422, [expect.objectContaining({ loc: ['body', 'target_tris'] })]],
      'a long value': [422, [expect.objectContaining({ loc: ['body', 'mode'] })]],
    })
    expect([left(), await objects.usedBytes()]).toEqual([[], 0])
  })

  it('answers 429 before the body is read while a model is under way, and takes the next one after it', async () => {
    start()
    const file = await glbOf(sphere({ rings: 400, segments: 400 }))
    const first = bake(file)
    await vi.waitFor(
      async () => {
        expect((await app.inject({ url: '/asset-baker/health' })).json()).toMatchObject({ under_way: 1 })
      },
      { timeout: 15_000 },
    )
    const { port } = await listen(app, '127.0.0.1', 0)
    // Nothing of its body is sent.
    const second = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/asset-baker/assets/bake',
      headers: { authorization: 'Bearer baker-token', ...FORM, 'content-length': 1000 },
    })
    second.flushHeaders()
    const [answer] = (await once(second, 'response')) as [IncomingMessage]
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '5'])
    second.on('error', () => undefined).destroy()
    // The other processor has places of its own.
    const worker = await post('/asset-worker/gltf/postprocess', 'worker-token', form(await glbOf(sphere(SMALL))))
    expect([worker.status, (await first).status]).toEqual([200, 200])
    expect((await bake(await glbOf(sphere(SMALL)))).status).toBe(200)
  })

  it('kills the work at its deadline with 504, and is free again', async () => {
    start({ ASSET_BAKER_TIMEOUT_SECONDS: '0.3' })
    const { status, body } = await bake(await glbOf(sphere({ rings: 300, segments: 300 })))
    expect([status, body]).toEqual([504, { detail: 'The asset baker did not finish within 0.3 seconds' }])
    await vi.waitFor(
      async () => {
        expect((await app.inject({ url: '/asset-baker/health' })).json()).toMatchObject({ under_way: 0 })
      },
      { timeout: 15_000 },
    )
    expect([left(), await objects.usedBytes()]).toEqual([[], 0])
  })
})
