import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HOSTED, LOCAL, MediaPlatform, OTHER_ID, tasksOf, type Body } from '../../../../tests/helpers/media-platform.ts'
import { USER_ID } from '../../../../tests/helpers/user-token.ts'
import { onEachDatabase } from '../../../../tests/helpers/platform-databases.ts'
import { createEnvReader } from '../../../kit/env-reader.ts'
import { BudgetLedger } from './budget-ledger.ts'
import { pruneMedia } from './media-part.ts'
import { readMediaSettings } from './media-settings.ts'
import { OperationStore } from './operation-store.ts'
import { ARTIFACTS } from './run-operation.ts'

onEachDatabase('media operations', (kind) => {
  let platform: MediaPlatform
  beforeEach(async () => {
    platform = await MediaPlatform.create(await kind.fresh())
  })
  afterEach(async () => platform.close())

  const requestOf = async (id: string): Promise<unknown> =>
    (
      await platform.database.all<{ provider_id: string }>('SELECT provider_id FROM media_operations WHERE id = ?', [
        id,
      ])
    )[0]!.provider_id

  describe('the local provider', () => {
    it('has ComfyUI draw the picture and keeps it with checkpoint and seed', async () => {
      await platform.start()
      const started = await platform.generate(LOCAL)
      expect(started).toMatchObject({ status: 200, body: { status: 'queued', cost_usd: null, artifact_url: null } })
      const id = String(started.body['operation_id'])
      await platform.reached(id, 'succeeded')
      const done = await platform.show(id)
      const [prompt] = platform.comfyUi.prompts
      expect(done).toMatchObject({
        provider: 'local',
        model: 'harbour.safetensors',
        modality: 'image',
        cost_usd: 0,
        license: null,
        user_id: USER_ID,
        provenance: {
          provider: 'local',
          model: 'harbour.safetensors',
          request_id: prompt!.id,
          seed: expect.any(Number) as number,
        },
        artifacts: [{ media_type: 'image/png', width: 96, height: 64 }],
      })
      const texts = Object.values(prompt!.graph).flatMap(({ inputs }) => inputs['text'] ?? [])
      expect(texts).toEqual(['A harbour at dusk', ''])
      const path = new URL(String(done['artifact_url'])).pathname
      const file = await platform.app.inject({ url: path, headers: { authorization: `Bearer ${platform.mine}` } })
      expect(file.headers['content-type']).toBe('image/png')
      expect(await sharp(file.rawPayload).metadata()).toMatchObject({ format: 'png', width: 96, height: 64 })
      expect(
        (await platform.app.inject({ url: path, headers: { authorization: `Bearer ${platform.others}` } })).statusCode,
      ).toBe(404)

      const pixels = async (payload: object) => {
        const next = await platform.begin(payload)
        await platform.reached(next, 'succeeded')
        return ((await platform.show(next))['artifacts'] as Body[])[0]!['sha256']
      }
      const [first] = done['artifacts'] as Body[]
      expect(await pixels(LOCAL)).toBe(first!['sha256'])
      expect(await pixels({ ...LOCAL, input: { ...LOCAL.input, seed: 1 } })).not.toBe(first!['sha256'])
    })

    it('interrupts what ComfyUI draws, removes what waits from its queue, and does both at a deadline', async () => {
      platform.comfyUi.behaviour.drawsAfterMs = 1e6
      await platform.start()
      const ids = [await platform.begin(LOCAL), await platform.begin(LOCAL), await platform.begin(LOCAL)]
      for (const id of ids) await platform.reached(id, 'running')
      // In the order in which ComfyUI got them.
      const places = await Promise.all(ids.map(async (id) => [id, await requestOf(id)] as const))
      const inOrder = platform.comfyUi.prompts.map(({ id }) => places.find(([, request]) => request === id)![0])
      const [drawn, second, third] = inOrder as [string, string, string]
      expect((await platform.cancel(second)).body['status']).toBe('cancellation_requested')
      await platform.reached(second, 'cancelled')
      expect(platform.comfyUi.calls).not.toContain('POST /interrupt')
      await platform.database.run('UPDATE media_operations SET deadline_ms = 1 WHERE id = ?', [third])
      await platform.reached(third, 'timeout')
      expect(platform.comfyUi.prompts.map(({ state }) => state)).toEqual(['running'])
      await platform.cancel(drawn)
      await platform.reached(drawn, 'cancelled')
      expect(platform.comfyUi.prompts.map(({ state }) => state)).toEqual(['interrupted'])
      expect(await platform.show(drawn)).toMatchObject({ cost_usd: 0, error: 'cancelled' })
    })

    it('reports what ComfyUI refuses, and where it fails', async () => {
      await platform.start()
      const unknown = await platform.begin({ ...LOCAL, model: 'no-such.safetensors' })
      await platform.reached(unknown, 'failed')
      expect((await platform.show(unknown))['error']).toBe(
        'ComfyUI refused the request: Prompt outputs failed validation; Value not in list',
      )
      platform.comfyUi.behaviour.outcome = 'error'
      const failed = await platform.begin(LOCAL)
      await platform.reached(failed, 'failed')
      expect((await platform.show(failed))['error']).toBe('ComfyUI reports a failure in its step KSampler')
    })

    it('waits for a ComfyUI that is not there, until the deadline', async () => {
      await platform.start({ COMFYUI_URL: 'http://127.0.0.1:9' })
      const id = await platform.begin({ ...LOCAL, timeout_seconds: 1 })
      await platform.reached(id, 'timeout')
      expect(await platform.show(id)).toMatchObject({ cost_usd: 0, error: 'not submitted within its timeout_seconds' })
    })

    it('cancels at once what has not begun', async () => {
      await platform.start()
      await platform.stopWork()
      const id = await platform.begin(LOCAL)
      expect((await platform.cancel(id)).body).toMatchObject({ status: 'cancelled', cost_usd: 0 })
    })

    it('answers 503 with the reason where no ComfyUI is named, and draws nothing by itself', async () => {
      await platform.start({ COMFYUI_URL: '' })
      expect(await platform.generate(LOCAL)).toMatchObject({
        status: 503,
        body: { detail: 'The media provider "local" has no image service: set COMFYUI_URL to a ComfyUI server' },
      })
      await platform.stop()
      await platform.start({ COMFYUI_CHECKPOINT: '' })
      expect((await platform.generate(LOCAL)).status).toBe(400)
      expect((await platform.generate({ ...LOCAL, model: platform.comfyUi.checkpoint })).status).toBe(200)
    })
  })

  it('operations, artifacts and jobs that ended long ago are removed, open ones are not', async () => {
    await platform.start()
    const ended = await platform.begin(LOCAL)
    await platform.reached(ended, 'succeeded')
    platform.provider.behaviour.completesAfterMs = 1e9
    const open = await platform.begin(HOSTED)
    await platform.reached(open, 'running')
    const artifact = { name: `${ended}-1.png` }
    const object = (await platform.objects.find(ARTIFACTS, artifact.name))!
    const isStored = async () =>
      platform.objects.read(object).then(
        (stream) => {
          stream.destroy()
          return true
        },
        () => false,
      )
    const operations = new OperationStore(
      platform.database,
      new BudgetLedger(platform.database, readMediaSettings(createEnvReader({})).budget),
    )
    const tasks = tasksOf(platform.database)
    await pruneMedia({ operations, objects: platform.objects, tasks }, Date.now() - 60_000)
    expect([(await operations.get(ended)) === null, await isStored()]).toEqual([false, true])
    await pruneMedia({ operations, objects: platform.objects, tasks }, Date.now() + 60_000)
    expect([await operations.get(ended), await tasks.get(ended), await isStored()]).toEqual([null, null, false])
    expect((await operations.get(open))?.status).toBe('running')
  })

  it('ownership hides operations of another user, on every route and as a job', async () => {
    await platform.start()
    const id = await platform.begin(LOCAL)
    for (const [method, url] of [
      ['GET', `/media/operations/${id}`],
      ['POST', `/media/operations/${id}/cancel`],
      ['GET', `/jobs/${id}`],
    ] as const)
      expect([
        url,
        (await platform.ask(method, url, method === 'POST' ? {} : undefined, platform.others)).status,
      ]).toEqual([url, 404])
    expect((await platform.ask('GET', '/media/operations', undefined, platform.others)).body).toEqual({
      operations: [],
    })
    expect((await platform.ask('GET', `/media/operations?user_id=${USER_ID}`, undefined, platform.others)).status).toBe(
      403,
    )
    expect((await platform.ask('GET', `/jobs/${id}`, undefined, 'workflow-token')).status).toBe(404)
    expect((await platform.ask('GET', `/media/operations/${id}`, undefined, 'workflow-token')).status).toBe(403)
    expect(
      (await platform.ask('GET', '/media/operations', undefined, 'operator-token')).body['operations'],
    ).toHaveLength(1)
    expect((await platform.generate({ ...LOCAL, user_id: 'root' }, 'operator-token')).status).toBe(400)
    expect((await platform.generate({ ...LOCAL, user_id: OTHER_ID })).status).toBe(403)
  })

  describe('a request', () => {
    it.each([
      [{}, 422],
      [{ ...LOCAL, extra: 1 }, 422],
      [{ ...LOCAL, modality: 'video' }, 400],
      [{ ...LOCAL, model: '../other' }, 400],
      [{ ...LOCAL, input: { prompt: 'x', width: 63 } }, 400],
      [{ ...LOCAL, input: { prompt: 'x', height: 4097 } }, 400],
      [{ ...LOCAL, input: { prompt: 'x', steps: 0 } }, 400],
      [{ ...LOCAL, timeout_seconds: 0 }, 422],
      [{ ...LOCAL, timeout_seconds: 3601 }, 422],
      [{ ...LOCAL, consumer: 'a:b' }, 422],
      [{ ...HOSTED, model: undefined }, 400],
      [{ ...HOSTED, model: 'fal-ai/../admin' }, 400],
      [{ ...HOSTED, model: 'fal-ai' }, 400],
      [{ ...HOSTED, input: { num_images: 17 } }, 400],
      [{ ...HOSTED, input: { image_url: 'data:text/html;base64,PGI+' } }, 400],
      [{ ...HOSTED, input: { image_url: 'data:image/png;base64,#' } }, 400],
      [{ ...HOSTED, input: { list: [{ image_url: 'data:image/png;base64,AAAA' }] } }, 400],
    ])('%j is refused with %i', async (payload, status) => {
      await platform.start()
      expect((await platform.generate(payload)).status).toBe(status)
    })

    it('may carry images of the accepted size, by bytes and by pixels', async () => {
      const image_url = `data:image/png;base64,${platform.png.toString('base64')}`
      const payload = { ...HOSTED, input: { prompt: 'x', nested: { image_url } } }
      await platform.start({ MEDIA_INPUT_MAX_BYTES: `${platform.png.length}`, MEDIA_INPUT_MAX_PIXELS: '12' })
      expect((await platform.generate(payload)).status).toBe(200)
      await platform.stop()
      await platform.start({ MEDIA_INPUT_MAX_BYTES: `${platform.png.length - 1}` })
      expect(await platform.generate(payload)).toMatchObject({
        status: 413,
        body: { detail: expect.stringContaining('MEDIA_INPUT_MAX_BYTES') as string },
      })
      await platform.stop()
      await platform.start({ MEDIA_INPUT_MAX_PIXELS: '11' })
      expect(await platform.generate(payload)).toMatchObject({
        status: 413,
        body: { detail: expect.stringContaining('4 × 3 pixels') as string },
      })
    })

    it('has at most MEDIA_REQUEST_MAX_BYTES, which is more than other JSON bodies have', async () => {
      await platform.start({ MEDIA_REQUEST_MAX_BYTES: '300' })
      expect((await platform.generate({ ...LOCAL, input: { prompt: 'x'.repeat(400) } })).status).toBe(413)
      expect((await platform.generate(LOCAL)).status).toBe(200)
    })

    it('for a disabled provider is refused, and the other one goes on', async () => {
      await platform.start({ MEDIA_FAL_ENABLED: 'false' })
      expect(await platform.generate(HOSTED)).toMatchObject({
        status: 503,
        body: { detail: expect.stringContaining('MEDIA_FAL_ENABLED') as string },
      })
      expect((await platform.generate(LOCAL)).status).toBe(200)
      await platform.stop()
      await platform.start({ MEDIA_LOCAL_ENABLED: 'false' })
      expect((await platform.generate(LOCAL)).status).toBe(503)
      expect((await platform.generate(HOSTED)).status).toBe(200)
    })
  })
})
