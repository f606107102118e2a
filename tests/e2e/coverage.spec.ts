import { expect } from '@playwright/test'
import { expectTooltip, test } from '../helpers/panel-page.ts'

const COVERAGE = '/runs/ladder-2026-11-20/coverage?dataset=graph_native'

test('every expected cell is accounted for, with reasons; timeouts apart', async ({ page, open }) => {
  await open(COVERAGE)
  const table = page.getByRole('region', { name: 'Coverage', exact: true })
  await expect(table.getByRole('columnheader')).toHaveText([
    'Approach',
    'Metric',
    'State',
    'Mean',
    'Scored',
    '▲ Errors',
    '◷ Timeouts',
    '○ Not evaluable',
    // No answer of this run is disabled or missing.
    '✕ Not scored',
    'Reasons',
  ])
  for (const row of await table.locator('tbody tr').all()) {
    const counts = (await row.locator('td').allTextContents()).slice(3, -1)
    const [scored, expected] = counts[0]!.split('/').map(Number)
    const others = counts.slice(1).map(Number)
    expect(scored! + others.reduce((sum, cells) => sum + cells, 0)).toBe(expected)
  }
  await expect(table).toContainText('23 answers: the approach answers without contexts')
  await expect(page.getByRole('heading', { name: 'What cannot be compared, and why' })).toBeVisible()
})

test('only gaps is kept in the link', async ({ page, open }) => {
  await open(COVERAGE)
  const rows = page.getByRole('region', { name: 'Coverage', exact: true }).locator('tbody tr')
  await expect(rows.first()).toBeVisible()
  const all = await rows.count()
  await page.getByRole('checkbox', { name: 'only gaps' }).check()
  await expect.poll(() => rows.count()).toBeLessThan(all)
  expect(page.url()).toContain('gaps=true')
  // A score that a question lacks for every approach is not a gap of one.
  await expect(rows.filter({ hasText: 'vanilla-rag' }).filter({ hasText: 'facts found' })).toHaveCount(0)
})

test('a number of cells leads to these cells', async ({ page, open }) => {
  await open(COVERAGE)
  const table = page.getByRole('region', { name: 'Coverage', exact: true })
  await table
    .getByRole('row')
    .filter({ hasText: 'graph-rag' })
    .getByRole('link', { name: '23', exact: true })
    .first()
    .click()
  await expect(page).toHaveURL(/#\/runs\/ladder-2026-11-20\/matrix\?.*states=.*not_evaluable/)
  await expect(page.getByRole('columnheader').nth(1)).toContainText('graph')
  await expect(page.locator('[role=gridcell][data-state=not_evaluable]').first()).toBeVisible()
})

test('answers that refuse are counted by approach, and their number explains how it was decided', async ({
  page,
  open,
}) => {
  await open(COVERAGE)
  const chips = page.getByRole('region', { name: 'Coverage', exact: true }).getByText(/^⊘ Refused/)
  // The other approaches have no row that records it.
  await expect(chips).toHaveText(['⊘ Refused 2/24, 1 unknown', '⊘ Refused 1/24'])
  await expectTooltip(page, chips.first(), 'for 3 answers by the evaluator’s language model')
})
