import { expect } from '@playwright/test'
import { seriousFindings, test } from '../helpers/panel-page.ts'

test.describe.configure({ mode: 'default' })
test.use({ panelOptions: { sharedAs: 'settings' } })

test('endpoints, judges and the roles of the chosen model set', async ({ page, open }) => {
  await open('/settings')
  const roles = page.getByRole('region', { name: /^Model roles of/ })
  await expect(roles.getByRole('row').nth(1)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save settings' })).toBeDisabled()
  await page.getByRole('textbox', { name: 'Platform', exact: true }).fill('http://127.0.0.1:9000')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await expect(page.getByText('Settings saved')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Platform', exact: true })).toHaveValue('http://127.0.0.1:9000')
  expect(await seriousFindings(page)).toEqual([])
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
  await page.getByRole('button', { name: 'Keep' }).first().click()
  await expect(token).toHaveValue('')
  await expect(page.getByText(/^kept (until the engine ends|in this system’s secret store)$/)).toBeVisible()
  expect(await page.content()).not.toContain('a-secret-token')
  await page.getByRole('button', { name: 'Forget' }).first().click()
  await expect(page.getByRole('button', { name: 'Forget' }).first()).toBeDisabled()
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
  await expect(page.getByText(/Index rebuilt: 392 cells/)).toBeVisible()
  await expect(page.getByText('Published results')).toBeVisible()
})
