import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MediaPlatform, type Body } from '../../../../tests/helpers/media-platform.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'

let platform: MediaPlatform
beforeEach(async () => {
  platform = await MediaPlatform.create(join(await temporaryFolder('images'), 'platform.sqlite'))
})
afterEach(async () => platform.close())

const SMALL = { prompt: 'A harbour at dusk', width: 96, height: 64, seed: 7 }
const generate = async (payload: object, token?: string) => platform.ask('POST', '/imagegen/generate', payload, token)
const image = async (name: string, token = platform.mine) =>
  platform.app.inject({ url: `/imagegen/image/${name}`, headers: { authorization: `Bearer ${token}` } })
const imagesOf = (body: Body) => (body['data'] as { images: { filename: string; url: string }[] }).images

describe('an image', () => {
  it('is drawn while the caller waits, and is served under its file name to its owner only', async () => {
    await platform.start()
    const { status, body } = await generate(SMALL)
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        prompt_id: expect.any(String) as string,
        client_id: expect.any(String) as string,
        message: expect.stringContaining('harbour.safetensors') as string,
        data: {
          status: 'succeeded',
          images: [{ filename: `${String(body['prompt_id'])}-1.png`, url: expect.any(String) as string }],
        },
        error: null,
      },
    ])
    const [{ filename, url }] = imagesOf(body) as [{ filename: string; url: string }]
    expect(new URL(url).pathname).toBe(`/imagegen/image/${filename}`)
    const file = await image(filename)
    expect([file.statusCode, file.headers['content-type'], file.headers['x-content-type-options']]).toEqual([
      200,
      'image/png',
      'nosniff',
    ])
    expect(await sharp(file.rawPayload).metadata()).toMatchObject({ format: 'png', width: 96, height: 64 })
    expect((await image(filename, platform.others)).statusCode).toBe(404)
    expect((await image(filename, 'workflow-token')).statusCode).toBe(200)
    // The same operation as `/media` shows.
    expect(await platform.show(String(body['prompt_id']))).toMatchObject({ status: 'succeeded', consumer: 'atlas' })
  })

  it('is drawn later for a caller that does not wait', async () => {
    await platform.start()
    const { status, body } = await generate({ ...SMALL, wait_for_completion: false })
    expect([status, body['success'], imagesOf(body)]).toEqual([200, true, []])
    const id = String(body['prompt_id'])
    await platform.reached(id, 'succeeded')
    expect((await image(`${id}-1.png`)).statusCode).toBe(200)
  })

  it('that is not finished in time is a 504 with its prompt id, and can be fetched afterwards', async () => {
    platform.comfyUi.behaviour.drawsAfterMs = 200
    await platform.start()
    const { status, body } = await generate({ ...SMALL, timeout_seconds: 0.001 })
    expect([status, body]).toEqual([
      504,
      {
        detail: { message: 'The image was not finished within 0.001 seconds', prompt_id: expect.any(String) as string },
      },
    ])
    const { prompt_id: id } = body['detail'] as { prompt_id: string }
    await platform.reached(id, 'succeeded')
    expect((await image(`${id}-1.png`)).statusCode).toBe(200)
  })

  it('has the deadline of IMAGEGEN_COMPLETION_TIMEOUT_SECONDS, whatever a caller asks for', async () => {
    platform.comfyUi.behaviour.drawsAfterMs = 1e6
    await platform.start({ IMAGEGEN_COMPLETION_TIMEOUT_SECONDS: '0.01' })
    const { status, body } = await generate({ ...SMALL, timeout_seconds: 3600 })
    expect([status, (body['detail'] as Body)['message']]).toEqual([
      504,
      'The image was not finished within 0.01 seconds',
    ])
    await platform.reached(String((body['detail'] as Body)['prompt_id']), 'timeout')
  })

  it('that cannot be made is a 502 with its prompt id', async () => {
    await platform.start()
    platform.objects.add = async () => 'over_quota'
    const { status, body } = await generate(SMALL)
    expect([status, body['detail']]).toEqual([
      502,
      { message: expect.stringContaining('STORAGE_QUOTA_BYTES') as string, prompt_id: expect.any(String) as string },
    ])
  })

  it('larger than IMAGEGEN_MAX_IMAGE_BYTES is not fetched, and not sent when it was fetched before', async () => {
    await platform.start({ IMAGEGEN_MAX_IMAGE_BYTES: '100' })
    const refused = await generate(SMALL)
    expect([refused.status, refused.body['detail']]).toEqual([
      502,
      expect.objectContaining({ message: 'The image was not made: A generated file exceeds 100 bytes' }),
    ])
    await platform.stop()
    await platform.start()
    const { body } = await generate(SMALL)
    await platform.stop()
    await platform.start({ IMAGEGEN_MAX_IMAGE_BYTES: '100' })
    const answer = await image(imagesOf(body)[0]!.filename)
    expect([answer.statusCode, answer.json<Body>()['detail']]).toEqual([
      502,
      'The image exceeds 100 bytes (IMAGEGEN_MAX_IMAGE_BYTES)',
    ])
  })

  it('is not drawn where the local provider is disabled', async () => {
    await platform.start({ MEDIA_LOCAL_ENABLED: 'false' })
    expect((await generate(SMALL)).status).toBe(503)
    await platform.stop()
    await platform.start({ COMFYUI_URL: '' })
    expect(await generate(SMALL)).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining('COMFYUI_URL') as string },
    })
  })
})

