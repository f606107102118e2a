import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { expectAccessible, seriousFindings, test } from '../helpers/panel-page.ts'

test.describe.configure({ mode: 'default' })
test.use({ panelOptions: { sharedAs: 'settings' } })

test('endpoints and judges are kept', async ({ page, open }) => {
  await open('/settings')
  await expect(page.getByRole('button', { name: 'Save settings' })).toBeDisabled()
  await page.getByRole('textbox', { name: 'Platform', exact: true }).fill('http://127.0.0.1:9000')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await expect(page.getByText('Settings saved')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Platform', exact: true })).toHaveValue('http://127.0.0.1:9000')
  expect(await seriousFindings(page)).toEqual([])
})

test.describe('services outside of this program', () => {
  // What a person allows is kept in their own folder.
  const person = join(tmpdir(), `rag-ladder-person-${process.pid}`)
  test.afterAll(() => rm(person, { recursive: true, force: true }))
  const file = 'version: 1\nservices:\n  vector_store: http://store.example:8080\n  ray: http://head.example:8265\n'
  test.use({
    panelOptions: {
      empty: true,
      prepare: (root) => writeFile(join(root, 'manifests/connections.yaml'), file),
      env: {
        RAG_LADDER_TRUSTED_ADDRESSES: 'http://head.example:8265',
        STT_ENDPOINT: 'http://127.0.0.1:9009',
        RAG_LADDER_USER_DIR: person,
      },
    },
  })

  test('are listed with what names their addresses; one that the project names waits until it is allowed', async ({
    page,
    open,
  }) => {
    await open('/settings')
    const rows = page.getByRole('table', { name: 'Connections' }).getByRole('row')
    const row = (name: string) => rows.filter({ hasText: name })
    await expect(row('Ray cluster')).toContainText('http://head.example:8265')
    await expect(row('Ray cluster')).toContainText('● manifests/connections.yaml')
    await expect(row('vector store')).toContainText('which you have not allowed yet')
    await expect(row('vector store')).not.toContainText('rag-ladder')
    await page.getByRole('button', { name: 'Allow the address of vector store' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Allow http://store.example:8080?' })
    await expect(dialog).toContainText('a project may come from anyone')
    expect(await seriousFindings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Allow address' }).click()
    await expect(row('vector store')).toContainText('used from the next start of this app')
    await expect(row('speech to text')).toContainText('its variable')
    await page.getByRole('textbox', { name: 'Platform', exact: true }).fill('http://127.0.0.1:9000')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await expect(row('MATRIX_PLATFORM_URL')).toContainText('this page')
    await expectAccessible(page, 'settings-connections')
  })
})

test('a network that goes away stops nothing', async ({ page, open }) => {
  await open('/')
  await page.evaluate("dispatchEvent(new Event('offline'))")
  await page.getByRole('link', { name: 'Settings' }).click()
  const platform = page.getByRole('textbox', { name: 'Platform', exact: true })
  await expect(platform).toBeVisible()
  await platform.fill('http://127.0.0.1:9001')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await expect(page.getByText('Settings saved')).toBeVisible()
})

test('a token goes to the engine and is not shown again', async ({ page, open }) => {
  await open('/settings?tab=tokens')
  const token = page.getByLabel('gateway api key')
  await token.fill('a-secret-token')
  await page.getByRole('button', { name: 'Save', exact: true }).first().click()
  await expect(token).toHaveValue('')
  await expect(page.getByText(/^kept (until the engine ends|in this system’s secret store)$/)).toBeVisible()
  expect(await page.content()).not.toContain('a-secret-token')
  await page.getByRole('button', { name: 'Remove' }).first().click()
  await expect(page.getByRole('button', { name: 'Remove' }).first()).toBeDisabled()
})

test('the look is kept; the index is verified and rebuilt', async ({ page, open }) => {
  await open('/settings?tab=look')
  await page.getByText('Dark', { exact: true }).click()
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await page.getByRole('radiogroup', { name: 'Part of the settings' }).getByText('Data and index').click()
  expect(page.url()).toContain('tab=data')
  await page.getByRole('button', { name: 'Verify index' }).click()
  await expect(page.getByText(/● right: 392 rows in 13 files/)).toBeVisible()
  await page.getByRole('button', { name: 'Rebuild index' }).click()
  await expect(page.getByText(/Index rebuilt: 392 answers/)).toBeVisible()
  await expect(page.getByText('Published results')).toBeVisible()
})
