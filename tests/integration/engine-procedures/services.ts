import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failureOf } from '../../helpers/engine-process.ts'
import { platformKeys } from '../../../main/runner/platform/platform-source.ts'
import { root, engine, client, rowId, comfyUi } from './setup.ts'

describe('the rest of the engine', () => {
  it('lists the services outside of this program, and who works on a run', async () => {
    const connections = await client.settings.connections()
    expect(connections.find(({ name }) => name === 'searxng')).toMatchObject({
      variable: 'SEARXNG_URL',
      address: null,
      source: 'none',
    })
    // Only an address of the project's file that waits can be allowed, not any that a page names.
    const unnamed = { name: 'searxng', address: 'http://127.0.0.1:9' } as const
    expect(await failureOf(client.settings.allowConnection(unnamed))).toMatchObject({ code: 'input_invalid' })
    expect(await client.workers.get({ run_id: 'one' })).toEqual({
      database: null,
      problem: null,
      workers: [],
      left_out: 0,
      ray: null,
    })
    const job = { run_id: 'one', submission_id: 'raysubmit_1' }
    for (const call of [() => client.workers.jobLog(job), () => client.workers.cancelJob(job)])
      expect(await failureOf(call())).toMatchObject({ code: 'not_found' })
  })

  it('keeps settings, and reports of secrets only where they come from', async () => {
    const updated = await client.settings.update({
      settings: { concurrency: 3 },
      secrets: { judge_api_key: 'very-secret-value' },
    })
    expect(updated).toMatchObject({ settings: { concurrency: 3 }, secrets: { judge_api_key: 'session' } })
    const view = await client.settings.get()
    expect(view).toEqual(updated)
    expect(JSON.stringify(view)).not.toContain('very-secret-value')
    expect(await readFile(join(root, '.rag-ladder/settings.json'), 'utf8')).not.toContain('very-secret-value')
    expect(
      await failureOf(client.settings.update({ settings: { gateway_url: 'http://user:pass@example.org' } })),
    ).toMatchObject({ code: 'input_invalid', details: { problems: [{ path: 'settings.gateway_url' }] } })
  })

  it('remembers that the tour was seen, in a file of the project', async () => {
    expect(await client.settings.panel()).toEqual({ tour_seen: false })
    expect(await client.settings.savePanel({ tour_seen: true })).toEqual({ tour_seen: true })
    expect(await client.settings.panel()).toEqual({ tour_seen: true })
    expect(JSON.parse(await readFile(join(root, '.rag-ladder/panel.json'), 'utf8'))).toEqual({ tour_seen: true })
  })

  it('starts and stops the platform and gives its log', async () => {
    await client.services.start({ name: 'platform', dataset_id: 'smoke' })
    const view = async () => (await client.services.list()).find(({ name }) => name === 'platform')!
    await expect.poll(async () => (await view()).state, { timeout: 20_000 }).toBe('ready')
    const platform = await view()
    expect(platform).toMatchObject({ state: 'ready', used_by: 'panel', profile: 'smoke' })
    expect(JSON.stringify(platform.settings)).not.toMatch(/TOKEN|KEY/)
    const asked = await fetch(`${engine.url}/control/services/platform/proxy/v1/models`, {
      headers: { authorization: `Bearer ${engine.token}` },
    })
    expect(((await asked.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).toContain('vanilla-rag')
    const { operatorToken } = await platformKeys(join(root, '.rag-ladder'), process.env)
    // Never finished, so that it can be cancelled.
    comfyUi.behaviour.drawsAfterMs = 1e6
    const generated = await fetch(`${platform.url!}/media/generate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        modality: 'image',
        provider: 'local',
        input: { prompt: 'x' },
      }),
    })
    const { operation_id: id } = (await generated.json()) as { operation_id: string }
    const operation = async () => (await client.services.work()).find((work) => work.id === id)!
    // ComfyUI has it before it can be cancelled.
    await expect.poll(operation, { timeout: 10_000 }).toMatchObject({
      kind: 'media',
      title: 'image, local harbour.safetensors',
      is_open: true,
      can_cancel: true,
    })
    expect(await client.services.cancelWork({ kind: 'media', id })).toMatchObject([{ id, can_cancel: false }])
    await expect
      .poll(operation, { timeout: 10_000 })
      .toMatchObject({ status: 'cancelled', is_open: false, cost_usd: 0 })
    expect(await failureOf(client.services.cancelWork({ kind: 'media', id }))).toMatchObject({
      message: expect.stringContaining('The media operation has ended') as string,
    })
    const restarted = await client.services.restart({ name: 'platform' })
    expect(restarted.profile).toBe('smoke')
    await Array.fromAsync(await client.services.logs({ name: 'platform', follow: false }))
    expect(await client.services.stop({ name: 'platform' })).toMatchObject({ pid: null, used_by: null })
    expect(await failureOf(client.services.work())).toMatchObject({ code: 'service_state', retryable: true })
  })

  it('verifies and rebuilds the index, with the same answers afterwards', async () => {
    const before = await client.index.status()
    expect(await client.index.verify()).toMatchObject({ ok: true, problems: [] })
    const after = await client.index.rebuild()
    expect(after.cells).toBe(before.cells)
    expect(await client.index.verify()).toMatchObject({ ok: true })
    expect((await client.system.status()).index.state).toBe('ready')
    expect((await client.cells.get({ run_id: 'one', row_id: rowId })).verdicts).toHaveLength(2)
  })
})

/** Called with success by the tests of `engine-runs` and `engine-access`. */
