import { spawnSync } from 'node:child_process'
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, smokeProject, startCli } from '../helpers/cli.ts'
import { eventsUntil, startEngine } from '../helpers/engine-process.ts'
import { childrenOf } from '../helpers/processes.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

let root: string
const mounted: string[] = []
beforeEach(async () => {
  root = await smokeProject()
})
afterEach(async () => {
  for (const folder of mounted.splice(0)) spawnSync('umount', [folder])
  await rm(root, { recursive: true, force: true })
})

/** More documents than the four questions need: their ingestion lasts long enough to be interrupted, and the cells after it are few. */
const addDocuments = (): Promise<void> =>
  cp(join(PROJECT_ROOT, 'corpus/subset'), join(root, 'corpus/smoke'), { recursive: true })

/** A real file system of a fixed size over a folder; false where that is not allowed. */
async function limitedDisk(folder: string, size: string): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  await mkdir(folder, { recursive: true })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', folder]).status !== 0) return false
  mounted.push(folder)
  return true
}

const ladder = (models: string): string[] => [
  'ladder',
  '--project',
  root,
  '--dataset',
  'smoke',
  '--run-id',
  'fault',
  '--models',
  models,
  '--json',
  '--no-publish',
  '--no-cold-reset',
]

describe('an ingestion', () => {
  it('continues after its platform was killed', { timeout: 120_000 }, async () => {
    await addDocuments()
    const run = startCli(ladder('vanilla-rag'), { RAG_INGESTION_EXECUTION_LEASE_SECONDS: '10' })
    await run.event('ingestion.progressed')
    const [platform] = await childrenOf(run.child.pid!)
    process.kill(platform!, 'SIGKILL')
    const { code, events, stderr } = await run.done
    expect(stderr).toBe('')
    expect(code).toBe(0)
    const killedAt = events.findIndex((event) => event['type'] === 'service.changed' && event['state'] === 'backoff')
    const ingestedAt = events.findIndex((event) => event['type'] === 'step.finished' && event['step'] === 'ingest')
    expect(killedAt).toBeGreaterThan(-1)
    expect(killedAt).toBeLessThan(ingestedAt)
  })

  it('on a full disk fails with the file and the reason', { timeout: 180_000 }, async (context) => {
    if (!(await limitedDisk(join(root, '.rag-ladder'), '1m'))) context.skip('a file system of a fixed size needs root')
    const started = performance.now()
    const run = await runCli(ladder('vanilla-rag,graph-rag,contextual-rag'))
    expect(run.code).toBe(5)
    expect(run.stderr + run.stdout).toMatch(/full.*Free space/s)
    expect(performance.now() - started).toBeLessThan(150_000)
  })

  it('is cancelled by the first Ctrl-C', { timeout: 60_000 }, async () => {
    await addDocuments()
    const run = startCli(ladder('graph-rag'))
    await run.event('ingestion.progressed')
    run.child.kill('SIGINT')
    const { code, events } = await run.done
    expect(code).toBe(130)
    const failed = events.find(({ type }) => type === 'step.failed')
    expect(failed).toMatchObject({
      step: 'ingest',
      code: 'ingestion_stopped',
      message: expect.stringMatching(/cancelled/),
    })
  })

  it('is stopped by a pause in the panel, which is no failure, and the resumed run ingests again', async () => {
    await addDocuments()
    const engine = await startEngine(root)
    const run = { run_id: 'paused', dataset_ids: ['smoke'], models: ['vanilla-rag'] }
    const ingesting = eventsUntil(engine.client, { after: 0 }, ({ type }) => type === 'ingestion.progressed')
    await engine.client.runs.start(run)
    await ingesting
    await engine.client.runs.pause({ run_id: 'paused' })
    const job = async () => (await engine.client.runs.jobs()).find(({ run_id }) => run_id === 'paused')
    await expect.poll(async () => (await job())?.state, { timeout: 30_000 }).toBe('paused')
    expect((await job())?.failures).toEqual([])
    await engine.client.runs.resume({ run_id: 'paused' })
    await expect.poll(async () => (await job())?.state, { timeout: 90_000 }).toBe('completed')
    await engine.stop()
  })
})
