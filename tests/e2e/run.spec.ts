import { expect } from '@playwright/test'
import { test } from '../helpers/panel-page.ts'

test.use({ panelOptions: { cellMs: 60 } })

test('launch: a wrong choice is named by its path, a right one shows the plan and starts', async ({ page, open }) => {
  await open('/launch?datasets=["smoke"]&models=["vanilla-rag","hybrid-rag"]')
  await expect(page.getByRole('button', { name: 'Run 8 cells' })).toBeEnabled()
  await page.getByRole('textbox', { name: 'Run name' }).fill('taken')
  await expect(page.getByRole('listitem').filter({ hasText: 'run_id another run of this name' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Run name' })).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByRole('button', { name: /^Run/ }).last()).toBeDisabled()
  await page.getByRole('textbox', { name: 'Run name' }).fill('mine')
  await page
    .getByRole('checkbox', { name: /^agentic-rag/ })
    .first()
    .check()
  expect(decodeURIComponent(page.url())).toContain('agentic-rag')
  await page.getByRole('button', { name: 'Run 12 cells' }).click()
  await expect(page.getByRole('heading', { name: 'Ladder · mine' })).toBeVisible()
})

test('the strip follows on every page; pause, resume and cancel', async ({ page, open }) => {
  await open('/launch?datasets=["graph_native"]')
  await page.getByRole('button', { name: /^Run \d/ }).click()
  const strip = page.getByRole('contentinfo', { name: 'Run under way' })
  await expect(strip).toContainText(/[1-9]\d*\/144 cells/)
  await page.getByRole('link', { name: 'Providers' }).click()
  await strip.getByRole('button', { name: 'Pause' }).click()
  await expect(strip).toContainText('paused')
  await strip.getByRole('button', { name: 'Resume' }).click()
  await expect(strip).toContainText('cells/s')
  await strip.getByRole('button', { name: 'Cancel run' }).click()
  await expect(strip).toHaveCount(0)
})

test('a stream that breaks is read on from its number: no step is lost or told twice', async ({
  page,
  open,
  panel,
}) => {
  await open('/launch?datasets=["smoke"]')
  await page.getByRole('button', { name: /^Run \d/ }).click()
  await expect(page.locator('[data-step=cells][data-state=running]')).toBeVisible()
  panel.dropStreams()
  await expect(page.getByText('● The run is complete')).toBeVisible({ timeout: 15_000 })
  await expect(page.getByText(/^24\/24 cells/).first()).toBeVisible()
})

test('an engine that is gone is said on every page, and the page keeps what it has', async ({ page, open, panel }) => {
  await open('/')
  await expect(page.getByText('Last results')).toBeVisible()
  await panel.close()
  await expect(page.getByText('The engine does not answer.')).toBeVisible()
  await expect(page.getByText('Last results')).toBeVisible()
})

test('everything that was chosen stands in the link', async ({ page, open }) => {
  await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]')
  await page.getByRole('textbox', { name: 'Run name' }).fill('linked')
  await page.getByRole('checkbox', { name: /^faithfulness/ }).uncheck()
  await page.getByRole('checkbox', { name: /^Blinded judge panel/ }).check()
  await page.getByRole('textbox', { name: 'Answers per question' }).fill('3')
  await page.getByRole('checkbox', { name: /^Cold start/ }).check()
  await expect.poll(() => page.url()).toContain('repeats=3')
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Run name' })).toHaveValue('linked')
  await expect(page.getByRole('checkbox', { name: /^faithfulness/ })).not.toBeChecked()
  await expect(page.getByRole('checkbox', { name: /^Blinded judge panel/ })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: /^Cold start/ })).toBeChecked()
  await expect(page.getByRole('heading', { name: 'Plan' })).toBeVisible()
})

test('nothing chosen is a problem with a path, and the button waits', async ({ page, open }) => {
  await open('/launch?datasets=[]&models=[]')
  await expect(page.getByText('dataset_ids', { exact: true })).toBeVisible()
  await expect(page.getByText('models', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeDisabled()
})

test.describe('a step that fails', () => {
  test.use({ panelOptions: { cellMs: 20, failStep: 'start' } })
  test('says what, where and how to mend it; the button mends it', async ({ page, open }) => {
    await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]&name=mended')
    await page.getByRole('button', { name: 'Run 4 cells' }).click()
    const failed = page.locator('[data-step=start][data-state=failed]')
    await expect(failed).toContainText('Failed:')
    await expect(failed).toContainText('port 41200 is taken')
    await expect(failed.getByRole('button', { name: 'Look at the services' })).toBeVisible()
    await failed.getByRole('button', { name: 'Resume run' }).click()
    await expect(page.getByText('● The run is complete')).toBeVisible({ timeout: 15_000 })
  })
})

test('the eight phases of an ingestion stand below its step while it goes', async ({ page, open }) => {
  await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]')
  await page.getByRole('button', { name: 'Run 4 cells' }).click()
  const phases = page.getByRole('group', { name: 'Phases of the ingestion' })
  await expect(phases).toContainText(/discover.*parse.*chunk.*embed.*vector write.*graph upload.*drain.*finalize/s)
  await expect(phases).toContainText('41 chunks')
  await expect(page.getByRole('list', { name: 'Log' })).toContainText('smoke: ingest started')
})
