import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { inEachScheme, picture, seriousFindings, test, fitsWidth } from '../helpers/panel-page.ts'

test.use({ panelOptions: { own: true } })

test('the form of a tuning fits windows of 1440, 900 and 420 pixels, with nothing over its plan', async ({
  page,
  open,
}) => {
  await open('/tools/tune?dataset=graph_native&alias=hybrid-rag-fast')
  const plan = page.getByRole('region', { name: 'Before it starts' })
  const form = page.getByRole('form', { name: 'Tune an approach' })
  await expect(form.getByRole('button', { name: 'Add parameter' })).toBeVisible()
  for (const width of [1440, 900, 420]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await fitsWidth(page), `at ${width}`).toBe(true)
    const [one, other] = [await form.boundingBox(), await plan.boundingBox()]
    expect(one!.x + one!.width <= other!.x || one!.y + one!.height <= other!.y, `at ${width}`).toBe(true)
  }
})

test('an approach is tuned: planned, started, stopped, continued, shown, and saved as a flavor', async ({
  page,
  open,
  panel,
}) => {
  test.slow()
  await open('/tools/tune?dataset=graph_native&alias=hybrid-rag-fast')
  const form = page.getByRole('form', { name: 'Tune an approach' })
  const plan = page.getByRole('region', { name: 'Before it starts' })
  await expect(plan).toContainText('Choose a dataset, an approach')
  await form.getByRole('button', { name: 'Add parameter' }).click()
  // What cannot be tuned is said where the plan would be.
  const first = form.getByLabel('Values of', { exact: false }).first()
  await first.fill('x')
  await expect(plan.getByRole('alert')).toContainText('expected')
  await form.getByLabel('Parameter 1').click()
  await page.getByRole('option', { name: 'Weight of the vectors' }).click()
  await form.getByLabel('Values of Weight of the vectors').fill('0:1:0.1')
  await form.getByRole('button', { name: 'Add parameter' }).click()
  await form.getByLabel('Parameter 2').click()
  await page.getByRole('option', { name: 'Reranker', exact: true }).click()
  await form.getByLabel('Context budget (tokens)').fill('200')
  await expect(plan).toContainText(
    '21 settings of alpha, rerank against hybrid-rag-fast as it is, by facts found, 200 tokens',
  )
  await expect(plan).toContainText('no answer is written')
  await expect(plan).toContainText('No model of these calls is paid for')
  expect(await seriousFindings(page, 'all')).toEqual([])
  await picture(page, 'tune-plan')
  await plan.getByRole('button', { name: 'Start tuning' }).click()

  const tuning = page.getByRole('region', { name: 'The tuning' })
  await tuning.getByRole('button', { name: 'Stop' }).click()
  await expect(tuning).toContainText('Stopped before its end')
  await expect(page.getByRole('region', { name: 'Openings of this holdout' })).toContainText('still sealed')
  await tuning.getByRole('button', { name: 'Continue' }).click()
  await expect(tuning).toContainText(/onfirmed:|Refuted:/, {
    timeout: 120_000,
  })
  await expect(page.getByRole('region', { name: 'Map: mean facts found' }).first()).toContainText('alpha')
  const settings = page.getByRole('region', { name: 'Settings on development' }).first()
  await expect(settings.getByRole('row')).toHaveCount(23)
  await settings.getByLabel('Frontier only').check()
  await expect(settings.getByRole('row').nth(1)).toContainText('frontier')
  await settings.getByLabel('Frontier only').uncheck()
  await inEachScheme(page, async (scheme) => {
    expect(await seriousFindings(page, scheme === 'light' ? 'all' : 'colours')).toEqual([])
    await picture(page, `tune-result-${scheme}`)
  })
  await page.setViewportSize({ width: 420, height: 900 })
  expect(await fitsWidth(page)).toBe(true)
  await picture(page, 'tune-result-420')
  await page.setViewportSize({ width: 1440, height: 900 })

  const list = page.getByRole('region', { name: 'Tunings' }).first()
  await expect(list.getByRole('row').nth(1)).toContainText('done')
  const ledger = await readFile(join(panel.root, 'tuning/holdouts.jsonl'), 'utf8')
  expect(ledger).toContain('"kind":"opening"')
  const openings = page.getByRole('region', { name: 'Openings of this holdout' }).first()
  await expect(openings).toContainText('Opened once')
  await tuning.getByRole('button', { name: 'Save as flavor…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save the winner as a flavor' })
  await dialog.getByLabel('Name of the flavor').fill('bm25')
  await dialog.getByRole('button', { name: 'Save flavor' }).click()
  await expect(dialog).toContainText('belongs to the project')
  await dialog.getByLabel('Name of the flavor').fill('my-hybrid')
  await dialog.getByRole('button', { name: 'Save flavor' }).click()
  await expect(dialog).toBeHidden()
  await open('/launch?datasets=["graph_native"]&models=["my-hybrid"]&step=2')
  await expect(page.getByRole('checkbox', { name: 'my-hybrid' })).toBeChecked()
})
