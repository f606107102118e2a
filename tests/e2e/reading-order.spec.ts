import { expect, type Page } from '@playwright/test'
import { test, fitsWidth } from '../helpers/panel-page.ts'

const RUN = '/runs/ladder-2026-11-20'
const DATASET = 'dataset=graph_native'

/** The head of each tab of a run. */
const RUN_HEAD = [
  'link "‹ Runs"',
  'heading "ladder-2026-11-20" [level=1]',
  'button "Share"',
  'button "Run again"',
  'navigation "Parts of the run"',
  'link "Verdict"',
  'link "Progress"',
  'combobox "Dataset"',
]

/** A screen reader reads each place in this order; other lines may be between. */
const ORDER: Record<string, readonly string[]> = {
  '/': ['heading "Home" [level=1]', 'heading /^Result of/ [level=2]', 'heading "Last results" [level=2]'],
  '/datasets': [
    'heading "Datasets" [level=1]',
    'button "Import dataset"',
    'heading "No dataset of yours yet" [level=2]',
    'button "New dataset"',
    'region "Datasets"',
    'columnheader "Name"',
    'checkbox "Tick Smoke"',
    'link "Smoke"',
  ],
  '/models': [
    'heading "Models" [level=1]',
    'button "Models to download"',
    'heading "Connections" [level=2]',
    'button "Connect a service"',
    'row /^openai/',
    'button "Store key of openai"',
    'button "More for openai"',
    'heading "Which model does what" [level=2]',
    'combobox "Model set"',
    'region "builtin"',
    'row /^writes answers/',
  ],
  '/runs': ['heading "Runs" [level=1]', 'link "New run"', 'region "Runs"', 'columnheader "Run"'],
  '/tools/convert': ['heading /Tools|Convert/ [level=1]', 'button'],
  '/launch?datasets=["smoke"]': [
    'heading "New run" [level=1]',
    'navigation "Steps"',
    'button /^Data/',
    'button /^Approaches/',
    'button /^Models/',
    'heading /^Which approaches/ [level=2]',
    'checkbox "vanilla-rag" [checked]',
    'complementary "Plan"',
    'button "Next: Models"',
  ],
  [`${RUN}/verdict?${DATASET}`]: [
    ...RUN_HEAD,
    'heading /^Result of/ [level=2]',
    'article "Graph-native dossiers"',
    'link "Add questions"',
    'region /^Where they differ most/',
    'article "Smoke"',
  ],
  [`${RUN}/matrix?${DATASET}`]: [
    ...RUN_HEAD,
    'toolbar "Matrix"',
    'combobox "Metric"',
    'switch "Show answers"',
    'textbox "Search questions and answers"',
    'grid /questions by approaches$/',
    'columnheader /^vanilla/',
    'gridcell',
  ],
  [`${RUN}/judges?${DATASET}`]: [
    ...RUN_HEAD,
    'button "Judge answers…"',
    'heading "Scores by approach" [level=2]',
    'table "Scores by approach"',
    'rowheader "agentic"',
  ],
  [`${RUN}/coverage?${DATASET}`]: [
    ...RUN_HEAD,
    'button "Retry failures…"',
    'heading "Scores by approach and metric" [level=2]',
    'checkbox "only gaps"',
    'region "Coverage"',
    'rowheader /^vanilla-rag/',
  ],
  [`${RUN}/progress`]: [...RUN_HEAD.slice(0, -1), 'heading /^No steps of/ [level=2]'],
  [`/runs/compare?run=ladder-2026-11-20&${DATASET}&runs=["ladder-2026-11-18-r2"]`]: [
    'heading "Compare" [level=1]',
    'combobox "Dataset"',
    'heading "What changed between them" [level=2]',
    'table "Fields that differ"',
    'heading "Differences by approach" [level=2]',
    'status',
    'table "Differences between runs"',
    'rowheader "vanilla"',
  ],
  '/tools/tune': [
    'heading "Tools" [level=1]',
    'navigation "Tools"',
    'form "Tune an approach"',
    'combobox "Dataset"',
    'combobox "Approach"',
    'region "Before it starts"',
    'button "Start tuning" [disabled]',
    'region "Tunings"',
  ],
  '/tools/audio': [
    'heading "Tools" [level=1]',
    'radiogroup "Parts of Audio"',
    'heading "Speech to text" [level=2]',
    'button "Record"',
    'button "Choose a file"',
  ],
  '/services': [
    'heading "Services" [level=1]',
    'heading /^Embedded platform/ [level=2]',
    'button "Log of platform"',
    'button "Start platform"',
    'heading /^Speech to text/ [level=2]',
    'button "Start stt"',
  ],
  '/settings': [
    'heading "Settings" [level=1]',
    'radiogroup "Part of the settings"',
    'heading "Endpoints and models" [level=2]',
    'textbox "Gateway"',
    'button "Save settings" [disabled]',
    'heading "Connections" [level=2]',
  ],
  '/guide': ['heading "First run" [level=1]', 'navigation "Guide"', 'link "Reading a result"', 'article'],
}

