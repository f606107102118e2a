import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { ballotFiles, BALLOTS_FOLDER, humanFiles } from '../../main/judge/human/human-files.ts'
import { seriousFindings, test, expectPart } from '../helpers/panel-page.ts'

const RUN = 'ladder-2026-11-20'
const DATASET = 'graph_native'

// In one worker, with one engine: each spec begins without a round, whatever the one before did.
test.describe.configure({ mode: 'default' })
test.use({ panelOptions: { sharedAs: 'judges' } })

test.beforeEach(async ({ panel }) => {
  const { ballotsFile, handedInFile } = ballotFiles(join(panel.root, '.rag-ladder', BALLOTS_FOLDER), RUN, DATASET)
  const files = [...Object.values(humanFiles(join(panel.root, 'results'), RUN, DATASET)), ballotsFile, handedInFile]
  for (const file of files) await rm(file, { force: true })
})

const JUDGES = `/runs/${RUN}/judges?dataset=${DATASET}`

/** Starts a blind round where none is open. */
async function begin(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Grade blindly…' }).click()
  await page.getByRole('button', { name: 'Start round' }).click()
}

const card = (page: Page, letter: string) => page.getByRole('group', { name: `Answer ${letter}` })

test('the panel is read without ending a vote, and is hidden on every page from the beginning of a round to its end', async ({
  page,
  open,
}) => {
  await open(JUDGES)
  await expect(page.getByRole('region', { name: 'Scores by approach' }).getByRole('row')).toHaveCount(8)
  const matrix = JUDGES.replace('/judges', '/matrix')
  await open(matrix)
  await expect(page.getByText(/^J\d/).first()).toBeVisible()
  await open(JUDGES)
  await page.getByRole('button', { name: 'Grade blindly…' }).click()
  await page.getByRole('textbox', { name: 'Questions' }).fill('5')
  await page.getByRole('button', { name: 'Start round' }).click()
  await expect(page.getByText('Question 1 of 5')).toBeVisible()
  await expect(page.getByText('Reference answer')).toBeVisible()
  await page.getByText('Gold passages').click()
  await expect(page.getByRole('region', { name: 'Question', exact: true }).getByRole('listitem').first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Scores by approach' })).toHaveCount(0)
  await open(matrix)
  await expect(page.locator('[role=gridcell][data-state=ok]').first()).toBeVisible()
  await expect(page.getByText('judge grades hidden')).toBeVisible()
  await expect(page.getByText(/^J\d/)).toHaveCount(0)
  await open(`${matrix}&metric=judge_mean`)
  await expect(page.getByText(/A blind round on .* is open/).first()).toBeVisible()
  await open(JUDGES)
  await page.getByRole('button', { name: 'Reveal approaches…' }).click()
  await page.getByRole('button', { name: 'Reveal and end the vote' }).click()
  await expect(page.getByRole('region', { name: 'Scores by approach' })).toBeVisible()
  await open(matrix)
  await expect(page.getByText(/^J\d/).first()).toBeVisible()
})

test('a vote by keys: grades, best, next; what is missing is named', async ({ page, open }) => {
  await open(JUDGES)
  await begin(page)
  await expect(page.getByText('Question 1 of 23')).toBeVisible()
  await expect(page.getByRole('group', { name: /^Answer / })).toHaveCount(7)
  await page.keyboard.press('4')
  await expect(card(page, 'A')).toContainText('grade 4')
  await expect(card(page, 'B')).toHaveAttribute('data-current', 'true')
  await page.keyboard.press('n')
  await expect(page.getByText('B, C, D, E, F, G have no grade yet')).toBeVisible()
  for (const grade of '232512') await page.keyboard.press(grade)
  await expect(page.getByText('● Saved')).toBeVisible()
  // All have a grade: the highest one is at hand.
  await expect(card(page, 'E')).toHaveAttribute('data-current', 'true')
  await page.keyboard.press('b')
  await expect(card(page, 'E')).toContainText('★ best')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('1')
  await expect(card(page, 'D')).toContainText('grade 1')
  await page.keyboard.press('n')
  await expect(page.getByText('Question 2 of 23')).toBeVisible()
  await expect(page.getByText('1 of 23 graded')).toBeVisible()
  await page.keyboard.press('p')
  await expect(card(page, 'E')).toContainText('★ best')
})

test('a mark stays where it was set while its vote is kept', async ({ page, open }) => {
  await open(JUDGES)
  await begin(page)
  await expect(card(page, 'A')).toBeVisible()
  for (const grade of '1232512') await page.keyboard.press(grade)
  await expect(page.getByText('● Saved')).toBeVisible()
  // A grade that is given in a moment without the mark would send the vote without it.
  await page.evaluate(`
    window.marks = []
    const watched = document.querySelector('[aria-label="Answer E"]')
    new MutationObserver(() => window.marks.push(watched.dataset.best)).observe(watched, { attributeFilter: ['data-best'] })
  `)
  await page.keyboard.press('b')
  await expect(card(page, 'E')).toContainText('★ best')
  await expect(page.getByText('● Saved')).toBeVisible()
  expect(await page.evaluate('window.marks')).toEqual(['true'])
})

test('an unfinished vote outlives a reload; a note is kept with the vote', async ({ page, open }) => {
  await open(JUDGES)
  await begin(page)
  await expect(card(page, 'A')).toBeVisible()
  await page.keyboard.press('3')
  await page.getByRole('textbox', { name: 'Note' }).fill('5 stars for b, n and 1')
  await page.reload()
  await expect(card(page, 'A')).toContainText('grade 3')
  await expect(page.getByRole('textbox', { name: 'Note' })).toHaveValue('5 stars for b, n and 1')
  await expect(page.getByText('0 of 23 graded')).toBeVisible()
})

test('a link opens the question it was made on; without a number, the first one without a vote', async ({
  page,
  open,
}) => {
  await open(`${JUDGES}&set=3`)
  await begin(page)
  await expect(page.getByText('Question 3 of 23')).toBeVisible()
  await open(JUDGES)
  await expect(card(page, 'A')).toBeVisible()
  for (const grade of '1234123') await page.keyboard.press(grade)
  await expect(page.getByText('● Saved')).toBeVisible()
  await page.getByRole('link', { name: 'Services' }).click()
  await page.goBack()
  await expect(page.getByText('Question 1 of 23')).toBeVisible()
})

test('the reveal asks once, then shows scores, agreement, and a person against each judge', async ({ page, open }) => {
  await open(JUDGES)
  await begin(page)
  await expect(card(page, 'A')).toBeVisible()
  for (let set = 0; set < 9; set += 1) {
    for (const grade of '5432145') await page.keyboard.press(grade)
    await expect(page.getByText(`${set + 1} of 23 graded`)).toBeVisible()
    await page.keyboard.press('n')
    await expect(page.getByText(`Question ${set + 2} of 23`)).toBeVisible()
  }
  await page.getByRole('button', { name: 'Reveal approaches…' }).click()
  await page.getByRole('button', { name: 'Keep voting' }).click()
  await expect(card(page, 'A')).toBeVisible()
  await page.getByRole('button', { name: 'Reveal approaches…' }).click()
  await page.getByRole('button', { name: 'Reveal and end the vote' }).click()
  await expect(card(page, 'A')).toHaveCount(0)
  const scores = page.getByRole('region', { name: 'Scores by approach' })
  await expect(scores.getByRole('row')).toHaveCount(8)
  await expect(scores).toContainText(/\[\d\.\d\d, \d\.\d\d\]/)
  await expect(page.getByText(/^α = \d\.\d\d \[/)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Behaviour of each judge' })).toContainText('favours earlier answers')
  await expect(
    page.getByText(/^The mean grade is of built-in rules.* shown, not validated, and ranks no/),
  ).toBeVisible()
  await expect(page.getByRole('region', { name: 'Ranks without each judge' })).toHaveCount(0)
  await expect(page.getByText(/person voted on 9 of 23 questions/)).toBeVisible()
  await page.getByText('1 question judged with texts withheld that name an approach').click()
  await expect(page.getByText('gn-06: “hybrid-rag” in vanilla-rag, “Sources:” in vanilla-rag')).toBeVisible()
  await page.locator('summary').nth(2).click()
  // Of seven answers, from the built-in judge and from the two whose endpoint the seed scripts.
  const reasons = page.getByRole('region', { name: 'Reasons for gn-01' })
  await expect(reasons.getByText(/says \d+ % of the reference/)).toHaveCount(7)
  await expect(reasons.getByText('it fits')).toHaveCount(14)
  expect(await seriousFindings(page)).toEqual([])
})

test.describe('without a run', () => {
  test.use({ panelOptions: { empty: true } })
  test('explains what makes answers appear', async ({ page, open }) => {
    await open('/judges')
    await expect(page.getByRole('heading', { name: 'No run yet' })).toBeVisible()
  })
})

test.describe('hostile answers', () => {
  test.use({ panelOptions: { hostile: true, sharedAs: 'judges of hostile answers' } })
  test('are text: nothing runs, nothing is fetched', async ({ page, open, context }) => {
    const asked: string[] = []
    context.on('request', (request) => asked.push(request.url()))
    await open(JUDGES)
    await begin(page)
    await expect(card(page, 'A').getByText('<script>')).toBeVisible()
    expect(await page.evaluate('window.__owned')).toBeUndefined()
    expect(await page.evaluate(`document.querySelectorAll('main img, main iframe, main script').length`)).toBe(0)
    expect(asked.filter((url) => url.includes('evil.example'))).toEqual([])
  })
})

test('a finished run is judged from the page: judges, rotations and reference are chosen, its progress follows', async ({
  page,
  open,
}) => {
  await open('/runs/ladder-2026-11-20/judges?dataset=smoke')
  await page.getByRole('button', { name: 'Judge answers…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Judge the answers of ladder-2026-11-20?' })
  await expect(dialog).toContainText('builtin-lexical-support')
  await expect(dialog).toContainText('No approach is called again')
  // Both orders, unless the person asks for others.
  await expect(dialog.getByRole('textbox', { name: 'Rotations' })).toHaveValue('2')
  await dialog.getByRole('checkbox', { name: 'Show judges the reference answer' }).check()
  const sent = page.waitForRequest(/judges\/judgeRun$/)
  await dialog.getByRole('button', { name: 'Judge answers' }).click()
  expect((await sent).postDataJSON()).toEqual({
    json: {
      run_id: 'ladder-2026-11-20',
      dataset_ids: ['smoke'],
      judge: { models: ['builtin-lexical-support', 'builtin-semantic-match'], rotations: 2, reference: true },
    },
  })
  await expectPart(page, 'ladder-2026-11-20', 'Progress')
})
