import { expect, type Page } from '@playwright/test'
import { chatAnswer, startChatService } from '../helpers/chat-service.ts'
import {
  startModelService,
  type ModelService,
  type ModelServiceAnswer,
  type ModelServiceCall,
} from '../helpers/model-service.ts'
import { picture, seriousFindings, test, fitsWidth } from '../helpers/panel-page.ts'
import { Person } from '../helpers/person.ts'

const KEY = 'canary-panel-key/1'
/** As the chat service, for who sends the key. */
const answerWithKey = (call: ModelServiceCall): ModelServiceAnswer =>
  call.headers.authorization === `Bearer ${KEY}`
    ? chatAnswer(call)
    : { status: 401, json: { error: { message: `Incorrect API key: ${call.headers.authorization ?? 'none'}` } } }

let service: ModelService
test.beforeAll(async () => {
  service = await startChatService()
})
test.afterAll(() => service.close())
test.use({ panelOptions: { own: true } })

const region = (page: Page, name: string) => page.getByRole('region', { name }).first()

test('a service is connected, tested, made a set for all roles, and a run with that set is in the matrix', async ({
  page,
  open,
  panel,
}) => {
  await open('/models')
  // The page begins with what is connected, and each connection has its state and one button for what to do next.
  const connections = region(page, 'Connections')
  await expect(page.locator('main').getByRole('heading', { level: 2 }).first()).toHaveText('Connections')
  const openai = connections.getByRole('row', { name: /^openai/ })
  await expect(openai).toContainText('▲ OPENAI_API_KEY is not set')
  await expect(openai.getByRole('button').first()).toHaveText('Store key')
  await expect(openai.getByRole('button')).toHaveCount(2)
  await expect(page.getByRole('form')).toHaveCount(0)
  await picture(page, 'models-first')
  await page.getByRole('button', { name: 'Connect a service' }).click()
  const form = page.getByRole('form', { name: 'Connect a service' })
  await form.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'Ollama' }).click()
  await expect(form.getByLabel('Address')).toHaveValue('http://127.0.0.1:11434/v1')
  await form.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'OpenAI-compatible service' }).click()
  await form.getByLabel('Address').fill('http://127.0.0.1:9/v1')
  await expect(form.getByLabel('Name')).toHaveValue('127.0.0.1-9')
  await form.getByLabel('Name').fill('lab')
  // First a wrong address, whose error names it.
  await form.getByLabel('Address').fill(`${service.url}/v2`)
  await form.getByRole('button', { name: 'Connect' }).click()
  await expect(form.getByRole('button', { name: 'Connect anyway' })).toBeVisible()
  await expect(region(page, 'Test of lab')).toContainText(`GET ${service.url}/v2/models answered 404`)
  await form.getByLabel('Address').fill(`${service.url}/v1`)
  await form.getByRole('button', { name: 'Test' }).click()
  const result = region(page, 'Test of lab')
  await expect(result).toContainText('lab works')
  await expect(result.getByRole('row', { name: /^Answers/ })).toContainText(/tiny-chat · [\d.]+ tokens\/s/)
  await expect(result.getByRole('row', { name: /^JSON/ })).toContainText('JSON of the right form')
  await expect(result.getByRole('row', { name: /^Tools of the agent/ })).toContainText('calls vector_search')
  await expect(result.getByRole('row', { name: /^Embeddings/ })).toContainText('tiny-embed · 8 dimensions')
  await picture(page, 'models-connect')
  expect(await seriousFindings(page)).toEqual([])
  await form.getByRole('button', { name: 'Connect' }).click()

  const editor = page.getByRole('form', { name: 'Choose models' })
  await expect(editor.getByLabel('Model: Model that writes text')).toHaveValue('tiny-chat')
  // What the test found to embed is chosen for it.
  await expect(editor.getByLabel('Model: Model for embeddings')).toHaveValue('tiny-embed')
  await expect(editor.getByRole('button', { name: 'Use in new run' })).toBeFocused()
  await editor.getByLabel('Name of the set').fill('mine')
  await editor.getByRole('button', { name: 'Save set' }).click()
  const set = page.getByRole('region', { name: 'mine', exact: true })
  await expect(set).toContainText('your own')
  // The test before it was of this model.
  await expect(set.getByRole('row', { name: /^writes answers/ })).toContainText(/tiny-chat.*● answered .*20\d\d/)
  await page.getByRole('combobox', { name: 'Model set' }).click()
  await page.getByRole('option', { name: 'openai' }).click()
  await expect(page.getByRole('region', { name: 'openai', exact: true })).toContainText(
    '▲ cloud: calls leave this machine where a model',
  )
  expect(page.url()).toContain('set=openai')
  await page.getByRole('combobox', { name: 'Model set' }).click()
  await page.getByRole('option', { name: 'mine' }).click()
  expect(await seriousFindings(page)).toEqual([])
  await picture(page, 'models-tested', { fullPage: true })
  await page.setViewportSize({ width: 420, height: 900 })
  expect(await fitsWidth(page)).toBe(true)
  await page.emulateMedia({ colorScheme: 'dark' })
  await picture(page, 'models-tested-narrow', { fullPage: true })
  await page.setViewportSize({ width: 1440, height: 900 })

  await set.getByRole('button', { name: 'Use in new run: mine' }).click()
  await expect(page.getByRole('radio', { name: /^mine/ })).toBeChecked()
  // Without metrics: this service grades nothing.
  await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]&metrics=[]&name=with-mine&modelSet=mine')
  // The plan of the link before this one has a button, too.
  await expect(page.getByText('with-mine', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: /^Run \d+ answers?$/ }).click()
  const stateOf = async () => (await panel.client.runs.jobs()).find((job) => job.run_id === 'with-mine')?.state
  await expect.poll(stateOf, { timeout: 60_000 }).toBe('completed')
  await open('/runs/with-mine/matrix?dataset=smoke&metric=token_f1')
  await expect(page.locator('[role=gridcell][data-state=ok]').first()).toBeVisible()
  expect(service.calls.filter(({ path }) => path.endsWith('/chat/completions')).length).toBeGreaterThan(4)

  // The set is edited in the same form. Nothing is asked and saved while it is as it was; a change names the run that used it.
  await open('/models?set=mine')
  await set.getByRole('button', { name: 'Edit the set mine' }).click()
  const edit = page.getByRole('form', { name: 'Edit the set mine' })
  const text = edit.getByLabel('Model: Model that writes text')
  await expect(text).toHaveValue('tiny-chat')
  await expect(edit.getByLabel('Name of the set')).toHaveValue('mine')
  await expect(edit.getByRole('status')).toHaveCount(0)
  await edit.getByRole('button', { name: 'Save set' }).click()
  await expect(edit).toHaveCount(0)
  await set.getByRole('button', { name: 'Edit the set mine' }).click()
  await text.fill('tiny-chat-2')
  await expect(edit.getByRole('status')).toContainText(
    'Saving changes the set mine: later runs with it use these models. 1 stored run used it',
  )
  await picture(page, 'models-edit-set', { fullPage: true })
  expect(await seriousFindings(page)).toEqual([])
  await edit.getByRole('button', { name: 'Save set' }).click()
  await expect(set.getByRole('row', { name: /^writes answers/ })).toContainText('tiny-chat-2')
})

