import { readdirSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BUDGET, HOSTED, MediaPlatform, MODEL } from '../../../../tests/helpers/media-platform.ts'
import { openDatabase } from '../../../../tests/helpers/database-address.ts'
import { onEachDatabase } from '../../../../tests/helpers/platform-databases.ts'
import { createEnvReader } from '../../../kit/env-reader.ts'
import { BudgetLedger } from './budget-ledger.ts'
import { readMediaSettings } from './media-settings.ts'
import { OperationStore } from './operation-store.ts'

onEachDatabase('hosted media operations', (kind) => {
  let platform: MediaPlatform
  let address: string
  beforeEach(async () => {
    address = await kind.fresh()
    platform = await MediaPlatform.create(address)
  })
  afterEach(async () => platform.close())

  describe('the hosted provider', () => {
    it('submits once, waits, keeps the image and commits its cost', async () => {
      await platform.start(BUDGET)
      platform.provider.behaviour.completesAfterMs = 60
      const id = await platform.begin(HOSTED)
      expect(await platform.account()).toEqual([0, 0.003, 0])
      await platform.reached(id, 'succeeded')
      expect(platform.provider.requests).toMatchObject([{ model: MODEL, input: { prompt: 'A harbour at dusk' } }])
      expect(new Set(platform.provider.keys)).toEqual(new Set(['Key the-key']))
      expect(await platform.show(id)).toMatchObject({
        cost_usd: 0.003,
        license: 'Apache-2.0',
        provenance: { request_id: platform.provider.requests[0]!.id },
        artifacts: [{ media_type: 'image/png', width: 4, height: 3, size_bytes: platform.png.length }],
        raw: { seed: 7 },
      })
      expect(await platform.account()).toEqual([0.003, 0, 0])
    })

    it('charges each image, and reserves for as many as were asked for', async () => {
      await platform.start(BUDGET)
      platform.provider.behaviour.files.push({ bytes: platform.png, type: 'image/png' })
      platform.provider.behaviour.completesAfterMs = 50
      const id = await platform.begin({ ...HOSTED, input: { prompt: 'x', num_images: 3 } })
      expect(await platform.account()).toEqual([0, 0.009, 0])
      await platform.reached(id, 'succeeded')
      expect(await platform.account()).toEqual([0.006, 0, 0])
      expect((await platform.show(id))['artifacts']).toHaveLength(2)
    })

    it('keeps a cancellation open, and the money reserved, until the provider confirms it', async () => {
      await platform.start(BUDGET)
      Object.assign(platform.provider.behaviour, { completesAfterMs: 1e9, cancel: 'ignore' })
      const id = await platform.begin(HOSTED)
      await platform.reached(id, 'running')
      expect(await platform.cancel(id)).toMatchObject({ status: 202, body: { status: 'cancellation_requested' } })
      expect((await platform.cancel(id)).status).toBe(409)
      await vi.waitFor(() => expect(platform.provider.requests[0]!.cancels).toBeGreaterThan(1), { timeout: 15_000 })
      expect((await platform.show(id))['status']).toBe('cancellation_requested')
      expect(await platform.account()).toEqual([0, 0.003, 0])
      platform.provider.behaviour.cancel = 'confirm'
      await platform.reached(id, 'cancelled')
      expect(await platform.account()).toEqual([0, 0, 0])
      expect((await platform.cancel(id)).status).toBe(409)
    })

    it.each([
      ['late' as const, 'succeeded', [0.003, 0, 0]],
      ['remove' as const, 'cancelled', [0, 0, 0]],
    ])('a cancellation that the provider answers with %s ends as %s', async (how, status, expected) => {
      await platform.start(BUDGET)
      Object.assign(platform.provider.behaviour, { completesAfterMs: 1e9, cancel: how })
      const id = await platform.begin(HOSTED)
      await platform.reached(id, 'running')
      await platform.cancel(id)
      await platform.reached(id, status)
      expect(await platform.account()).toEqual(expected)
    })

    it('cancels at the provider what is not finished in time, and ends as timeout', async () => {
      await platform.start(BUDGET)
      platform.provider.behaviour.completesAfterMs = 1e9
      const id = await platform.begin({ ...HOSTED, timeout_seconds: 1 })
      await platform.reached(id, 'timeout')
      expect(platform.provider.requests[0]!.cancels).toBe(1)
      expect(await platform.account()).toEqual([0, 0, 0])
    })

    it.each([422, 401])('a submission that is refused with %i has failed and costs nothing', async (code) => {
      await platform.start(BUDGET)
      platform.provider.behaviour.submit = code
      const id = await platform.begin(HOSTED)
      await platform.reached(id, 'failed')
      expect(await platform.account()).toEqual([0, 0, 0])
    })

    it('tries again where the provider certainly has not taken the request', async () => {
      await platform.start(BUDGET)
      platform.provider.behaviour.submit = 429
      const id = await platform.begin(HOSTED)
      await vi.waitFor(() => expect(platform.provider.keys.length).toBeGreaterThan(1), { timeout: 15_000 })
      platform.provider.behaviour.submit = 'accept'
      await platform.reached(id, 'succeeded')
      expect(platform.provider.requests).toHaveLength(1)
    })

    it.each([['drop' as const], [500]])(
      'never repeats a submission whose outcome is unknown (%s), and keeps its reservation for a person',
      async (how) => {
        await platform.start(BUDGET)
        platform.provider.behaviour.submit = how
        const ids = [await platform.begin(HOSTED), await platform.begin(HOSTED)]
        for (const id of ids) await platform.reached(id, 'submission_unknown')
        const calls = platform.provider.keys.length
        expect(calls).toBe(2)
        expect(await platform.account()).toEqual([0, 0.006, 2])
        expect((await platform.cancel(ids[0]!)).status).toBe(409)
        expect((await platform.reconcile(ids[0]!, { outcome: 'commit' }, platform.mine)).status).toBe(403)
        expect((await platform.reconcile(ids[0]!, { outcome: 'release', final_cost_usd: 1 })).status).toBe(400)
        const committed = await platform.reconcile(ids[0]!, { outcome: 'commit', final_cost_usd: 0.002 })
        expect(committed.body).toMatchObject({ status: 'failed', cost_usd: 0.002 })
        expect((await platform.reconcile(ids[1]!, { outcome: 'release' })).body).toMatchObject({
          status: 'failed',
          cost_usd: 0,
        })
        expect((await platform.reconcile(ids[1]!, { outcome: 'commit' })).status).toBe(409)
        expect(await platform.account()).toEqual([0.002, 0, 0])
        expect(platform.provider.keys).toHaveLength(calls)
      },
    )

    it('goes on where a process stopped, without a second submission', async () => {
      await platform.start(BUDGET)
      platform.provider.behaviour.completesAfterMs = 1e9
      const id = await platform.begin(HOSTED)
      await platform.reached(id, 'running')
      await platform.stop()
      platform.provider.behaviour.completesAfterMs = 0
      await platform.start(BUDGET)
      await platform.reached(id, 'succeeded')
      expect(platform.provider.requests).toHaveLength(1)
      expect(await platform.account()).toEqual([0.003, 0, 0])
    })

    it('waits while the provider cannot be asked, and reports its failure without its words', async () => {
      await platform.start(BUDGET)
      Object.assign(platform.provider.behaviour, { completesAfterMs: 1e9, stateStatus: 503 })
      const id = await platform.begin(HOSTED)
      await vi.waitFor(() => expect(platform.provider.keys.length).toBeGreaterThan(2), { timeout: 15_000 })
      expect((await platform.show(id))['status']).toBe('running')
      expect((await platform.reconcile(id, { outcome: 'release' })).status).toBe(409)
      platform.provider.requests[0]!.state = 'failed'
      platform.provider.behaviour.stateStatus = null
      await platform.reached(id, 'failed')
      expect(JSON.stringify(await platform.show(id))).not.toContain('secret.test')
      expect(await platform.account()).toEqual([0, 0, 0])
    })

    it.each([
      ['on a foreign server', { url: 'http://169.254.169.254/x', type: 'image/png' }, 'not on the provider'],
      ['that is no image', { bytes: Buffer.from('<script>'), type: 'image/png' }, 'not an image'],
      ['that is too large', { bytes: Buffer.alloc(3000), type: 'image/png' }, 'exceeds 2000 bytes'],
    ])('keeps no file %s; the work was done, so its cost counts', async (_name, file, message) => {
      await platform.start({ ...BUDGET, IMAGEGEN_MAX_IMAGE_BYTES: '2000' })
      platform.provider.behaviour.files = [{ bytes: platform.png, ...file }]
      const id = await platform.begin(HOSTED)
      await platform.reached(id, 'failed')
      expect((await platform.show(id))['error']).toContain(message)
      expect(await platform.account()).toEqual([0.003, 0, 0])
      expect(readdirSync(platform.objects.incoming)).toEqual([])
    })

    it('keeps a video under its own limit', async () => {
      await platform.start()
      Object.assign(platform.provider.behaviour, {
        kind: 'video',
        files: [{ bytes: Buffer.alloc(5000, 1), type: 'video/mp4' }],
      })
      const id = await platform.begin({ ...HOSTED, modality: 'video' })
      await platform.reached(id, 'succeeded')
      expect((await platform.show(id))['artifacts']).toMatchObject([
        { media_type: 'video/mp4', size_bytes: 5000, width: null },
      ])
    })
  })

  describe('the budget', () => {
    it('refuses what reservations and charges leave no room for, by consumer and by project', async () => {
      const caps = JSON.stringify({ atlas: 0.007, 'atlas:demo': 0.003 })
      await platform.start({ ...BUDGET, MEDIA_BUDGET_CONSUMER_CAPS: caps })
      platform.provider.behaviour.completesAfterMs = 1e9
      const demo = { ...HOSTED, project: 'demo' }
      expect((await platform.generate(demo)).status).toBe(200)
      const refused = await platform.generate(demo)
      expect(refused.status).toBe(402)
      expect(refused.body['detail']).toMatch(/atlas:demo .*0\.003 USD are allowed, 0\.003 are spent or reserved/)
      expect((await platform.generate(HOSTED)).status).toBe(200)
      expect((await platform.generate(HOSTED)).body['detail']).toContain('budget of atlas does')
      expect(await platform.spend()).toMatchObject([
        { scope: 'atlas', reserved_usd: 0.006, cap_usd: 0.007 },
        { scope: 'atlas:demo', reserved_usd: 0.003, cap_usd: 0.003 },
      ])
      expect(await platform.spend(platform.others)).toEqual([])
      expect(await platform.spend(platform.mine)).toMatchObject([
        { scope: 'atlas', reserved_usd: 0.006, cap_usd: null },
        {},
      ])
      // A refused request is not stored either.
      expect((await platform.ask('GET', '/media/operations')).body['operations']).toHaveLength(2)
    })

    it('gives back the room of what was cancelled', async () => {
      await platform.start({ ...BUDGET, MEDIA_BUDGET_DEFAULT_USD: '0.003' })
      platform.provider.behaviour.completesAfterMs = 1e9
      const id = await platform.begin(HOSTED)
      expect((await platform.generate(HOSTED)).status).toBe(402)
      await platform.reached(id, 'running')
      await platform.cancel(id)
      await platform.reached(id, 'cancelled')
      expect((await platform.generate(HOSTED)).status).toBe(200)
    })

    it('lets users name only consumers that have a cap', async () => {
      await platform.start({ ...BUDGET, MEDIA_BUDGET_CONSUMER_CAPS: '{"listed": 1}' })
      expect((await platform.generate({ ...HOSTED, consumer: 'invented' })).status).toBe(403)
      expect((await platform.generate({ ...HOSTED, consumer: 'listed' })).status).toBe(200)
      expect((await platform.generate({ ...HOSTED, consumer: 'invented' }, 'operator-token')).status).toBe(200)
    })

    it('refuses an unknown cost, and records it as unknown where it is allowed, until a person names it', async () => {
      await platform.start(BUDGET)
      const other = { ...HOSTED, model: 'fal-ai/other' }
      const refused = await platform.generate(other)
      expect([refused.status, refused.body['detail']]).toEqual([
        400,
        expect.stringContaining('cost of this model is unknown'),
      ])
      await platform.stop()
      await platform.start({ ...BUDGET, MEDIA_BUDGET_ALLOW_UNKNOWN_COST: 'true' })
      const id = await platform.begin(other)
      await platform.reached(id, 'succeeded')
      expect((await platform.show(id))['cost_usd']).toBeNull()
      expect(await platform.account()).toEqual([0, 0, 1])
      expect((await platform.reconcile(id, { outcome: 'commit' })).status).toBe(409)
      expect((await platform.reconcile(id, { outcome: 'commit', final_cost_usd: 0.04 })).body['cost_usd']).toBe(0.04)
      expect(await platform.account()).toEqual([0.04, 0, 0])
    })

    it('in memory counts in the same way, and starts from nothing with its process', async () => {
      const env = { ...BUDGET, MEDIA_BUDGET_STORE: 'memory', MEDIA_BUDGET_DEFAULT_USD: '0.005' }
      await platform.start(env)
      const id = await platform.begin(HOSTED)
      expect((await platform.generate(HOSTED)).status).toBe(402)
      await platform.reached(id, 'succeeded')
      expect(await platform.account()).toEqual([0.003, 0, 0])
      await platform.stop()
      await platform.start(env)
      expect(await platform.account()).toBeNull()
    })

    it('forgets settled amounts after the retention, and nothing that is reserved or waits for a person', async () => {
      await platform.start()
      let now = 1_000_000_000
      const reader = createEnvReader({
        ...BUDGET,
        MEDIA_BUDGET_RETENTION_DAYS: '1',
        MEDIA_BUDGET_ALLOW_UNKNOWN_COST: 'true',
      })
      const ledger = new BudgetLedger(platform.database, readMediaSettings(reader).budget, { now: () => now })
      const rows = ['spent', 'open', 'doubtful'].map((operationId) => ({
        operationId,
        subject: null,
        consumer: 'atlas',
        project: null,
      }))
      for (const row of rows) await platform.database.transaction((tx) => ledger.reserve(tx, { ...row, amount: 2 }))
      await platform.database.transaction((tx) =>
        ledger.settle(tx, { ...rows[0]!, amount: null }, { state: 'committed', cost: 2 }),
      )
      await platform.database.transaction((tx) =>
        ledger.settle(tx, { ...rows[2]!, amount: null }, { state: 'committed', cost: null }),
      )
      now += 24 * 60 * 60_000
      await ledger.prune()
      expect(await ledger.totals(null)).toMatchObject([{ committed: 2, reserved: 2, recoveries: 1 }])
      now += 1
      await ledger.prune()
      expect(await ledger.totals(null)).toMatchObject([{ committed: 0, reserved: 2, recoveries: 1 }])
    })

    it('without one asks for no cost and keeps no account', async () => {
      await platform.start()
      const id = await platform.begin({ ...HOSTED, model: 'fal-ai/other' })
      await platform.reached(id, 'succeeded')
      expect(await platform.account()).toBeNull()
    })
  })

  describe('several processes', () => {
    it('write the end of an operation once: the first wins, and only its settlement counts', async () => {
      await platform.start(BUDGET)
      await platform.stopWork()
      const second = await openDatabase(address)
      const budget = readMediaSettings(createEnvReader(BUDGET)).budget
      const stores = [platform.database, second].map((each) => new OperationStore(each, new BudgetLedger(each, budget)))
      const ends = [
        { status: 'succeeded', settlement: { state: 'committed', cost: 3000 } },
        { status: 'cancelled', settlement: { state: 'released' } },
      ] as const
      for (const order of [
        [0, 1],
        [1, 0],
      ]) {
        const id = await platform.begin(HOSTED)
        const won: boolean[] = []
        for (const index of order) won.push(await stores[index]!.end(id, ends[index]!))
        expect(won).toEqual([true, false])
        expect((await platform.show(id))['status']).toBe(ends[order[0]!]!.status)
      }
      expect(await platform.account()).toEqual([0.003, 0, 0])
      // Of two that want to submit one does; the answer of a submission that was abandoned is still taken.
      const id = await platform.begin(HOSTED)
      const begun = await Promise.all(stores.map((store) => store.begin(id)))
      expect(begun.toSorted()).toEqual([false, true])
      expect(await stores[1]!.submissionUnknown(id)).toBe(true)
      await stores[0]!.submitted(id, 'the-id')
      expect((await platform.show(id))['status']).toBe('running')
      await second.close()
    })

    it('an operation whose background job is lost is failed, or waits for a person when the provider may have it', async () => {
      await platform.start(BUDGET)
      platform.provider.behaviour.completesAfterMs = 1e9
      const running = await platform.begin(HOSTED)
      await platform.reached(running, 'running')
      await platform.stopWork()
      const queued = await platform.begin(HOSTED)
      await platform.database.run(`UPDATE tasks SET status = 'failed'`)
      await platform.app.close()
      await platform.start(BUDGET)
      expect((await platform.show(queued))['status']).toBe('failed')
      expect((await platform.show(running))['status']).toBe('submission_unknown')
      expect(await platform.account()).toEqual([0, 0.003, 1])
    })
  })
})
