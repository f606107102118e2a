import { expect } from '@playwright/test'
import { picture, seriousFindings, test, fitsWidth } from '../helpers/panel-page.ts'

test.use({ panelOptions: { own: true } })

test('a flavor with other parameters is made, runs beside its approach, is changed, removed and brought back', async ({
  page,
  open,
  panel,
}) => {
  await open('/launch?datasets=["smoke"]&models=["hybrid-rag"]&metrics=[]&name=own-flavor&step=2')
  await page.getByText(/^\d+ flavors of hybrid$/).click()
  await page.getByRole('button', { name: 'New flavor of hybrid' }).click()
  const form = page.getByRole('form', { name: 'New flavor of hybrid' })
  const save = form.getByRole('button', { name: 'Save flavor' })
  await expect(save).toBeDisabled()
  await form.getByLabel('Chunks handed over').fill('10')
  await expect(form.getByLabel('Name')).toHaveAttribute('placeholder', 'hybrid-rag-top-n-10')
  await expect(form).toContainText('Was 5.')
  expect(await seriousFindings(page)).toEqual([])
  await picture(page, 'flavor-editor')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 420, height: 900 })
  expect(await fitsWidth(page)).toBe(true)
  await picture(page, 'flavor-editor-narrow')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
  // A name of the project is refused at its field, and nothing is lost.
  await form.getByLabel('Name').fill('bm25')
  await save.click()
  await expect(form).toContainText('the alias bm25 belongs to the project')
  await form.getByLabel('Name').fill('hybrid-k10')
  await save.click()
  await expect(form).toBeHidden()

  const own = page.getByRole('checkbox', { name: /^hybrid-k10/ })
  await expect(own).toBeChecked()
  await picture(page, 'flavor-chosen', { fullPage: true })
  await expect(page.getByText('chunks handed over 10', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Run 8 answers' }).click()
  const stateOf = async () => (await panel.client.runs.jobs()).find((job) => job.run_id === 'own-flavor')?.state
  await expect.poll(stateOf, { timeout: 60_000 }).toBe('completed')
  await open('/runs/own-flavor/matrix?dataset=smoke')
  await expect(page.getByRole('columnheader', { name: /hybrid-k10/ })).toBeVisible()
  await expect(page.locator('[role=gridcell][data-state=ok]').first()).toBeVisible()

  await open('/launch?datasets=["smoke"]&models=["hybrid-rag","hybrid-k10"]&metrics=[]&name=own-flavor&step=2')
  await page.getByRole('button', { name: 'Change hybrid-k10' }).click()
  const change = page.getByRole('form', { name: 'Change hybrid-k10' })
  await change.getByLabel('Chunks handed over').fill('12')
  await change.getByRole('button', { name: 'Save flavor' }).click()
  // Its finished cells were made with another value, and the plan shows it.
  await expect(page.getByText('approach.parameters.top_n', { exact: true })).toBeVisible()
  await picture(page, 'flavor-conflict', { fullPage: true })
  await page.getByRole('button', { name: 'Remove hybrid-k10' }).click()
  await expect(page.getByRole('checkbox', { name: /^hybrid-k10/ })).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('checkbox', { name: /^hybrid-k10/ })).toBeVisible()
})
