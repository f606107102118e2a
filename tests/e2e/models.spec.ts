import { expect, type Page } from '@playwright/test'
import { chatAnswer, startChatService } from '../helpers/chat-service.ts'
import {
  startModelService,
  type ModelService,
  type ModelServiceAnswer,
  type ModelServiceCall,
} from '../helpers/model-service.ts'
import { picture, seriousFindings, test } from '../helpers/panel-page.ts'
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
  await expect(result.getByRole('row', { name: /^Answers/ })).toContainText(/tiny-chat · [\d.]+ tokens\/s/)
  await expect(result.getByRole('row', { name: /^JSON/ })).toContainText('JSON of the right form')
  await expect(result.getByRole('row', { name: /^Tools of the agent/ })).toContainText('calls vector_search')
  await expect(result.getByRole('row', { name: /^Embeddings/ })).toContainText('tiny-embed · 8 dimensions')
  await form.getByRole('button', { name: 'Add connection' }).click()

  const editor = page.getByRole('form', { name: 'Choose models' })
  await expect(editor.getByLabel('Model: Model that writes text')).toHaveValue('tiny-chat')
  await editor.getByLabel('Name of the set').fill('mine')
  await editor.getByRole('button', { name: 'Save set' }).click()
  const set = page.getByRole('region', { name: 'mine', exact: true })
  await expect(set).toContainText('your own')
  await expect(page.getByRole('region', { name: 'openai', exact: true })).toContainText(
    '▲ cloud: calls leave this machine where a model',
  )
  expect(await seriousFindings(page)).toEqual([])
  await picture(page, 'models-tested', { fullPage: true })
  await page.setViewportSize({ width: 420, height: 900 })
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
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
  const form = page.getByRole('form', { name: 'Connect a model' })
  await form.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'OpenAI-compatible service' }).click()
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
  await form.getByLabel('Calls at the same time').fill('2')
  await picture(page, 'models-key-form', { fullPage: true })
  await form.getByRole('button', { name: 'Add connection' }).click()

  const connections = region(page, 'Connections')
  const row = connections.getByRole('row', { name: /^closed/ })
  await expect(row).toContainText('● key stored')
  await expect(form.getByLabel('Key', { exact: true })).toHaveValue('')
  await row.getByRole('button', { name: 'Test closed' }).click()
  await expect(region(page, 'Test of closed')).toContainText('closed works')

  await row.getByRole('button', { name: 'Replace key of closed' }).click()
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
  await row.getByRole('button', { name: 'Edit closed' }).click()
  const edit = page.getByRole('form', { name: 'Edit the connection closed' })
  await expect(edit.getByLabel('Calls at the same time')).toHaveValue('2')
  await edit.getByLabel('Seconds for one call').fill('30')
  await edit.getByRole('button', { name: 'Save connection' }).click()
  await expect(row).toContainText('● key stored')

  await row.getByRole('button', { name: 'Remove key of closed' }).click()
  const question = page.getByRole('dialog', { name: 'Remove the key of closed?' })
  await expect(question).toContainText('deleted from this computer')
  await question.getByRole('button', { name: 'Remove' }).click()
  await expect(row).toContainText('none needed')
  await row.getByRole('button', { name: 'Remove closed' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(row).toBeHidden()
  expect(received.join('\n')).not.toContain(KEY)
  expect(received.join('\n')).toContain('"closed"')
  await closed.close()
})

test.describe('the first start of a project', () => {
  test.use({ panelOptions: { own: true, empty: true, tour: true } })

  test('a model is connected, tested and chosen for a new run with six clicks, and its set is saved', async ({
    page,
    open,
    panel,
  }) => {
    const person = await Person.at(page)
    await open('/')
    person.begin()
    await page.getByRole('button', { name: 'Skip the tour', exact: true }).first().click()
    await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Models', exact: true }).click()
    const form = page.getByRole('form', { name: 'Connect a model' })
    await person.type(form.getByLabel('Address'), `${service.url}/v1`)
    await form.getByRole('button', { name: 'Test' }).click()
    await expect(region(page, 'Test of ollama')).toContainText('ollama works')
    await form.getByRole('button', { name: 'Add connection' }).click()
    await page.getByRole('form', { name: 'Choose models' }).getByRole('button', { name: 'Use in new run' }).click()
    await expect(page.getByRole('radio', { name: /^tiny-chat/ })).toBeChecked()
    expect((await person.effort()).clicks).toBe(6)
    expect((await panel.client.models.list()).sets.find(({ name }) => name === 'tiny-chat')).toMatchObject({
      own: true,
    })
  })
})

test('models whose calls leave this machine are marked before their set is used in a run', async ({ page, open }) => {
  await open('/models')
  const form = page.getByRole('form', { name: 'Connect a model' })
  await form.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'OpenAI-compatible service' }).click()
  await form.getByLabel('Name').fill('paid')
  await form.getByLabel('Address').fill(`${service.url}/v1`)
  await form.getByLabel('Calls leave this machine').check()
  await form.getByLabel('Model to test', { exact: true }).fill('tiny-chat')
  await form.getByRole('button', { name: 'Add connection' }).click()
  const editor = page.getByRole('form', { name: 'Choose models' })
  await expect(editor).toContainText('▲ cloud: calls leave this machine where a model')
  await expect(editor).not.toContainText('every call leaves this machine')
})
