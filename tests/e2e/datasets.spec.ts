import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { inEachScheme, postControl, seriousFindings, test, fitsWidth } from '../helpers/panel-page.ts'

const GRAPH = '/datasets?dataset=smoke&view=graph'

test('the list has documents, questions, state and last verdict of each dataset; two ticked ones are taken into one run', async ({
  page,
  open,
}) => {
  await open('/datasets')
  const list = page.getByRole('region', { name: 'Datasets' })
  await expect(list.getByRole('columnheader')).toHaveText([
    'Tick',
    'Name',
    'Kind',
    'Documents',
    'Questions',
    'Level',
    'State',
    'Last run',
  ])
  const native = list.getByRole('row').filter({ has: page.getByRole('link', { name: /^Graph.native/ }) })
  await expect(native).toContainText('project')
  await expect(native).toContainText('● ingested')
  await expect(native.getByRole('link', { name: /^run-|ladder/ })).toBeVisible()
  // None is the person's own: what to do is above the list.
  await expect(page.getByRole('heading', { name: 'No dataset of yours yet' })).toBeVisible()
  const fits = `(() => {
    const list = document.querySelector('[role=region][aria-label=Datasets]')
    return list.scrollWidth <= list.clientWidth
  })()`
  for (const [width, height] of [
    [420, 900],
    [720, 450],
    [900, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    expect(await fitsWidth(page)).toBe(true)
    expect(await page.evaluate(fits)).toBe(true)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await inEachScheme(page, async () => expect(await seriousFindings(page)).toEqual([]))
  // By keyboard: tick two, then the button that takes them.
  const ticks = list.getByRole('checkbox')
  await ticks.nth(0).focus()
  await page.keyboard.press('Space')
  await ticks.nth(1).focus()
  await page.keyboard.press('Space')
  await expect(page.getByRole('status').filter({ hasText: '2 datasets ticked' })).toBeVisible()
  await page.reload()
  await expect(ticks.nth(1)).toBeChecked()
  await page.getByRole('button', { name: 'New run on 2 datasets' }).press('Enter')
  await expect(page).toHaveURL(/launch\?.*datasets=/)
})

test('an address of a dataset that is not there says so, and the list stays', async ({ page, open }) => {
  await open('/datasets?dataset=nope')
  await expect(page.getByRole('alert')).toContainText('There is no dataset nope')
  await page
    .getByRole('region', { name: 'Datasets' })
    .getByRole('link', { name: /^Graph.native/ })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: /^Graph.native/ })).toBeVisible()
  await page.getByRole('link', { name: '‹ Datasets' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Datasets' })).toBeVisible()
})

test.describe('a long list', () => {
  test.use({ panelOptions: { own: true } })
  test('is searched by words of name and description', async ({ page, open, panel }) => {
    for (let number = 1; number <= 9; number++)
      await panel.client.datasets.create({ id: `notes_${number}`, label: `Notes ${number}` })
    await open('/datasets')
    await page.getByLabel('Search datasets').fill('7 notes')
    const rows = page.getByRole('region', { name: 'Datasets' }).getByRole('row')
    await expect(rows).toHaveCount(2)
    await expect(rows.nth(1)).toContainText('needs documents')
    await expect(rows.nth(1).getByRole('checkbox', { name: 'Notes 7 has no questions to run' })).toBeDisabled()
    await page.getByLabel('Search datasets').fill('nothing like it')
    await expect(page.getByText('No dataset has “nothing like it” in its name or description.')).toBeVisible()
  })
})

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

test.describe('a dataset of one’s own that cannot be read', () => {
  const folder = 'datasets/harbour'
  test.use({
    panelOptions: {
      prepare: async (root) => {
        await mkdir(join(root, folder, 'documents'), { recursive: true })
        await writeFile(join(root, folder, 'dataset.yaml'), 'version: 1\nlabel: Harbour\nquestions: none\n')
      },
    },
  })

  test('is named with its file and what is wrong, and is in the list when it is repaired', async ({
    page,
    open,
    panel,
  }) => {
    await open('/datasets?dataset=harbour')
    const alert = page.getByRole('main').getByRole('alert')
    await expect(alert).toHaveCount(1)
    await expect(alert).toContainText('harbour cannot be used')
    await expect(alert).toContainText(`${folder}/dataset.yaml`)
    await expect(alert).toContainText('questions')
    await writeFile(join(panel.root, folder, 'dataset.yaml'), 'version: 1\nlabel: Harbour\nquestions: []\n')
    await expect(page.getByRole('heading', { level: 1, name: 'Harbour' })).toBeVisible()
  })
})
