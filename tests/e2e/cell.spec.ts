import { expect, type Page } from '@playwright/test'
import { expectTooltip, seriousFindings, test } from '../helpers/panel-page.ts'

const MATRIX = '/runs/ladder-2026-11-20/matrix?dataset=graph_native&hops=[2]'

const drawerOf = (page: Page) => page.getByRole('complementary', { name: 'Answer' })

/** Opens the cell of one alias by its column, in the first row unless another one is given. */
async function openCell(page: Page, column: number, rowIndex = 0): Promise<void> {
  const row = page.getByRole('row').nth(1).getByRole('gridcell')
  await expect(row.first()).not.toHaveAttribute('aria-busy', 'true')
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+Home')
  for (let step = 0; step < column; step += 1) await page.keyboard.press('ArrowRight')
  for (let step = 0; step < rowIndex; step += 1) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
}

test('evidence: contexts in order with gold facts marked, which facts are not there, and where none can be measured', async ({
  page,
  open,
}) => {
  await open(MATRIX)
  await openCell(page, 1)
  const drawer = drawerOf(page)
  await expect(drawer).toContainText('2 hops')
  const gold = drawer.getByRole('region', { name: 'Gold facts' })
  await expect(gold.getByRole('heading')).toHaveText(/^\d of \d gold facts in the contexts$/)
  const [found, all] = (await gold.getByRole('heading').textContent())!.match(/\d/g)!.map(Number)
  await expect(gold.getByRole('listitem')).toHaveCount(all!)
  await expect(gold.getByText(/^● rank \d$/)).toHaveCount(found!)
  expect(await drawer.locator('mark').count()).toBeGreaterThanOrEqual(found!)
  await expect(drawer.getByRole('region', { name: /^Context \d$/ })).toHaveCount(5)
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
  // This approach returns no passages.
  await openCell(page, 3)
  await expect(gold).toContainText('not measurable')
  await expect(gold).not.toContainText('0 of')
})

test('a cell begins with what went wrong, and its answer and reference are in sight without scrolling', async ({
  page,
  open,
}) => {
  await open(MATRIX)
  await openCell(page, 1)
  const drawer = drawerOf(page)
  const gold = drawer.getByRole('region', { name: 'Gold facts' })
  const [found, all] = (await gold.getByRole('heading').textContent())!.match(/\d/g)!.map(Number)
  const diagnosis = drawer.getByRole('note', { name: 'Diagnosis' })
  await expect(diagnosis).toContainText(found === all ? /ll \d gold facts were/ : `Of ${all} gold facts`)
  const answer = drawer.getByRole('heading', { name: /^Answer/ })
  expect((await diagnosis.boundingBox())!.y).toBeLessThan((await answer.boundingBox())!.y)
  await drawer.getByRole('link', { name: 'Open as page' }).click()
  await page.setViewportSize({ width: 1440, height: 900 })
  for (const part of [
    page.getByRole('note', { name: 'Diagnosis' }),
    page.getByRole('heading', { name: /^Answer/ }),
    page.getByRole('heading', { name: 'Reference', exact: true }),
    page.getByRole('tab', { name: 'Evidence' }),
  ])
    await expect(part).toBeInViewport({ ratio: 1 })
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    expect(await seriousFindings(page)).toEqual([])
  }
})

test('each tab shows its part of the row', async ({ page, open }) => {
  await open(MATRIX)
  await openCell(page, 1)
  const drawer = drawerOf(page)
  const tab = (name: string) => drawer.getByRole('tab', { name }).click()
  await tab('Scores')
  await expect(drawer.getByRole('row', { name: /^faithfulness/ })).toContainText('Two of three claims')
  await tab('Trace')
  await expect(drawer.getByRole('img', { name: / in all$/ })).toBeVisible()
  await tab('Provenance')
  await expect(drawer.getByText('runtime.repository.revision', { exact: true })).toBeVisible()
  await tab('Raw')
  await expect(drawer.getByLabel('JSON')).toContainText('"row_id"')
  expect(page.url()).toContain('tab=raw')
})

const PATHS = [
  { column: 5, name: 'route', shown: /adaptive\s*route\s*multi_hop\s*approach\s*graph-rag/ },
  { column: 4, name: 'trajectory', shown: /graph_neighbours.*the graph engine did not answer/s },
  { column: 6, name: 'budget', shown: /relevance tests\s*31\s*relevance budget\s*48/ },
  { column: 0, name: 'an older row', shown: /This row was written before traces were kept/ },
  { column: 3, name: 'another gateway', shown: /The gateway sent no trace of this answer/ },
]
test('the trace of an answer: the time it took, what the approach reports of its way, or why there is none', async ({
  page,
  open,
}) => {
  await open(`${MATRIX}&tab=path`)
  for (const { column, name, shown } of PATHS) {
    await openCell(page, column)
    await expect(drawerOf(page).getByRole('tabpanel', { name: 'Trace' }), name).toHaveText(shown)
    await page.keyboard.press('Escape')
    await expect(drawerOf(page)).toHaveCount(0)
  }
})

