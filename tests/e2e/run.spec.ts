import { expect } from '@playwright/test'
import { test } from '../helpers/fake-panel-page.ts'

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
  await expect(strip).not.toContainText(/[-−]\d+(?:\.\d)? (?:ms|s|min)/)
  await page.getByRole('link', { name: 'Providers' }).click()
  await strip.getByRole('button', { name: 'Pause' }).click()
  await expect(strip).toContainText('paused')
  await strip.getByRole('button', { name: 'Resume' }).click()
  await expect(strip).toContainText('cells/s')
  await strip.getByRole('button', { name: 'Cancel run…' }).click()
  const question = page.getByRole('dialog', { name: /^Cancel run/ })
  await expect(question).toContainText(/\d+ of 144 cells are done and kept/)
  await question.getByRole('button', { name: 'Keep run' }).click()
  await expect(strip).toContainText('cells/s')
  await strip.getByRole('button', { name: 'Cancel run…' }).click()
  await question.getByRole('button', { name: 'Cancel run' }).click()
  await expect(strip).toHaveCount(0)
  await page.getByRole('link', { name: 'Ladder', exact: true }).click()
  const note = page.getByRole('status').filter({ hasText: /was cancelled after \d+ of 144 cells/ })
  await expect(note).toHaveCount(1)
  await expect(page.getByText(/interrupted/)).toHaveCount(0)
  await expect(note.getByRole('button', { name: 'Resume run' })).toBeVisible()
  // A stopped run has no rate and no time left.
  await expect(page.locator('[data-step=cells][data-state=stopped]')).toContainText(/\d+\/144 cells/)
  await expect(page.getByText(/cells\/s/)).toHaveCount(0)
})

test('a stream that breaks is read on from its number: no step is lost or shown twice', async ({
  page,
  open,
  panel,
}) => {
  await open('/launch?datasets=["smoke"]')
  await page.getByRole('button', { name: /^Run \d/ }).click()
  await expect(page.locator('[data-step=cells][data-state=running]')).toBeVisible()
  panel.dropStreams()
  await expect(page.getByRole('status').filter({ hasText: /is complete: \d+ of \d+ cells/ })).toBeVisible({
    timeout: 15_000,
  })
  await expect(page.getByText(/^24\/24 cells/).first()).toBeVisible()
})

test('an engine that is gone is reported on every page, and the page keeps what it has', async ({
  page,
  open,
  panel,
}) => {
  await open('/')
  await expect(page.getByText('Last results')).toBeVisible()
  await panel.close()
  await expect(page.getByText('The engine does not answer.')).toBeVisible()
  await expect(page.getByText('Last results')).toBeVisible()
})

test('everything that was chosen is kept in the link', async ({ page, open }) => {
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
  test('names what failed, where, and how to fix it; the button fixes it', async ({ page, open }) => {
    await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]&name=repaired')
    await page.getByRole('button', { name: 'Run 4 cells' }).click()
    const failed = page.locator('[data-step=start][data-state=failed]')
    await expect(failed).toContainText('Failed:')
    await expect(failed).toContainText('port 41200 is taken')
    await expect(failed.getByRole('button', { name: 'Open Providers' })).toBeVisible()
    await failed.getByRole('button', { name: 'Resume run' }).click()
    await expect(page.getByRole('status').filter({ hasText: /is complete: \d+ of \d+ cells/ })).toBeVisible({
      timeout: 15_000,
    })
  })
})

test('the eight phases of an ingestion are listed below its step while it runs', async ({ page, open }) => {
  await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]')
  await page.getByRole('button', { name: 'Run 4 cells' }).click()
  const phases = page.getByRole('group', { name: 'Phases of the ingestion' })
  await expect(phases).toContainText(/discover.*parse.*chunk.*embed.*vector write.*graph upload.*drain.*finalize/s)
  await expect(phases).toContainText('41 chunks')
  await expect(page.getByRole('list', { name: 'Log' })).toContainText('smoke: ingest started')
})

