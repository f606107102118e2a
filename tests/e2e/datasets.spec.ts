import { expect } from '@playwright/test'
import { seriousFindings, test } from '../helpers/panel-page.ts'

const GRAPH = '/datasets?dataset=graph_native&view=graph'

test('gold facts are marked where they stand, and questions lead there', async ({ page, open }) => {
  await open('/datasets?dataset=graph_native')
  const question = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /\.md$/ }) })
  const link = question.first().getByRole('link', { name: /\.md$/ }).first()
  await link.click()
  const text = page.getByRole('article')
  await expect(text.locator('mark').first()).toBeVisible()
  await expect(text.locator('mark').first()).toBeInViewport()
})

test('the graph as a table: search, an entity, its relations, all by keyboard', async ({ page, open }) => {
  await open(`${GRAPH}&as=table`)
  const table = page.getByRole('table', { name: 'Entities' })
  const first = table.getByRole('rowheader').first().getByRole('button')
  await expect(first).toBeVisible()
  const name = await first.innerText()
  await first.focus()
  await page.keyboard.press('Enter')
  const entity = page.getByRole('region', { name: 'Entity' })
  await expect(entity.getByRole('heading', { name })).toBeVisible()
  expect(page.url()).toContain('entity=')
  const neighbour = entity.getByRole('listitem').first().getByRole('button')
  const other = await neighbour.innerText()
  await neighbour.focus()
  await page.keyboard.press('Enter')
  await expect(entity.getByRole('heading', { name: other })).toBeVisible()
  await page
    .getByRole('combobox', { name: 'Find an entity' })
    .or(page.getByRole('textbox', { name: 'Find an entity' }))
    .fill(other)
  await expect(table.getByRole('rowheader').first()).toHaveText(other)
  expect(await seriousFindings(page)).toEqual([])
})

test('the graph drawn: laid out beside the page, with a legend', async ({ page, open }) => {
  const workers: string[] = []
  page.on('worker', (worker) => workers.push(worker.url()))
  await open(GRAPH)
  await expect(page.getByRole('list', { name: 'Legend' })).toContainText('colour: community')
  const drawing = page.getByRole('img', { name: /Knowledge graph of \d+ entities/ })
  await expect(drawing.locator('canvas').first().or(page.getByText('The drawing needs WebGL'))).toBeVisible()
  expect(workers.some((url) => url.includes('layout.worker'))).toBe(true)
})

test.describe('before the first run', () => {
  test.use({ panelOptions: { empty: true } })
  test('a graph that is not there says what makes it appear', async ({ page, open }) => {
    await open(GRAPH)
    await expect(page.getByText('No graph yet')).toBeVisible()
    await page.getByRole('link', { name: 'Launch a run on this dataset' }).click()
    expect(decodeURIComponent(page.url())).toContain('graph_native')
  })
})
