import { expect } from '@playwright/test'
import {
  expectAccessible,
  expectOnePrimary,
  inEachScheme,
  picture,
  seriousFindings,
  test,
} from '../helpers/panel-page.ts'

const VIEWS = [
  { name: 'home', path: '/' },
  { name: 'launch', path: '/launch?datasets=["graph_native","cyber_threat_intel"]' },
  { name: 'result', path: '/runs/ladder-2026-11-20/verdict?dataset=graph_native' },
  { name: 'matrix', path: '/runs/ladder-2026-11-20/matrix?dataset=graph_native' },
  { name: 'judges', path: '/runs/ladder-2026-11-20/judges?dataset=graph_native' },
  { name: 'coverage', path: '/runs/ladder-2026-11-20/coverage?dataset=graph_native' },
  { name: 'compare', path: '/runs/compare?run=ladder-2026-11-20&dataset=graph_native&runs=["ladder-2026-11-18-r2"]' },
  { name: 'datasets', path: '/datasets?dataset=graph_native' },
  { name: 'documents', path: '/datasets?dataset=graph_native&view=documents&document=oumel-navigation-scheme.md' },
  { name: 'providers', path: '/services' },
  { name: 'models', path: '/models' },
  { name: 'settings', path: '/settings' },
  { name: 'runs', path: '/runs' },
  { name: 'convert', path: '/tools/convert' },
  { name: 'audio', path: '/tools/audio' },
  { name: 'guide', path: '/guide' },
]

for (const { name, path } of VIEWS)
  test(`${name} shows with one primary button at most, and axe finds nothing serious`, async ({ page, open }) => {
    await open(path)
    await expect(page.getByLabel('Loading')).toHaveCount(0)
    if (name === 'matrix') await expect(page.locator('[role=gridcell][data-state=ok]').first()).toBeVisible()
    await expectOnePrimary(page)
    await expectAccessible(page, name)
  })

test('an open cell and its evidence diff', async ({ page, open }) => {
  await open('/runs/ladder-2026-11-20/matrix?dataset=graph_native')
  await page.locator('[role=gridcell][data-state=ok]').nth(1).click()
  await expect(
    page.getByRole('complementary', { name: 'Answer' }).getByText('Reference', { exact: true }),
  ).toBeVisible()
  await expectAccessible(page, 'cell')
  await page
    .getByRole('group', { name: /other approaches/ })
    .getByRole('button', { name: /contextual/ })
    .click()
  await expect(page.getByRole('region', { name: 'Evidence side by side' })).toBeVisible()
  await expectAccessible(page, 'cell-diff')
})

test('the command palette', async ({ page, open }) => {
  await open('/')
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search or command' }).fill('gates')
  await expect(page.getByRole('button', { name: /gates of the Borisets/ }).first()).toBeVisible()
  await inEachScheme(page, (scheme) => picture(page, `palette-${scheme}`))
})

// What a run under way looks like in the dark is looked at by the spec `run`, which can hold it.
test.describe('first run', () => {
  test.use({ panelOptions: { own: true, empty: true } })
  test('the smoke ladder from one button to the verdict', async ({ page, open }) => {
    await open('/')
    await expectAccessible(page, 'first-run')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByRole('button', { name: 'Run the example' }).click()
    // Looked for at every frame: on a quick machine the step is over soon.
    await page.locator('[data-step=cells][data-state=running]').waitFor()
    await expect(page.getByText(/^\d+\/28 answers · /).first()).toBeVisible()
    await picture(page, 'ladder-light')
    expect(await seriousFindings(page)).toEqual([])
    // The first run ends in its verdict by itself.
    await expect(page.getByRole('article', { name: 'Smoke' })).toBeVisible()
    await page.getByRole('link', { name: 'Progress' }).click()
    await expect(page.getByRole('button', { name: 'Open result' })).toHaveAttribute('data-variant', 'filled')
    await expectOnePrimary(page)
    await expectAccessible(page, 'progress-ended')
  })
})
