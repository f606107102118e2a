import { expect, type Page } from '@playwright/test'
import { startModelService, type ModelService, type ModelServiceAnswer } from '../helpers/model-service.ts'
import { seriousFindings, test } from '../helpers/panel-page.ts'

const FOLDER = process.env['RAG_LADDER_SCREENS'] ?? 'out/screens'

/** A chat model that cites the first document, an embedding model, and no other route. */
function answer({ path, body }: { path: string; body: unknown }): ModelServiceAnswer {
  if (path === '/v1/models') return { json: { data: [{ id: 'tiny-chat' }, { id: 'tiny-embed' }] } }
  const { stream, input, response_format: format } = (body ?? {}) as Record<string, unknown>
  if (path === '/v1/embeddings')
    return { json: { data: [input].flat().map((_, index) => ({ index, embedding: [1, 0, 0, 0, 0, 0, 0, 1] })) } }
  if (path !== '/v1/chat/completions') return { status: 404, json: { error: { message: 'no such route' } } }
  const content = format === undefined ? 'The first document answers it.' : '{"city": "Paris"}'
  const usage = { prompt_tokens: 20, completion_tokens: 6, total_tokens: 26 }
  const head = { id: 'chat', created: 0, model: 'tiny-chat' }
  if (stream !== true) {
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
    return { json: { ...head, object: 'chat.completion', choices, usage } }
  }
  const chunk = { ...head, object: 'chat.completion.chunk' }
  const frames = [
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ]
  const text = [...frames.map((frame) => JSON.stringify(frame)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')
  return { raw: (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text) }
}

let service: ModelService
test.beforeAll(async () => {
  service = await startModelService(answer)
})
test.afterAll(() => service.close())
test.use({ panelOptions: { own: true } })
test.setTimeout(120_000)

const region = (page: Page, name: string) => page.getByRole('region', { name }).first()

test('a service is connected, tested, made a set for all roles, and a run with that set is in the matrix', async ({
  page,
  open,
  panel,
}) => {
  await open('/models')
  const form = page.getByRole('form', { name: 'Connect a model' })
  await expect(form.getByLabel('Address')).toHaveValue('http://127.0.0.1:11434/v1')
  await form.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'OpenAI-compatible service' }).click()
  await form.getByLabel('Name').fill('lab')
  // First a wrong address, whose error names it.
  await form.getByLabel('Address').fill(`${service.url}/v2`)
  await form.getByRole('button', { name: 'Test' }).click()
  await expect(region(page, 'Test of lab')).toContainText(`GET ${service.url}/v2/models answered 404`)
  await form.getByLabel('Address').fill(`${service.url}/v1`)
  await form.getByRole('button', { name: 'Test' }).click()
  const result = region(page, 'Test of lab')
  await expect(result).toContainText('lab works')
  await expect(result.getByRole('row', { name: /^Chat/ })).toContainText(/tiny-chat · [\d.]+ tokens\/s/)
  await expect(result.getByRole('row', { name: /^JSON by schema/ })).toContainText('JSON as the schema requires')
  await expect(result.getByRole('row', { name: /^Embedding/ })).toContainText('tiny-embed · 8 dimensions')
  await form.getByRole('button', { name: 'Add connection' }).click()

  const editor = page.getByRole('form', { name: 'Choose models' })
  await expect(editor.getByLabel('Model: Model that writes text')).toHaveValue('tiny-chat')
  await editor.getByLabel('Name of the set').fill('mine')
  await editor.getByRole('button', { name: 'Save set' }).click()
  const set = page.getByRole('region', { name: 'mine', exact: true })
  await expect(set).toContainText('your own')
  await expect(page.getByRole('region', { name: 'openai', exact: true })).toContainText('▲ cloud: calls of')
  expect(await seriousFindings(page)).toEqual([])
  await page.screenshot({ path: `${FOLDER}/models-tested.png`, fullPage: true })
  await page.setViewportSize({ width: 420, height: 900 })
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.screenshot({ path: `${FOLDER}/models-tested-narrow.png`, fullPage: true })
  await page.setViewportSize({ width: 1440, height: 900 })

  await set.getByRole('button', { name: 'Use in Launch: mine' }).click()
  await expect(page.getByRole('combobox', { name: 'Model set' })).toHaveValue('mine')
  // Without metrics: this service grades nothing.
  await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]&metrics=[]&name=with-mine&modelSet=mine')
  // The plan of the link before this one has a button, too.
  await expect(page.getByText('with-mine', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: /^Run \d+ cells?$/ }).click()
  const stateOf = async () => (await panel.client.runs.jobs()).find((job) => job.run_id === 'with-mine')?.state
  await expect.poll(stateOf, { timeout: 60_000 }).toBe('completed')
  await open('/matrix?run=with-mine&dataset=smoke&metric=token_f1')
  await expect(page.locator('[role=gridcell][data-state=ok]').first()).toBeVisible()
  expect(service.calls.filter(({ path }) => path.endsWith('/chat/completions')).length).toBeGreaterThan(4)
})
