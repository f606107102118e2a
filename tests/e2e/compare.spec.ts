import { expect } from '@playwright/test'
import { seriousFindings, test } from '../helpers/panel-page.ts'

const COMPARE = '/runs/compare?run=ladder-2026-11-20&dataset=graph_native'

test('a run against another: differences with intervals and decisions, and the conditions that differ', async ({
  page,
  open,
}) => {
  await open(`${COMPARE}&runs=["ladder-2026-11-18-r2"]`)
  const differences = page.getByRole('region', { name: 'Differences between runs' })
  await expect(differences.getByRole('row')).toHaveCount(8)
  await expect(differences.getByRole('row').nth(1)).toContainText(/[+−]?0\.\d\d \[[+−]?0\.\d\d, [+−]?0\.\d\d\]/)
  await expect(differences.getByRole('row').nth(1)).toContainText(/open|equivalent|better|worse/)
  await expect(page.getByText(/^On \d+ shared questions, corrected over \d+ tested approaches: /)).toBeVisible()
  const conditions = page.getByRole('region', { name: 'Fields that differ' })
  await expect(conditions.getByRole('columnheader', { name: 'ladder-2026-11-18-r2' })).toBeVisible()
  await expect(conditions).toContainText('repository › revision')
  // A count of cells leads to these cells.
  await page.getByRole('button', { name: /questions of vanilla-rag: list them below$/ }).click()
  const listed = page.getByRole('region', { name: 'Question by question' }).locator('tbody tr')
  await expect(listed.filter({ hasText: 'vanilla' }).first()).toBeVisible()
  await expect(listed.filter({ hasNotText: 'vanilla' })).toHaveCount(0)
})

test('an address without a second run leads to the list, where two runs are ticked', async ({ page, open }) => {
  await open(COMPARE)
  await expect(page.getByRole('heading', { name: 'Choose two runs' })).toBeVisible()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('link', { name: 'Tick two runs in the list' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Runs' })).toBeVisible()
})
