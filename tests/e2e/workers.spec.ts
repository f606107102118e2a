import { expect } from '@playwright/test'
import { DECLARABLE_APPROACHES } from '../../contract/approaches.ts'
import { databaseAddress } from '../../main/evidence/postgres/database-address.ts'
import { submitRayJob } from '../../main/lib/services/ray-jobs.ts'
import { startCli, type RunningCli } from '../helpers/cli.ts'
import { startFakeRay, type FakeRay } from '../helpers/fake-ray.ts'
import { expectAccessible, test as pageTest } from '../helpers/panel-page.ts'
import { postgresMissing, startPostgres, whyNoPostgres } from '../helpers/postgres-server.ts'
import { startSpecifiedPlatform, type SpecifiedPlatform } from '../helpers/specified-platform.ts'

const TOKEN = 'token-of-the-cluster'
const MODELS = ['vanilla-rag', 'hybrid-rag', 'graph-rag']
const CELLS = 12

interface Shared {
  database: string
  ray: FakeRay
  stub: SpecifiedPlatform
  /** Gives the next answer of the gateway. */
  answer: () => void
}

/** A page on an engine whose runs keep their rows in a database, beside a Ray cluster. */
const test = pageTest.extend<{ shared: Shared }>({
  shared: async ({ browserName: _ }, use) => {
    const [server, ray] = await Promise.all([startPostgres({ fsync: false }), startFakeRay({ token: TOKEN })])
    const waiting: (() => void)[] = []
    const stub = await startSpecifiedPlatform({
      aliases: DECLARABLE_APPROACHES,
      get hold() {
        return new Promise<void>((given) => waiting.push(given))
      },
    })
    const answer = (): void => waiting.shift()?.()
    await use({ database: await server.freshDatabase(), ray, stub, answer })
    for (const given of waiting) given()
    await stub.close()
    await ray.close()
    await server.close()
  },
  panelOptions: async ({ shared: { database, ray, stub } }, use) => {
    const env = {
      MATRIX_EVIDENCE_URL: database,
      MATRIX_GATEWAY_URL: stub.gateway,
      MATRIX_PLATFORM_URL: stub.platform,
      RAY_URL: ray.url,
      RAY_AUTH_TOKEN: TOKEN,
    }
    await use({ empty: true, env })
  },
})

test.skip(postgresMissing !== null, whyNoPostgres)

test('Progress shows who works on what, follows a worker that dies, and stops a job on Ray', async ({
  page,
  open,
  panel,
  shared: { database, ray, stub, answer },
}) => {
  const cluster = { url: ray.url, token: TOKEN }
  const job = await submitRayJob(
    cluster,
    { runId: 'shared', database: databaseAddress(database).label },
    { workers: 2, entrypoint: 'python ray-workers.py' },
  )
  ray.log = '\u001b[36m(work pid=7)\u001b[0m waiting until run shared is started elsewhere\n'
  await panel.client.runs.start({ run_id: 'shared', dataset_ids: ['smoke'], models: MODELS, metrics: [] })
  let anna: RunningCli | null = null
  try {
    const at = ['--project', panel.root, '--gateway', stub.gateway, '--platform', stub.platform]
    const of = ['--dataset', 'smoke', '--run-id', 'shared', '--models', MODELS.join(','), '--no-evaluate']
    const env = { MATRIX_EVIDENCE_URL: database }
    anna = startCli(['worker', ...of, ...at, '--name', 'anna', '--concurrency', '3', '--json'], env)
    await anna.event('cell.started')
    await open('/runs/shared/progress')
    const workers = page.getByRole('table', { name: 'Workers' })
    const row = workers.getByRole('row').filter({ hasText: 'anna' })
    await expect(row).toContainText('working')
    await expect(row.getByRole('cell', { name: /^sm-0\d with [a-z-]+, sm-0\d with [a-z-]+, 1 more$/ })).toBeVisible()
    await expect(row).toContainText(`process ${anna.child.pid}`)
    await expect(workers.getByRole('row')).toHaveCount(3)
    await expect(page.getByText('2 of 2 connected · postgres://127.0.0.1')).toBeVisible()

    const jobs = page.getByRole('table', { name: 'Jobs on Ray' })
    await expect(jobs.getByRole('row').filter({ hasText: job })).toContainText('running')
    await jobs.getByRole('button', { name: `Show log of ${job}` }).click()
    await expect(page.getByLabel(`Log of ${job}`, { exact: true })).toHaveText(
      '(work pid=7) waiting until run shared is started elsewhere',
    )
    await expectAccessible(page, 'workers')

    anna.child.kill('SIGKILL')
    await expect(row).toContainText('connection lost')
    await expect(page.getByText('1 of 2 connected')).toBeVisible()
    await jobs.getByRole('button', { name: `Cancel job ${job}…` }).click()
    const question = page.getByRole('dialog', { name: `Cancel job ${job}?` })
    await expect(question).toContainText('Ray stops 2 workers.')
    await question.getByRole('button', { name: 'Cancel job' }).click()
    await expect(jobs.getByRole('row').filter({ hasText: job })).toContainText('stopped')
    await expect(jobs.getByRole('button', { name: /^Cancel job/ })).toHaveCount(0)

    // The engine takes over what the worker had in hand.
    const engine = workers.getByRole('row').filter({ hasNotText: 'anna' }).last()
    await expect(async () => {
      answer()
      await expect(engine.getByRole('cell', { name: String(CELLS), exact: true })).toBeVisible({ timeout: 100 })
    }).toPass()
    await expect(engine).toContainText('ended')
  } finally {
    anna?.child.kill('SIGKILL')
  }
})