test('the calls of a cell are a tree with times and tokens, whose texts are opened by keyboard', async ({
  page,
  open,
}) => {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await open(`${MATRIX}&tab=path`)
    await openCell(page, 4)
    const tree = drawerOf(page).getByRole('list', { name: 'Calls of this answer' })
    await expect(tree.getByRole('listitem')).toHaveCount(7)
    const answer = tree.getByRole('listitem').nth(5)
    await expect(answer).toContainText(/model\s*agentic: qwen3:8b\s*1\s?804 in, 61 out\s*970\sms/)
    await expect(tree.getByRole('listitem').nth(4)).toContainText('▲ The tool failed: the graph engine did not answer')
    const open5 = answer.getByRole('button', { name: /model/ })
    await open5.focus()
    await page.keyboard.press('Enter')
    await expect(open5).toHaveAttribute('aria-expanded', 'true')
    await expect(answer.getByRole('region', { name: 'Sent' })).toContainText('Search before you answer.')
    const received = answer.getByRole('region', { name: 'Received' })
    // A model's words stay words.
    await expect(received).toContainText('Steenbrugge Werft <img src=x')
    await expect(received).toContainText(/Only the first 65.?536 characters are kept/)
    expect(await page.evaluate('"__owned" in window')).toBe(false)
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('Space')
    await expect(open5).toHaveAttribute('aria-expanded', 'false')
    await tree.getByRole('listitem').nth(2).getByRole('button').click()
    await expect(tree).toContainText('This text was not kept: a limit of traces was reached.')
    await tree.getByRole('listitem').nth(1).getByRole('button').click()
    await expect(tree).toContainText('This text is not stored on this machine.')
  }
})

test('two answers side by side: shared contexts, moved ranks, words that only one has', async ({ page, open }) => {
  await open(MATRIX)
  await openCell(page, 0)
  const drawer = drawerOf(page)
  await drawer
    .getByRole('group', { name: /other approaches/ })
    .getByRole('button', { name: /hybrid/ })
    .click()
  const diff = drawer.getByRole('region', { name: 'Evidence side by side' })
  await expect(diff).toContainText(/\d contexts? in both · \d only vanilla-rag · \d only hybrid-rag/)
  await expect(diff).toContainText(/only here|same rank|[↑↓]\d from \d/)
  await diff.getByRole('button', { name: 'Open this answer' }).click()
  await expect(drawer.getByRole('heading', { level: 2 })).toHaveText('hybrid-rag')
})

test('a cell as a page keeps the way back to the same view', async ({ page, open }) => {
  await open(`${MATRIX}&metric=token_f1`)
  await openCell(page, 2)
  await drawerOf(page).getByRole('tab', { name: 'Scores' }).click()
  await drawerOf(page).getByRole('link', { name: 'Open as page' }).click()
  await expect(page.getByRole('tab', { name: 'Scores' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  // Reasons are sentences, not the evaluator's JSON.
  const faithfulness = page.getByRole('row', { name: /^faithfulness/ })
  await expect(faithfulness).toBeVisible()
  expect(await faithfulness.textContent()).not.toMatch(/[{}[\]"]/)
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('link', { name: 'Back to the matrix' }).click()
  await expect(drawerOf(page)).toBeVisible()
  expect(decodeURIComponent(page.url())).toMatch(/hops=\[2\].*metric=token_f1|metric=token_f1.*hops=\[2\]/)
})

test('an unknown row is reported, with a way on', async ({ page, open }) => {
  await open(`/runs/ladder-2026-11-20/cell?row=${'0'.repeat(64)}`)
  await expect(page.getByRole('alert')).toContainText('The answer could not be read')
  await open('/runs/ladder-2026-11-20/cell?row=cut')
  await expect(page.getByRole('heading', { name: 'This link names no answer' })).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'matrix', exact: true }).click()
  await expect(page.getByRole('grid')).toBeVisible()
})

test('the chips show the metric of the matrix only, and ○ where an approach has none', async ({ page, open }) => {
  await open(`${MATRIX}&metric=recall_at_5`)
  await openCell(page, 1)
  const chips = drawerOf(page).getByRole('group', { name: /other approaches/ })
  await expect(chips).toContainText('recall@5')
  await expect(chips.getByRole('button', { name: /graph/ }).first()).toContainText('○')
  await expect(chips.getByRole('button', { name: /hybrid/ }).first()).toContainText(/\d\.\d\d/)
})

test('an answer that refuses is marked beside its scores, and how that was decided; one that answers has no mark', async ({
  page,
  open,
}) => {
  await open(`${MATRIX}&tab=scores`)
  const chip = drawerOf(page).getByText('⊘ Refused', { exact: true })
  await openCell(page, 0)
  // Beside the heading of the answer's scores and each score that comes from the answer.
  await expect(chip).toHaveCount(3)
  await expect(drawerOf(page).getByRole('row', { name: /^token F1/ })).toContainText('⊘ Refused')
  await expectTooltip(page, chip.first(), 'Rules decided that this answer refuses')
  await drawerOf(page).getByRole('button', { name: 'Close' }).click()
  await openCell(page, 1)
  await expect(chip).toHaveCount(3)
  await expectTooltip(page, chip.first(), 'The evaluator’s language model decided')
  await drawerOf(page).getByRole('button', { name: 'Close' }).click()
  await openCell(page, 2)
  await expect(drawerOf(page).getByRole('row', { name: /^token F1/ })).toBeVisible()
  await expect(drawerOf(page).getByText('Refus')).toHaveCount(0)
})

test('a cell lists what was withheld from the judges, or why they were not shown its question', async ({
  page,
  open,
}) => {
  await open(`${MATRIX}&tab=scores`)
  await openCell(page, 0, 2)
  const shown = drawerOf(page).getByRole('region', { name: 'Shown to the judges' })
  await expect(shown.getByRole('listitem')).toHaveText([
    '“hybrid-rag” name of an approach, in the answer of vanilla-rag',
    '“Sources:” source marker, in the answer of vanilla-rag',
  ])
  await page.keyboard.press('Escape')
  await openCell(page, 4, 1)
  await expect(shown).toContainText('No judge was shown this question')
  await expect(shown.getByRole('listitem').first()).toHaveText('“hybrid-rag” name of an approach, in the question')
})
