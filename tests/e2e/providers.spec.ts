import { expect } from '@playwright/test'
import { seriousFindings, test } from '../helpers/panel-page.ts'

test('each service says how it is, and a failed one why, with its last lines', async ({ page, open }) => {
  await open('/providers')
  await expect(page.getByRole('heading', { name: /platform.*ready/ })).toBeVisible()
  await expect(page.getByText('Up for')).toBeVisible()
  await expect(page.getByText('212.0 MB')).toBeVisible()
  await expect(page.getByText('gave up after 5 starts: model folder not found')).toBeVisible()
  const log = page.getByRole('list', { name: 'Log of stt' })
  await expect(log).toContainText('line 12 <b>not markup</b>')
  await page.getByRole('textbox', { name: 'Filter the log of stt' }).fill('line 12')
  await expect(log.getByRole('listitem')).toHaveCount(1)
  expect(await seriousFindings(page)).toEqual([])
})

test('a link keeps which logs are open', async ({ page, open }) => {
  await open('/providers?open=["platform"]')
  await expect(page.getByRole('list', { name: 'Log of platform' })).toContainText('line 12')
  await expect(page.getByRole('list', { name: 'Log of stt' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Log of stt' }).click()
  await expect(page.getByRole('list', { name: 'Log of stt' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('list', { name: 'Log of stt' })).toContainText('line 12')
  await expect(page.getByRole('list', { name: 'Log of platform' })).toBeVisible()
})

test('start, restart and stop, each offered only when it can be done', async ({ page, open }) => {
  await open('/providers')
  await expect(page.getByRole('button', { name: 'Start tts', exact: true })).toBeDisabled()
  await page.getByRole('button', { name: 'Restart platform' }).click()
  await page.getByRole('button', { name: 'Stop platform' }).click()
  await expect(page.getByRole('heading', { name: /platform.*stopped/ })).toBeVisible()
  await page.getByRole('button', { name: 'Start platform', exact: true }).click()
  await expect(page.getByRole('heading', { name: /platform.*ready/ })).toBeVisible()
})
