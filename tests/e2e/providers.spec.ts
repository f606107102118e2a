import { expect } from '@playwright/test'
import { OFFLINE, TABLE_MODEL } from '../helpers/fake-control/service-models.ts'
import { test } from '../helpers/fake-panel-page.ts'
import { postControl, seriousFindings } from '../helpers/panel-page.ts'

test('each service shows its state, and a failed one the reason, with its last lines', async ({ page, open }) => {
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

test('models are listed while their service runs: fetched with their progress, cancelled, removed', async ({
  page,
  panel,
  open,
}) => {
  await open('/providers')
  // Of converter and stt, which could be started: asking them would start them.
  await expect(page.getByText('Its models are listed while it runs.')).toHaveCount(2)
  await postControl(page, 'services/start', { name: 'tts' })
  const models = page.getByRole('table', { name: 'Models of tts' })
  await expect(models.getByRole('row', { name: /^flite/ })).toContainText('part of the installation')
  const kokoro = models.getByRole('row', { name: /^kokoro/ })
  await expect(kokoro).toContainText(/Apache-2\.0.*92\.0 MB.*example\.org.*not here/)
  await expect(kokoro.getByRole('link')).toHaveAttribute('href', 'https://example.org/kokoro')

  const fetching = page.getByRole('button', { name: 'Fetch kokoro' })
  const cancel = page.getByRole('button', { name: 'Cancel kokoro' })
  await fetching.click()
  await expect(kokoro.getByRole('status')).toHaveText('23.0 MB of 92.0 MB')
  await expect(kokoro.getByRole('progressbar', { name: 'Fetching kokoro' })).toHaveAttribute('aria-valuenow', '25')
  expect(await seriousFindings(page)).toEqual([])
  await cancel.click()
  await expect(kokoro).toContainText('not here')
  await expect(models.getByRole('alert')).toHaveCount(0)

  await fetching.click()
  await page.reload()
  await expect(kokoro.getByRole('status')).toHaveText('23.0 MB of 92.0 MB')
  panel.releaseDownloads()
  await page.getByRole('button', { name: 'Remove kokoro' }).click()
  await expect(fetching).toBeVisible()
})

test('a model that cannot be fetched shows why, also after a reload; one that its source can replace is marked', async ({
  page,
  open,
}) => {
  await open('/providers')
  await page.getByRole('button', { name: 'Start converter', exact: true }).click()
  const models = page.getByRole('table', { name: 'Models of converter' })
  await expect(models.getByRole('row', { name: TABLE_MODEL })).toContainText(/not here\s*unpinned/)
  await page.getByRole('button', { name: `Fetch ${TABLE_MODEL}` }).click()
  await expect(models.getByRole('alert')).toContainText(OFFLINE)
  await page.reload()
  await expect(models.getByRole('alert')).toContainText(OFFLINE)
  await expect(page.getByRole('button', { name: `Fetch ${TABLE_MODEL}` })).toBeEnabled()
})