/** A window of 1440 × 900 at 200 %. */
const ZOOMED = { width: 720, height: 450 }

/** Lines of the tree that assistive programs get: `role "name"`. */
async function linesOf(page: Page): Promise<string[]> {
  const tree = await page.getByRole('main').ariaSnapshot()
  return tree.split('\n').map((line) => line.replace(/^\s*- '?/, ''))
}

/** True where a line is of this role, and of this name where one is given: `role "name"` or `role /pattern/`, then attributes. */
function isLine(line: string, wanted: string): boolean {
  const [, role = '', name, pattern, rest = ''] = /^(\S+)(?: "([^"]*)"| \/(.*)\/)?(.*)$/.exec(wanted) ?? []
  const [, lineRole, lineName = ''] = /^(\S+?):?(?: "([^"]*)".*|:.*|)$/.exec(line) ?? []
  return (
    lineRole === role &&
    (name === undefined || lineName === name) &&
    (pattern === undefined || new RegExp(pattern).test(lineName)) &&
    line.includes(rest.trim())
  )
}

for (const [path, order] of Object.entries(ORDER))
  test(`${path} is read in the order in which it is worked with, each control has a name, and 200 % zoom in high contrast fits`, async ({
    page,
    open,
  }) => {
    await open(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect
      .poll(async () => {
        const lines = await linesOf(page)
        let at = 0
        return order.filter((wanted) => {
          const found = lines.findIndex((line, index) => index >= at && isLine(line, wanted))
          if (found >= 0) at = found + 1
          return found < 0
        })
      })
      .toEqual([])
    const nameless = /^(?:button|link|checkbox|radio|textbox|combobox|tab|switch|slider)(?::|$| \[)/
    expect((await linesOf(page)).filter((line) => nameless.test(line))).toEqual([])
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    await page.setViewportSize(ZOOMED)
    expect(await fitsWidth(page)).toBe(true)
    expect(await page.evaluate('document.getAnimations().length')).toBe(0)
    // The page itself begins in the first screen: bars and notices leave it room.
    await expect(page.getByRole('heading', { level: 1 })).toBeInViewport()
  })

test('a service is connected at 200 % zoom, in high contrast and without motion', async ({ page, open }) => {
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
  await page.setViewportSize(ZOOMED)
  await open('/models')
  await page.getByRole('button', { name: 'Connect a service' }).press('Enter')
  const form = page.getByRole('form', { name: 'Connect a service' })
  await expect(form.getByLabel('Address')).toBeFocused()
  expect(await page.evaluate('document.getAnimations().length')).toBe(0)
  await expect(form.getByRole('button', { name: 'Connect' })).toBeInViewport()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Connect a service' })).toBeFocused()
})

test('at 200 % zoom in high contrast the matrix shows a row, the cell of the keys and the open tab', async ({
  page,
  open,
}) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.setViewportSize(ZOOMED)
  await open('/runs/ladder-2026-11-20/matrix?dataset=graph_native')
  await expect(page.locator('[role=gridcell][data-active=true]')).toHaveCount(1)
  // A way back is no page that is open.
  await expect(page.getByRole('link', { name: '‹ Runs' })).not.toHaveAttribute('aria-current')
  // Its heads take half of it.
  expect((await page.getByRole('grid').boundingBox())!.height).toBeGreaterThan(250)
  const styleOf = (selector: string, property: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`)
  expect(await styleOf('[role=gridcell][data-active=true]', 'outlineStyle')).toBe('solid')
  const tab = 'nav[aria-label="Parts of the run"] a'
  const openTab = await styleOf(`${tab}[data-status=active]`, 'borderBottomColor')
  expect(await styleOf(`${tab}:not([data-status=active])`, 'borderBottomColor')).not.toBe(openTab)
})