test('progress counts all datasets of a run and agrees on strip, Home and Ladder', async ({ page, open }) => {
  await open('/launch?datasets=["smoke","graph_native"]&models=["vanilla-rag","hybrid-rag"]&name=two')
  await page.getByRole('button', { name: 'Run 56 cells' }).click()
  const strip = page.getByRole('contentinfo', { name: 'Run under way' })
  // Cells of the second dataset run: those of the first are counted, and the bar is not full.
  await expect(strip).toContainText('graph_native (2 of 2)', { timeout: 15_000 })
  await expect(strip).toContainText(/(?:9|[1-4]\d)\/56 cells/)
  await expect(strip).not.toContainText(/[-−]\d+(?:\.\d)? (?:ms|s|min)/)
  await expect(page.getByText(/· (?:9|[1-5]\d)\/56 cells/).first()).toBeVisible()
  await page.getByRole('link', { name: 'Home' }).click()
  await expect(page.getByText(/^(?:9|[1-5]\d)\/56$/)).toBeVisible()
})

test.describe('a run that fails before its first cell', () => {
  test.use({ panelOptions: { cellMs: 20, failStep: 'start' } })
  test('stays in the list of runs, with its reason and a link to its steps', async ({ page, open }) => {
    await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]&name=broken')
    await page.getByRole('button', { name: 'Run 4 cells' }).click()
    const note = page.getByRole('status').filter({ hasText: 'Run broken failed. Start services, smoke: the platform' })
    await expect(note).toBeVisible()
    // Nothing can be read in the matrix of a run without a row.
    await expect(note.getByRole('button')).toHaveCount(0)
    await page.goto(page.url().replace(/#.*/, '#/'))
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: 'broken' })
    await expect(row).toContainText('Start services, smoke: the platform gave up')
    await expect(row).toContainText('no row was stored')
    await row.getByRole('link', { name: '▲ failed' }).click()
    await expect(page.locator('[data-step=start][data-state=failed]')).toContainText('port 41200 is taken')
    await expect(page.getByRole('button', { name: 'Resume run' })).toHaveCount(1)
  })
})

test('a cold start shows what it deletes and deletes nothing until the run name is typed', async ({ page, open }) => {
  await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]&name=ladder-2026-11-20')
  await page.getByRole('checkbox', { name: /^Cold start/ }).check()
  await expect(page.getByText('Cold start deletes 28 finished cells of this run.')).toBeVisible()
  await page.getByRole('button', { name: /^Run \d/ }).click()
  const question = page.getByRole('dialog', { name: 'Delete 28 finished cells?' })
  await expect(question.getByRole('row')).toHaveCount(4)
  await expect(question).toContainText('ladder-2026-11-20-smoke-human-round.json')
  await expect(question.getByRole('button', { name: 'Delete and run' })).toBeDisabled()
  await question.getByRole('button', { name: 'Keep files' }).click()
  await expect(page.getByRole('heading', { name: 'Launch' })).toBeVisible()
  await page.getByRole('button', { name: /^Run \d/ }).click()
  await question.getByRole('textbox').fill('ladder-2026-11-20')
  await question.getByRole('button', { name: 'Delete and run' }).click()
  await expect(page.getByRole('heading', { name: 'Ladder · ladder-2026-11-20' })).toBeVisible()
})

test('publishing over published results lists what it replaces and asks', async ({ page, open }) => {
  await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]&name=narrow')
  await page.getByRole('checkbox', { name: /^Publish/ }).check()
  await expect(page.getByText('Publishing replaces the results of smoke from run ladder-2026-11-20.')).toBeVisible()
  await page.getByRole('button', { name: 'Run 4 cells' }).click()
  const question = page.getByRole('dialog', { name: 'Replace published results?' })
  await expect(question).toContainText('2 approaches, 8 cells, judged')
  await expect(question).toContainText('Lost: the judgments')
  await question.getByRole('button', { name: 'Replace and run' }).click()
  await expect(page.getByRole('heading', { name: 'Ladder · narrow' })).toBeVisible()
})
