import { readFile } from 'node:fs/promises'
import { expect } from '@playwright/test'
import { seriousFindings, test } from '../helpers/panel-page.ts'

const COMPARE = '/runs/compare?run=ladder-2026-11-20&dataset=graph_native'

test('a run against another: differences with intervals and decisions, and the conditions that differ', async ({
  page,
  open,
}) => {
  await open(COMPARE)
  await expect(page.getByText('Choose runs to see which approaches')).toBeVisible()
  await page.getByRole('combobox', { name: 'Other runs' }).click()
  await page.getByRole('option', { name: 'ladder-2026-11-18-r2' }).click()
  expect(decodeURIComponent(page.url())).toContain('runs=["ladder-2026-11-18-r2"]')
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

test('the result of the chosen dataset alone stands above its comparison', async ({ page, open, panel }) => {
  const { verdicts } = await panel.client.compare.result({ run_id: 'ladder-2026-11-20' })
  expect(verdicts.length).toBeGreaterThan(1)
  await open(COMPARE)
  await expect(page.getByRole('heading', { name: 'Result of ladder-2026-11-20' })).toBeVisible()
  for (const { dataset, label, headline } of verdicts) {
    const verdict = page.getByRole('article', { name: label }).getByText(headline, { exact: true })
    await expect(verdict).toHaveCount(dataset === 'graph_native' ? 1 : 0)
  }
})

test('quality against each cost: a link keeps the choice, axes have names, intervals come in', async ({
  page,
  open,
}) => {
  await open(`${COMPARE}&metric=token_f1&cost=total_tokens`)
  const chart = page.getByRole('img', { name: /Token F1 against mean tokens per cell/ })
  await expect(chart).toContainText('mean tokens per cell')
  await expect(chart).toContainText('mean token F1, 95 % interval')
  const table = page.getByRole('region', { name: 'Quality and costs by approach' })
  await expect(table.getByRole('row').nth(1)).toContainText(/\[\d\.\d\d, \d\.\d\d\]/)
  await page.getByText('LLM calls', { exact: true }).first().click()
  await expect(page.getByRole('img', { name: /against mean LLM calls per cell/ })).toBeVisible()
  expect(page.url()).toContain('cost=llm_calls')
  const curve = page.getByRole('region', { name: 'Means by rung' })
  await expect(curve.getByRole('row').nth(1)).toContainText(/\d\.\d\d \[\d\.\d\d, \d\.\d\d\]/)
})

test('charts are saved as pictures that name what they show', async ({ page, open }) => {
  await open(COMPARE)
  await expect(page.getByRole('region', { name: 'Quality and costs by approach' })).toContainText('[')
  const svg = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save the chart as SVG' }).first().click()
  const saved = await svg
  expect(saved.suggestedFilename()).toBe('ladder-2026-11-20-graph_native-facts_found-latency_ms.svg')
  const text = await readFile(await saved.path(), 'utf8')
  for (const words of ['Facts found against mean latency', 'contextual', 'lazy-graph']) expect(text).toContain(words)
  expect(text).not.toContain('var(--')
  const png = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save the chart as PNG' }).last().click()
  const bytes = await readFile(await (await png).path())
  expect(bytes.subarray(1, 4).toString()).toBe('PNG')
  expect(bytes.byteLength).toBeGreaterThan(10_000)
})

test.describe('without a run', () => {
  test.use({ panelOptions: { empty: true } })
  test('explains what can be compared', async ({ page, open }) => {
    await open('/runs/compare')
    await expect(page.getByText('No run yet')).toBeVisible()
    expect(await seriousFindings(page)).toEqual([])
  })
})