describe('invalid fields', () => {
  it.each([
    ['prompt', { prompt: ' ' }],
    ['prompt', { prompt: undefined }],
    ['width', { width: 63 }],
    ['width', { width: 4097 }],
    ['height', { height: 63 }],
    ['height', { height: 100.5 }],
    ['steps', { steps: 0 }],
    ['steps', { steps: 151 }],
    ['cfg', { cfg: -0.1 }],
    ['cfg', { cfg: 30.1 }],
    ['seed', { seed: -1 }],
    ['checkpoint', { checkpoint: 'x'.repeat(201) }],
    ['timeout_seconds', { timeout_seconds: 0 }],
    ['timeout_seconds', { timeout_seconds: 3601 }],
  ])('%s as in %j is a 400 that names it', async (field, change) => {
    await platform.start()
    const { status, body } = await generate({ ...SMALL, ...change })
    expect([status, body['detail']]).toEqual([400, expect.stringContaining(`${field}: `)])
  })

  it('takes the bounds themselves, and ignores fields that it does not know', async () => {
    await platform.start()
    const bounds = {
      steps: 150,
      cfg: 30,
      width: 64,
      height: 64,
      checkpoint: 'harbour.safetensors',
      timeout_seconds: 3600,
    }
    expect((await generate({ ...SMALL, ...bounds, sampler: 'euler' })).status).toBe(200)
    expect((await generate({ ...SMALL, steps: 1, cfg: 0, seed: null, checkpoint: null })).status).toBe(200)
    expect((await generate({ prompt: 'wide', width: 4096, height: 64 })).status).toBe(200)
  })

  it('a body that is no JSON object is a 400', async () => {
    await platform.start()
    for (const payload of ['{', '[]', '"x"', 'null', '']) {
      const answer = await platform.app.inject({
        method: 'POST',
        url: '/imagegen/generate',
        headers: { authorization: `Bearer ${platform.mine}`, 'content-type': 'application/json' },
        payload,
      })
      expect([payload, answer.statusCode]).toEqual([payload, 400])
    }
  })

  it.each(['..', '.hidden', 'a%2fb', 'a%5cb', 'a%00', 'a%20b', 'a'.repeat(201)])(
    'the file name %s is refused',
    async (name) => {
      await platform.start()
      expect([400, 404, 414]).toContain((await image(name)).statusCode)
    },
  )

  it('an upload of the same name in another bucket is no image', async () => {
    await platform.start()
    expect((await image('unknown.png')).statusCode).toBe(404)
  })
})
