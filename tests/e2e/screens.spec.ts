import { expect, type Page } from '@playwright/test'
import { mkdirSync } from 'node:fs'
import { inEachScheme, seriousFindings, test } from '../helpers/panel-page.ts'

const FOLDER = process.env.RAG_LADDER_SCREENS ?? 'out/screens'
mkdirSync(FOLDER, { recursive: true })

const VIEWS = [
  { name: 'home', path: '/' },
  { name: 'launch', path: '/launch?datasets=["graph_native","cyber_threat_intel"]' },
  { name: 'result', path: '/result?run=ladder-2026-11-20&dataset=graph_native' },
  { name: 'matrix', path: '/matrix?run=ladder-2026-11-20&dataset=graph_native' },
  { name: 'judges', path: '/judges?run=ladder-2026-11-20&dataset=graph_native' },
  { name: 'coverage', path: '/coverage?run=ladder-2026-11-20&dataset=graph_native' },
  { name: 'compare', path: '/compare?run=ladder-2026-11-20&dataset=graph_native&runs=["ladder-2026-11-18-r2"]' },
  { name: 'datasets', path: '/datasets?dataset=graph_native' },
  { name: 'documents', path: '/datasets?dataset=graph_native&view=documents&document=oumel-navigation-scheme.md' },
  { name: 'providers', path: '/providers' },
  { name: 'models', path: '/models' },
  { name: 'settings', path: '/settings' },
]

const look = (page: Page, name: string): Promise<void> =>
  inEachScheme(page, async (scheme) => {
    await page.screenshot({ path: `${FOLDER}/${name}-${scheme}.png` })
    expect(await seriousFindings(page), scheme).toEqual([])
  })

for (const { name, path } of VIEWS)
  test(`${name} shows, and axe finds nothing serious`, async ({ page, open }) => {
    await open(path)
    await expect(page.getByLabel('Loading')).toHaveCount(0)
    if (name === 'matrix') await expect(page.locator('[role=gridcell][data-state=ok]').first()).toBeVisible()
    await look(page, name)
  })

test('an open cell and its evidence diff', async ({ page, open }) => {
  await open('/matrix?run=ladder-2026-11-20&dataset=graph_native')
  await page.locator('[role=gridcell][data-state=ok]').nth(1).click()
  await expect(page.getByRole('complementary', { name: 'Cell' }).getByText('Ground truth')).toBeVisible()
  await look(page, 'cell')
  await page
    .getByRole('group', { name: /other approaches/ })
    .getByRole('button', { name: /contextual/ })
    .click()
  await expect(page.getByRole('region', { name: 'Evidence side by side' })).toBeVisible()
  await look(page, 'cell-diff')
})

test('the command palette', async ({ page, open }) => {
  await open('/')
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search or command' }).fill('gates')
  await expect(page.getByRole('button', { name: /gates of the Borisets/ }).first()).toBeVisible()
  await inEachScheme(page, async (scheme) => {
    await page.screenshot({ path: `${FOLDER}/palette-${scheme}.png` })
  })
})

for (const scheme of ['light', 'dark'] as const)
  test.describe(`first run, ${scheme}`, () => {
    test.use({ colorScheme: scheme, panelOptions: { own: true, empty: true } })
    test('the smoke ladder from one button to the matrix', async ({ page, open }) => {
      await open('/')
      await page.screenshot({ path: `${FOLDER}/first-run-${scheme}.png` })
      expect(await seriousFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Run the smoke ladder' }).click()
      // Looked for at every frame: on a quick machine the step is over soon.
      await page.locator('[data-step=cells][data-state=running]').waitFor()
      await expect(page.getByText(/^\d+\/28 cells · /).first()).toBeVisible()
      await page.screenshot({ path: `${FOLDER}/ladder-${scheme}.png` })
      expect(await seriousFindings(page)).toEqual([])
      // The first run ends in its matrix by itself, with hints.
      await expect(page.getByRole('list', { name: 'Hints' })).toBeVisible()
      await expect(page.locator('[role=gridcell][data-state=ok]').first()).toBeVisible()
    })
  })
