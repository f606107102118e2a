import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { startModelService, type ModelService } from '../helpers/model-service.ts'
import { picture, seriousFindings, test } from '../helpers/panel-page.ts'

let service: ModelService
test.beforeAll(async () => {
  service = await startModelService(({ path, body }) => {
    const { model, stream } = (body ?? {}) as { model?: string; stream?: boolean }
    if (path === '/v1/models') return { json: { data: [{ id: 'paid-chat' }] } }
    const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 }
    const head = { id: 'x', created: 0, model, usage }
    const message = { role: 'assistant', content: 'It is so.' }
    if (stream !== true)
      return {
        json: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] },
      }
    const chunk = {
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: message, finish_reason: 'stop' }],
    }
    return {
      raw: (response) =>
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`),
    }
  })
})
test.afterAll(() => service.close())
test.use({
  panelOptions: {
    own: true,
    prepare: async (root) => {
      await mkdir(join(root, '.rag-ladder'), { recursive: true })
      const roles = ['embed', 'evaluator_embed']
        .map((role) => `${role}: { backend: builtin, model: hashed-768 }`)
        .join(', ')
      await writeFile(
        join(root, '.rag-ladder/models.yaml'),
        `version: 2
connections: { paid: { kind: compatible, base_url: '${service.url}/v1', cloud: true } }
sets: { paid: { default: { connection: paid, model: paid-chat }, roles: { ${roles}, rerank: { backend: builtin, model: lexical-reranker } } } }
`,
      )
    },
  },
})

test('three calls of each model give New run an estimate where no earlier row does', async ({ page, open }) => {
  await open('/launch?datasets=["smoke"]&models=["vanilla-rag","hybrid-rag"]&metrics=[]&modelSet=paid&step=3')
  const plan = page.getByRole('complementary', { name: 'Plan' })
  await expect(plan).toContainText('no estimate: this machine has no row of this model set')
  const measure = plan.getByRole('button', { name: 'Measure with 3 calls' })
  await expect(measure).toHaveAccessibleDescription(/A paid model charges for them/)
  const before = service.calls.filter(({ path }) => path === '/v1/chat/completions').length
  await measure.click()
  await expect(plan.getByRole('status')).toHaveText(
    /^paid-chat: three calls took .+ each, 1.000 tokens read, 500 written$/,
  )
  expect(service.calls.filter(({ path }) => path === '/v1/chat/completions').length - before).toBe(3)
  await expect(plan).toContainText('from three calls of each model on this machine')
  await expect(plan).toContainText('Model calls≈ 8')
  await expect(measure).toBeHidden()
  expect(await seriousFindings(page)).toEqual([])
  await picture(page, 'new-run-measured')
})

test('paid models get a price, a budget stops a run, and the result reports what the answers cost', async ({
  page,
  open,
  panel,
}) => {
  const launch = (name: string, more = '') =>
    open(`/launch?datasets=["smoke"]&models=["vanilla-rag"]&metrics=[]&name=${name}&modelSet=paid${more}`)
  await launch('costly', '&budget=0.03&concurrency=1')
  // Without a price no budget can be kept.
  await expect(page.getByText('no price for paid-chat').first()).toBeVisible()
  await open('/models')
  await expect(page.getByRole('region', { name: /^Models in/ })).toBeVisible()
  await page.getByRole('button', { name: 'Prices', exact: true }).click()
  const prices = page.getByRole('form', { name: 'Prices of paid models' })
  await prices.getByLabel('Price of paid-chat, read').fill('10')
  await prices.getByLabel('Price of paid-chat, written').fill('20')
  await prices.getByRole('button', { name: 'Save prices' }).click()
  await expect(page.getByText('Saved the prices')).toBeVisible()
  expect(await seriousFindings(page)).toEqual([])
  await prices.scrollIntoViewIfNeeded()
  await picture(page, 'prices')

  await launch('costly', '&budget=0.03&concurrency=1')
  await expect(page.getByLabel('Budget', { exact: true })).toHaveValue('0.03')
  await page.getByRole('button', { name: 'Run 4 answers' }).click()
  const jobOf = async (name: string) => (await panel.client.runs.jobs()).find((job) => job.run_id === name)
  await expect.poll(async () => (await jobOf('costly'))?.state, { timeout: 60_000 }).toBe('failed')
  await expect(page.getByText(/the budget of 0\.030 USD is spent/).first()).toBeVisible()
  await picture(page, 'budget-spent', { fullPage: true })

  await launch('costly', '&budget=1')
  await page.getByRole('button', { name: 'Run 2 answers' }).click()
  await expect.poll(async () => (await jobOf('costly'))?.state, { timeout: 60_000 }).toBe('completed')
  await open('/runs/costly/verdict')
  const costs = page.getByRole('region', { name: 'Cost of the answers' }).first()
  await expect(costs).toContainText('0.080 USD')
  await expect(costs).toContainText('0.020 USD')
  await expect(page.getByText('▲ cloud: for the answers of vanilla-rag, calls left this machine.')).toBeVisible()
  const points = page.getByRole('region', { name: 'Quality and costs by approach' })
  await expect(points.getByRole('row', { name: /vanilla/ })).toContainText('▲ cloud')
  await picture(page, 'cost', { fullPage: true })
  // The same mark wherever the approach or its run stands.
  await open('/runs/costly/matrix')
  await expect(page.getByRole('columnheader', { name: /vanilla/ })).toContainText('▲ cloud')
  await page.getByRole('gridcell').first().click()
  const answer = page.getByRole('complementary', { name: 'Answer' })
  await expect(answer.locator('header').first()).toContainText(' · 0.020 USD')
  await answer.getByRole('tab', { name: 'Trace' }).click()
  await expect(answer.getByText(/1.000 tokens in, 500 out · 0\.020 USD/)).toBeVisible()
  await open('/runs')
  // The trend below the list has a row of the same name.
  const runs = page.getByRole('region', { name: 'Runs', exact: true })
  await expect(runs.getByRole('row', { name: /costly/ })).toContainText('▲ cloud')
  // A further run is expected to cost what this one did.
  await launch('again')
  await expect(page.getByText('0.080 USD', { exact: true })).toBeVisible()
})