test('a key is stored with a connection, replaced and removed, and never comes back to the page', async ({
  page,
  open,
}) => {
  const closed = await startModelService(answerWithKey)
  const received: string[] = []
  page.on(
    'response',
    (response) =>
      void response.text().then(
        (text) => received.push(text),
        () => undefined,
      ),
  )
  await open('/models')
  await page.getByRole('button', { name: 'Connect a service' }).click()
  const form = page.getByRole('form', { name: 'Connect a service' })
  await form.getByLabel('Name').fill('closed')
  await form.getByLabel('Address').fill('https://llm.example.com/v1')
  await expect(form.getByLabel('Calls leave this machine')).toBeChecked()
  await form.getByLabel('Address').fill(`${closed.url}/v1`)
  await expect(form.getByLabel('Calls leave this machine')).not.toBeChecked()
  await form.getByRole('button', { name: 'Test' }).click()
  await expect(region(page, 'Test of closed')).toContainText('The service needs a key')
  await form.getByLabel('Key', { exact: true }).fill(KEY)
  await form.getByRole('button', { name: 'Test' }).click()
  await expect(region(page, 'Test of closed')).toContainText('closed works')
  await form.getByText('More settings').click()
  await form.getByLabel('Calls at once').fill('2')
  await picture(page, 'models-key-form', { fullPage: true })
  await form.getByRole('button', { name: 'Connect' }).click()

  const connections = region(page, 'Connections')
  const row = connections.getByRole('row', { name: /^closed/ })
  await expect(row).toContainText('key stored')
  await expect(form).toBeHidden()
  const choose = async (item: string) => {
    await row.getByRole('button', { name: 'More for closed' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await row.getByRole('button', { name: 'Test closed' }).click()
  await expect(region(page, 'Test of closed')).toContainText('closed works')

  await choose('Replace key')
  const dialog = page.getByRole('dialog', { name: 'Key of closed' })
  await expect(dialog).toContainText(`${closed.url}/v1`)
  await dialog.getByLabel('Key', { exact: true }).fill('another-key-2')
  await picture(page, 'models-key-dialog')
  expect(await seriousFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Store key' }).click()
  await expect(dialog).toBeHidden()
  await row.getByRole('button', { name: 'Test closed' }).click()
  await expect(region(page, 'Test of closed')).toContainText('Incorrect API key: [secret removed]')

  // An edit keeps the key and the settings that it does not change.
  await choose('Edit')
  const edit = page.getByRole('form', { name: 'Edit closed' })
  await expect(edit.getByLabel('Calls at once')).toHaveValue('2')
  await edit.getByLabel('Time limit per call (s)').fill('30')
  await edit.getByRole('button', { name: 'Save connection' }).click()
  await expect(edit).toBeHidden()
  await expect(row).toContainText('key stored')

  await choose('Remove key')
  const question = page.getByRole('dialog', { name: 'Remove the key of closed?' })
  await expect(question).toContainText('deleted from this computer')
  await question.getByRole('button', { name: 'Remove' }).click()
  await expect(row).not.toContainText('key stored')
  await choose('Remove connection')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(row).toBeHidden()
  expect(received.join('\n')).not.toContain(KEY)
  expect(received.join('\n')).toContain('"closed"')
  await closed.close()
})

test.describe('the first start of a project', () => {
  test.use({ panelOptions: { own: true, empty: true, tour: true } })

  test('an own service is connected, tested, chosen and running after five clicks', async ({ page, open, panel }) => {
    const person = await Person.at(page)
    await open('/')
    person.begin()
    await page.getByRole('button', { name: 'Skip the tour', exact: true }).first().click()
    await page.getByRole('link', { name: 'Connect a model' }).click()
    const form = page.getByRole('form', { name: 'Connect a service' })
    await person.fill(form.getByLabel('Address'), `${service.url}/v1`)
    await form.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('form', { name: 'Choose models' }).getByRole('button', { name: 'Use in new run' }).click()
    await expect(page.getByRole('radio', { name: /^tiny-chat/ })).toBeChecked()
    await page.getByRole('button', { name: /^Run \d+ answers$/ }).click()
    await expect(page).toHaveTitle(/Progress · RAG Ladder$/)
    expect((await person.effort()).clicks).toBe(5)
    const [job] = await panel.client.runs.jobs()
    expect(job?.request.model_set).toBe('tiny-chat')
    expect((await panel.client.models.list()).sets.find(({ name }) => name === 'tiny-chat')).toMatchObject({
      own: true,
    })
  })

  test('by keyboard alone, a service is connected and its run starts without a press of Tab', async ({
    page,
    open,
    panel,
  }) => {
    await open('/models?connect=true')
    await expect(page.getByLabel('Address')).toBeFocused()
    await page.keyboard.insertText(`${service.url}/v1`)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Use in new run', exact: true })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('radio', { name: /^tiny-chat/ })).toBeChecked()
    await expect(page.getByRole('button', { name: /^Run \d+ answers$/ })).toBeEnabled()
    await page.keyboard.press('Control+Enter')
    await expect(page).toHaveTitle(/Progress · RAG Ladder$/)
    expect(await panel.client.runs.jobs()).toHaveLength(1)
  })
})

test('models whose calls leave this machine are marked before their set is used in a run', async ({ page, open }) => {
  await open('/models')
  await page.getByRole('button', { name: 'Connect a service' }).click()
  const form = page.getByRole('form', { name: 'Connect a service' })
  await form.getByLabel('Name').fill('paid')
  await form.getByLabel('Address').fill(`${service.url}/v1`)
  await form.getByLabel('Calls leave this machine').check()
  await form.getByText('More settings').click()
  await form.getByLabel('Model to test', { exact: true }).fill('tiny-chat')
  await form.getByRole('button', { name: 'Connect' }).click()
  const editor = page.getByRole('form', { name: 'Choose models' })
  await expect(editor).toContainText('▲ cloud: calls leave this machine where a model')
  await expect(editor).not.toContainText('every call leaves this machine')
})
