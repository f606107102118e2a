import { expect, type Page } from '@playwright/test'
import type { MatrixPage, MatrixPageInput } from '../../contract/control/run-index/matrix-page.ts'
import { seriousFindings, test } from '../helpers/panel-page.ts'
import { SEEDED_RUNS } from '../helpers/seeded-project.ts'

const MATRIX = '/runs/ladder-2026-11-20/matrix?dataset=graph_native'
const cells = (page: Page) => page.locator('[role=gridcell]')

test('movement by keyboard: arrows, Enter opens, Escape closes, f filters, / searches', async ({ page, open }) => {
  await open(MATRIX)
  await expect(cells(page).and(page.locator('[data-state=ok]')).first()).toBeVisible()
  const grid = page.getByRole('grid')
  await grid.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await expect(page.locator('[data-active=true]')).toHaveAttribute('aria-colindex', '3')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('complementary', { name: 'Answer' })).toContainText('hybrid-rag')
  expect(page.url()).toMatch(/cell=[0-9a-f]{64}/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('complementary', { name: 'Answer' })).toHaveCount(0)
  await page.keyboard.press('d')
  await expect(page.getByRole('complementary', { name: 'Answer' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('f')
  await expect.poll(() => decodeURIComponent(page.url())).toContain('states=["ok"]')
  await page.keyboard.press('/')
  await expect(page.getByRole('textbox', { name: 'Search questions and answers' })).toBeFocused()
})

test('where the cell takes the place of the grid, the keys go to it and come back', async ({ page, open }) => {
  await page.setViewportSize({ width: 900, height: 900 })
  await open(MATRIX)
  await expect(cells(page).and(page.locator('[data-state=ok]')).first()).toBeVisible()
  const grid = page.getByRole('grid')
  for (const close of ['Escape', 'Close'] as const) {
    await grid.focus()
    await page.keyboard.press('Enter')
    const cell = page.getByRole('complementary', { name: 'Answer' })
    await expect(cell).toBeFocused()
    if (close === 'Escape') await page.keyboard.press(close)
    else await cell.getByRole('button', { name: close }).press('Enter')
    await expect(grid).toBeFocused()
  }
})

test('a link reproduces a view: filters, order, metric and the open cell', async ({ page, open }) => {
  await open(`${MATRIX}&hops=[3]&metric=token_f1&sort=value&sortAlias=hybrid-rag&descending=true`)
  await expect(page.getByRole('columnheader', { name: /hybrid/ })).toHaveAttribute('aria-sort', 'descending')
  await cells(page).and(page.locator('[data-state=ok]')).first().click()
  await expect(page.getByRole('complementary', { name: 'Answer' })).toContainText('3 hops')
  const rows = (await page.getByRole('grid').getAttribute('aria-rowcount'))!
  await page.reload()
  await expect(page.getByRole('complementary', { name: 'Answer' })).toContainText('3 hops')
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', rows)
})

test('a filter is a chip that names its values, and is taken off where it was chosen', async ({ page, open }) => {
  await open('/runs/ladder-2026-11-20/matrix?dataset=graph_native')
  await page.getByRole('button', { name: 'Hops' }).click()
  await page.getByRole('menuitemcheckbox', { name: '2 hops', exact: true }).click()
  await page.getByRole('menuitemcheckbox', { name: '3 hops', exact: true }).click()
  await page.keyboard.press('Escape')
  const chip = page.getByRole('button', { name: 'Hops: 2 hops, 3 hops' })
  await expect(chip).toBeVisible()
  expect(decodeURIComponent(page.url())).toContain('hops=[2,3]')
  await chip.click()
  await page.getByRole('menuitemcheckbox', { name: '3 hops', checked: true, exact: true }).click()
  await expect(page.getByRole('button', { name: 'Hops: 2 hops', exact: true })).toBeVisible()
})

test('filters that nothing passes show a message and can be cleared', async ({ page, open }) => {
  await open(`${MATRIX}&text=${encodeURIComponent('no question has these words')}`)
  await expect(page.getByText('None of 24 questions passes the filters.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(cells(page).first()).toBeVisible()
})

test('a cell shows its value, and time and grade while it is looked at', async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await open(MATRIX)
  const cell = cells(page).and(page.locator('[data-state=ok]')).nth(9)
  await expect(cell).toHaveText(/^[01]\.\d\d/)
  expect(await cell.innerText()).not.toMatch(/ms| s$/)
  await cell.hover()
  await expect.poll(() => cell.innerText()).toMatch(/ms| s$/)
})

/** Questions in the page whose text is cut without a button that shows the rest, and how many there are. */
const cutQuestions = (page: Page): Promise<{ cut: string[]; all: number }> =>
  page.evaluate(`(() => {
    const texts = [...document.querySelectorAll('[role=rowheader] span:first-child')]
    const cut = texts.filter((text) => text.scrollHeight > text.clientHeight + 1 && text.parentElement.querySelector('button') === null)
    return { cut: cut.map((text) => text.textContent), all: texts.length }
  })()`)

test('a row is as high as its question: none is cut, in either density, with answers and beside an open one', async ({
  page,
  open,
  panel,
}) => {
  const first = { run_id: SEEDED_RUNS[0], dataset_id: 'graph_native', metric: 'token_f1' as const, limit: 1 }
  const real = await panel.client.matrix.page(first)
  await page.route('**/control/matrix/page', (route) => {
    const { json } = route.request().postDataJSON() as { json: MatrixPageInput }
    return route.fulfill({
      json: {
        json: manyRows(real, json, (at) => 'Which of the works owned by the group burned? '.repeat(1 + (at % 5))),
      },
    })
  })
  await page.setViewportSize({ width: 1440, height: 900 })
  const active = cells(page).and(page.locator('[data-active=true]'))
  await open(MATRIX)
  for (const density of ['comfortable', 'compact']) {
    await page.evaluate(
      `localStorage.setItem('rag-ladder-preferences', '{"state":{"density":"${density}"},"version":0}')`,
    )
    await page.reload()
    for (const more of ['', '&answers=true', `&cell=${real.rows[0]!.cells[0]!.row_id}`]) {
      await open(`${MATRIX}&metric=token_f1${more}`)
      await expect(cells(page).and(page.locator('[data-state=ok]')).first()).toBeVisible()
      await expect.poll(() => cutQuestions(page)).toMatchObject({ cut: [] })
      expect((await cutQuestions(page)).all).toBeGreaterThan(10)
      await page.getByRole('grid').focus()
      for (const key of ['Control+End', 'PageUp', 'Control+Home', 'PageDown', 'PageDown']) {
        await page.keyboard.press(key)
        await expect(active).toBeInViewport({ ratio: 1 })
        await expect(active).toHaveAttribute('data-state', 'ok')
        await expect.poll(() => cutQuestions(page)).toMatchObject({ cut: [] })
      }
    }
  }
})

test('a very long question shows eight lines, and the rest by a button or a key', async ({ page, open, panel }) => {
  const first = { run_id: SEEDED_RUNS[0], dataset_id: 'graph_native', metric: 'token_f1' as const, limit: 1 }
  const real = await panel.client.matrix.page(first)
  await page.route('**/control/matrix/page', (route) => {
    const { json } = route.request().postDataJSON() as { json: MatrixPageInput }
    return route.fulfill({ json: { json: manyRows(real, json, () => 'Which works burned? '.repeat(19)) } })
  })
  await page.setViewportSize({ width: 1280, height: 900 })
  await open(`${MATRIX}&metric=token_f1`)
  const row = page.getByRole('row').nth(1)
  const heightOf = async (): Promise<number> => (await row.boundingBox())!.height
  await expect.poll(heightOf).toBe(8 * 16 + 8)
  await row.getByRole('button', { name: 'more' }).click()
  await expect.poll(heightOf).toBeGreaterThan(8 * 16 + 8)
  await expect(row).toContainText('(variant 1)')
  await expect(row.getByRole('button', { name: 'less' })).toBeVisible()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('grid').focus()
  await page.keyboard.press('m')
  await expect.poll(heightOf).toBe(8 * 16 + 8)
})

test('an answer at which a pointer rests has its time, tokens and grade', async ({ page, open }) => {
  await open(MATRIX)
  const scored = cells(page).and(page.locator('[data-state=ok]')).first()
  await expect(scored).toHaveAttribute('title', /^[\d.]+ m?s · [\d\u202f]+ tokens · judges [1-5]\.\d of 5$/)
})

test('missing is never shown as a low score: states have signs and no heat', async ({ page, open }) => {
  await open(MATRIX)
  await expect(cells(page).and(page.locator('[data-state=not_evaluable]')).first()).toHaveText(/^○/)
  const graph = page.getByRole('columnheader', { name: /graph.*answer only/ })
  await expect(graph).toContainText('0/24')
})

test('a pinned column stays at the left, in the link too', async ({ page, open }) => {
  await page.setViewportSize({ width: 1024, height: 700 })
  await open(MATRIX)
  await expect(cells(page).and(page.locator('[data-state=ok]')).first()).toBeVisible()
  const grid = page.getByRole('grid')
  await grid.focus()
  for (const key of ['End', 'p', 'Home']) await page.keyboard.press(key)
  const first = page.getByRole('columnheader').nth(1)
  await expect(first).toContainText('lazy-graph')
  await expect(page.getByRole('button', { name: 'Pin lazy-graph-rag' })).toHaveAttribute('aria-pressed', 'true')
  expect(decodeURIComponent(page.url())).toContain('pinned=["lazy-graph-rag"]')
  const before = (await first.boundingBox())!.x
  await page.keyboard.press('End')
  await expect(page.getByRole('columnheader', { name: /adaptive/ })).toBeInViewport()
  expect((await first.boundingBox())!.x).toBe(before)
  await page.keyboard.press('h')
  await expect(page.getByRole('columnheader', { name: /adaptive/ })).toHaveCount(0)
  await page.reload()
  await page.getByRole('button', { name: 'Show 1 hidden column' }).click()
  await expect(grid).toHaveAttribute('aria-colcount', '8')
})

test('a phone shows two columns of cells; what filters them waits behind a button', async ({ page, open }) => {
  await page.setViewportSize({ width: 420, height: 850 })
  await open(MATRIX)
  for (const cell of [0, 1])
    await expect(page.getByRole('row').nth(1).getByRole('gridcell').nth(cell)).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('row').nth(9)).toBeInViewport()
  await expect(page.getByRole('button', { name: 'State' })).toBeHidden()
  await page.getByRole('button', { name: 'View and filters' }).click()
  await expect(page.getByRole('button', { name: 'State' })).toBeVisible()
})

test('differences to the baseline: signed, coloured around 0, and none where either has no value', async ({
  page,
  open,
}) => {
  await open(`${MATRIX}&baseline=hybrid-rag`)
  await page.getByRole('grid').focus()
  await page.keyboard.press('v')
  await expect(page.getByRole('img', { name: 'Heat scale from ≤ −0.50 to ≥ +0.50' })).toBeVisible()
  const first = page.getByRole('row').nth(1).getByRole('gridcell')
  await expect(first.nth(0)).toHaveText(/^[−+]\d\.\d\d/)
  await expect(first.nth(1)).toHaveText(/^±0\.00/)
  await expect(first.nth(3)).toHaveText(/^○/)
})

test('answers are shown in the grid by switch and by key, kept in the address, and seven approaches fit', async ({
  page,
  open,
  panel,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await open(MATRIX)
  const first = page.getByRole('row').nth(1).getByRole('gridcell')
  await expect(first.first()).toHaveAttribute('data-state', 'ok')
  const answers = page.getByRole('switch', { name: 'Show answers' })
  await answers.focus()
  await page.keyboard.press('Space')
  const run = { run_id: SEEDED_RUNS[0], dataset_id: 'graph_native', metric: 'recall_at_5' as const, limit: 1 }
  const { row_id } = (await panel.client.matrix.page(run)).rows[0]!.cells[0]!
  const cell = await panel.client.cells.get({ run_id: SEEDED_RUNS[0], row_id })
  const { answer } = (cell as { row: { evidence: { answer: string } } }).row.evidence
  await expect(first.first()).toContainText(answer.slice(0, 40).trim())
  expect(page.url()).toContain('answers=true')
  for (let column = 0; column < 7; column += 1) await expect(first.nth(column)).toBeInViewport({ ratio: 1 })
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    expect(await seriousFindings(page)).toEqual([])
  }
  await page.reload()
  await expect(first.first()).toContainText(answer.slice(0, 40).trim())
  await page.getByRole('grid').focus()
  await page.keyboard.press('a')
  await expect(answers).not.toBeChecked()
  await expect(first.first()).not.toContainText(answer.slice(0, 40).trim())
})

test('exports a file', async ({ page, open }) => {
  await open(MATRIX)
  await page.getByRole('button', { name: 'Share' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Table, CSV: one line per approach and metric' }).click()
  expect((await download).suggestedFilename()).toBe('ladder-2026-11-20-graph_native.csv')
})

/** The first row again and again, in as many numbered questions as a page asks for. */
function manyRows(
  page: MatrixPage,
  { offset = 0, limit = 100 }: MatrixPageInput,
  words: (at: number) => string = () => `${page.rows[0]!.query} `,
): MatrixPage {
  const template = page.rows[0]!
  const rows = Array.from({ length: Math.min(limit, MANY - offset) }, (_, index): MatrixPage['rows'][number] => ({
    ...template,
    question_id: `many-${offset + index + 1}`,
    query: `${words(offset + index)}(variant ${offset + index + 1})`,
  }))
  return { ...page, matching: MANY, questions: MANY, offset, rows }
}
const MANY = 14_300

test.describe('100,000 cells', () => {
  test('few nodes however far it is scrolled; how fast, the bench measures', async ({ page, open, panel }) => {
    const first = { run_id: SEEDED_RUNS[0], dataset_id: 'graph_native', metric: 'token_f1' as const, limit: 1 }
    const real = await panel.client.matrix.page(first)
    await page.route('**/control/matrix/page', (route) => {
      const { json } = route.request().postDataJSON() as { json: MatrixPageInput }
      return route.fulfill({ json: { json: manyRows(real, json) } })
    })
    await open(`${MATRIX}&metric=token_f1&baseline=none`)
    await expect(cells(page).and(page.locator('[data-state=ok]')).first()).toBeVisible()
    await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '14301')
    const nodes = await page.evaluate<number>(`new Promise((done) => {
      const grid = document.querySelector('[role=grid]')
      let [frames, nodes] = [0, 0]
      const step = () => {
        grid.scrollTop += 120
        nodes = Math.max(nodes, document.querySelectorAll('*').length)
        frames += 1
        if (frames < 60) requestAnimationFrame(step)
        else done(nodes)
      }
      requestAnimationFrame(step)
    })`)
    expect(nodes).toBeLessThanOrEqual(3000)
    await page.getByRole('grid').focus()
    await page.keyboard.press('Control+End')
    await expect(page.getByText('(variant 14300)')).toBeVisible()
  })
})

test.describe('hostile evidence', () => {
  test.use({ panelOptions: { hostile: true } })
  test('is shown as text: no element, no live link, nothing runs', async ({ page, open, context }) => {
    const asked: string[] = []
    context.on('request', (request) => asked.push(request.url()))
    await open(MATRIX)
    await cells(page).and(page.locator('[data-state=ok]')).first().click()
    const drawer = page.getByRole('complementary', { name: 'Answer' })
    await expect(drawer.getByText('<script>').first()).toBeVisible()
    for (const tab of ['Trace', 'Scores', 'Provenance', 'Raw']) await drawer.getByRole('tab', { name: tab }).click()
    expect(await page.evaluate('window.__owned')).toBeUndefined()
    expect(await page.evaluate(`document.querySelectorAll('aside img, aside iframe, aside script').length`)).toBe(0)
    expect(await page.evaluate(`[...document.querySelectorAll('aside a')].every((a) => a.hash.startsWith('#/'))`)).toBe(
      true,
    )
    expect(asked.filter((url) => url.includes('evil.example'))).toEqual([])
    expect(await seriousFindings(page)).toEqual([])
  })
})
