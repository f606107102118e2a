import { expect, type Locator, type Page } from '@playwright/test'
import { PAPER_QUESTIONS } from '../helpers/harbour-papers.ts'
import { TAB_STOPS } from '../helpers/tab-stops.ts'
import { seriousFindings, test } from '../helpers/panel-page.ts'

// The decisive controls of the jobs in docs/jobs.md that no other spec does by keyboard: a first run is in tour.spec.ts, a model of one's own in
// models.spec.ts, a rung in new-run.spec.ts, a cell in matrix.spec.ts, a vote in judges.spec.ts, the graph in datasets.spec.ts,
// a pause in run.spec.ts.

const RUN = 'ladder-2026-11-20'
/** More controls before the one that is meant would make a keyboard useless. */
const MOST_TABS = 120

const hasFocus = async (page: Page, control: Locator): Promise<boolean> =>
  (await control.and(page.locator(':focus')).count()) > 0

/** Presses Tab until a control has the focus. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await expect(control).toBeVisible()
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if (await hasFocus(page, control)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${MOST_TABS} presses of Tab do not reach ${String(control)}`)
}

async function pressOn(page: Page, control: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, control)
  await expect(control).toBeEnabled()
  await page.keyboard.press(key)
}

const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: typeof name === 'string' }).first()

test('the tab stops that the benchmark of jobs counts are the presses of Tab that reach a control', async ({
  page,
  open,
}) => {
  await open('/launch')
  await page.getByRole('button', { name: 'Next: Approaches' }).waitFor()
  for (const control of [
    page.getByRole('link', { name: 'Runs', exact: true }),
    page.getByRole('checkbox', { name: /^Smoke/ }),
    page.getByRole('button', { name: 'Next: Approaches' }),
  ]) {
    await control.focus()
    const stops = Number(await page.evaluate(`(${TAB_STOPS})(document.activeElement)`))
    await page.evaluate('document.body.tabIndex = -1, document.body.focus(), document.body.removeAttribute("tabindex")')
    for (let pressed = 0; pressed < stops; pressed += 1) await page.keyboard.press('Tab')
    expect(await hasFocus(page, control), `${stops} presses of Tab to ${String(control)}`).toBe(true)
  }
})

test('two runs are ticked and compared', async ({ page, open }) => {
  await open('/runs')
  await pressOn(page, page.getByRole('checkbox', { name: /^Tick / }).first(), 'Space')
  await pressOn(page, page.getByRole('link', { name: /^Compare .* with / }).first())
  await expect(page.getByText('Question by question')).toBeVisible()
})

test('the question on which approaches differ most is opened from the verdict', async ({ page, open }) => {
  await open(`/runs/${RUN}/verdict?dataset=graph_native`)
  const differing = page.getByRole('region', { name: /^Where they differ most/ }).first()
  await pressOn(page, differing.getByRole('listitem').first().getByRole('link'))
  await expect(page.getByRole('note', { name: 'Diagnosis' })).toBeVisible()
})

test('a report and a table leave by the menu Share', async ({ page, open }) => {
  await open(`/runs/${RUN}/matrix?dataset=graph_native`)
  for (const item of ['Report, HTML', 'Answers, CSV: one line per question and approach']) {
    await pressOn(page, button(page, 'Share'))
    const choice = page.getByRole('menuitem', { name: item })
    await expect(choice).toBeVisible()
    for (let steps = 0; !(await hasFocus(page, choice)); steps += 1) {
      expect(steps, item).toBeLessThan(12)
      await page.keyboard.press('ArrowDown')
    }
    const download = page.waitForEvent('download')
    await page.keyboard.press('Enter')
    expect((await download).suggestedFilename()).toContain(RUN)
  }
})

test('a finished run is opened again with a new flavor beside its approaches', async ({ page, open }) => {
  await open('/runs')
  await pressOn(page, button(page, /^Details of /))
  await pressOn(page, button(page, 'Run again'))
  await expect(page.getByRole('heading', { level: 1, name: 'New run' })).toBeVisible()
  await pressOn(page, page.getByText(/^\d+ flavors of hybrid$/))
  await pressOn(page, button(page, 'New flavor of hybrid'))
  const form = page.getByRole('form', { name: 'New flavor of hybrid' })
  await tabTo(page, form.getByLabel('Chunks handed over'))
  await page.keyboard.type('10')
  await tabTo(page, form.getByRole('button', { name: 'Save flavor' }))
})

test('answers are given to a panel of judges', async ({ page, open }) => {
  await open(`/runs/${RUN}/judges?dataset=graph_native`)
  await pressOn(page, button(page, 'Judge answers…'))
  await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Judge answers' }))
  await page.keyboard.press('Escape')
  await expect(button(page, 'Judge answers…')).toBeFocused()
})

test('files are chosen in Tools, and a question set by its path in Datasets', async ({ page, open }) => {
  for (const [path, name] of [
    ['/tools/convert', 'Choose files'],
    ['/tools/audio', 'Choose a file'],
  ] as const) {
    await open(path)
    const chooser = page.waitForEvent('filechooser')
    await pressOn(page, page.getByRole('main').getByRole('button', { name, exact: true }).first())
    await chooser
  }
  await open('/datasets')
  await pressOn(page, button(page, 'Import dataset'))
  const source = page.getByRole('dialog').getByLabel('Path')
  await expect(source).toBeFocused()
  await page.keyboard.type('/nothing/here.jsonl')
  await page.keyboard.press('Enter')
  await expect(page.getByText('there is no such file or folder')).toBeVisible()
})

test.describe('in a fresh project', () => {
  test.use({ panelOptions: { own: true, empty: true } })

  test('own files and questions lead to a run and its verdict', async ({ page, open }) => {
    test.setTimeout(120_000)
    await open('/')
    await pressOn(page, button(page, 'New dataset'))
    await expect(page.getByRole('dialog').getByLabel('Name')).toBeFocused()
    await page.keyboard.type('Harbour papers')
    await page.keyboard.press('Enter')
    const chooser = page.waitForEvent('filechooser')
    await pressOn(page, button(page, 'Choose files'))
    const asked = PAPER_QUESTIONS.filter(({ document }) => /\.(md|txt)$/.test(document))
    await (
      await chooser
    ).setFiles(
      asked.map(({ document, fact }) => ({
        name: document,
        mimeType: 'text/plain',
        buffer: Buffer.from(`The port.\n\n${fact}.\n`),
      })),
    )
    await expect(page.getByText(/^2 of 2 files done/)).toBeVisible()
    await pressOn(page, page.getByRole('link', { name: /^2 Questions/ }))
    await pressOn(page, button(page, 'Paste questions'))
    const dialog = page.getByRole('dialog', { name: 'Paste questions' })
    await expect(dialog.getByLabel('Questions, one in each line')).toBeFocused()
    await page.keyboard.insertText(asked.map(({ query, answer }) => `${query} ${answer}`).join('\n'))
    const all = dialog.getByRole('checkbox', { name: 'Use 2 passages as gold facts' })
    await pressOn(page, all, 'Space')
    await expect(all).toBeChecked()
    expect(await seriousFindings(page)).toEqual([])
    await pressOn(page, dialog.getByRole('button', { name: 'Import 2 questions' }))
    await pressOn(page, button(page, 'Run this dataset'))
    await expect(button(page, /^Run \d+ answers$/)).toBeEnabled()
    await page.keyboard.press('Control+Enter')
    await expect(page.getByRole('main').getByRole('article', { name: 'Harbour papers' })).toBeVisible({
      timeout: 120_000,
    })
  })
})
