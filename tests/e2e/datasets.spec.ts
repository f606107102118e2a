import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { postControl, seriousFindings, test } from '../helpers/panel-page.ts'

const GRAPH = '/datasets?dataset=smoke&view=graph'

test('gold facts are marked in the text, and questions link to them', async ({ page, open }) => {
  await open('/datasets?dataset=graph_native')
  const question = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /\.md$/ }) })
  const link = question.first().getByRole('link', { name: /\.md$/ }).first()
  await link.click()
  const text = page.getByRole('article')
  await expect(text.locator('mark').first()).toBeVisible()
  await expect(text.locator('mark').first()).toBeInViewport()
})

test('chunks are bordered in place, with their overlap, and the link keeps the chosen one', async ({
  page,
  open,
  panel,
}) => {
  const document = { dataset_id: 'graph_native', path: 'oumel-navigation-scheme.md' }
  const answer = await panel.client.datasets.chunks(document)
  if (!answer.ok) throw new Error(answer.message)
  const [, { start, end, tokens }] = answer.chunks as [unknown, (typeof answer.chunks)[number]]
  await open(`/datasets?dataset=graph_native&view=documents&document=${document.path}`)
  const text = page.getByRole('article')
  await expect(text.locator('mark').first()).toBeVisible()
  const written = await readFile(join(panel.root, 'corpus/graph_native', document.path), 'utf8')
  await expect(text).not.toContainText('# ')
  await page.getByLabel('Show chunks').check({ force: true })
  const second = text.getByRole('button', { name: `Chunk 2: ${end - start} characters, ${tokens} tokens` })
  await expect(second).toBeVisible()
  await expect(
    page.getByText(/chunks, recursive, up to 800 characters, overlap up to 100 · profile graph_native/),
  ).toBeVisible()
  const overlap = text.locator('[data-kind=overlap]')
  expect((await overlap.allTextContents()).join('').length).toBeGreaterThanOrEqual(100)
  await second.click()
  await expect(second).toHaveAttribute('aria-pressed', 'true')
  expect((await text.locator('[data-chosen]').allTextContents()).join('')).toBe(written.slice(start, end))
  expect(await seriousFindings(page)).toEqual([])
  await page.reload()
  await expect(second).toHaveAttribute('aria-pressed', 'true')
  expect(page.url()).toContain('chunk=2')
})

test.describe('a dataset of many documents', () => {
  const names = Array.from({ length: 240 }, (_, index) => `note-${String(index).padStart(3, '0')}.md`)
  test.use({
    panelOptions: {
      own: true,
      prepare: async (root) => {
        for (const name of names)
          await writeFile(join(root, 'corpus/smoke', name), `# ${name}\n\nA lock keeper notes the time.\n`)
      },
    },
  })

  test('lists them by page with their number, and finds one by words of its path', async ({ page, open }) => {
    await open('/datasets?dataset=smoke&view=documents')
    const list = page.getByRole('navigation', { name: 'Documents' })
    await expect(list.getByRole('status')).toHaveText('243 documents')
    await expect(list.getByRole('listitem')).toHaveCount(100)
    await list.getByRole('button', { name: 'Show 100 more' }).click()
    await expect(list.getByRole('listitem')).toHaveCount(200)
    await list.getByRole('button', { name: 'Show 43 more' }).click()
    await expect(list.getByRole('listitem')).toHaveCount(243)
    await list.getByLabel('Search documents').fill('239 NOTE')
    await expect(list.getByRole('status')).toHaveText('1 of 243 documents')
    await list.getByRole('link', { name: /note-239/ }).click()
    await expect(page.getByRole('article')).toContainText('A lock keeper notes the time.')
    expect(await seriousFindings(page)).toEqual([])
  })
})

test.describe('a dataset that changes', () => {
  test.use({ panelOptions: { own: true } })

  test('a long document loads slice by slice, its chunks with it', async ({ page, open }) => {
    const text = 'Boats pass the lock by day. '.repeat(6000)
    await open('/datasets?dataset=smoke')
    await postControl(page, 'datasets/addDocument', { dataset_id: 'smoke', name: 'long', text })
    await open('/datasets?dataset=smoke&view=documents&document=long.md&chunks=true')
    await page.reload()
    const article = page.getByRole('article')
    await expect(article.getByRole('button', { name: /^Chunk 143:/ })).toBeAttached()
    await expect(article.getByRole('button', { name: /^Chunk 150:/ })).toHaveCount(0)
    await page.getByRole('button', { name: /^Show 68.000 more$/ }).click()
    await expect(article.getByRole('button', { name: /^Chunk 240:/ })).toBeAttached()
    await expect(page.getByRole('button', { name: /^Show .* more$/ })).toHaveCount(0)
  })
})

test.describe('after an ingestion', () => {
  // In one worker, with one engine: the ingestion takes longer than the specs.
  test.describe.configure({ mode: 'default' })
  test.use({ panelOptions: { ingested: true } })

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
})

test.describe('before the first run', () => {
  test.use({ panelOptions: { empty: true } })
  test('a graph that is not there explains what makes it appear', async ({ page, open }) => {
    await open(GRAPH)
    await expect(page.getByText('No graph yet')).toBeVisible()
    await page.getByRole('link', { name: 'New run on this dataset' }).click()
    expect(decodeURIComponent(page.url())).toContain('smoke')
  })
})
