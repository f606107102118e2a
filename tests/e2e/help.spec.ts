import { expect } from '@playwright/test'
import { seriousFindings, test } from '../helpers/panel-page.ts'

test('each page links to its page of the guide, which opens without a network', async ({ page, open }) => {
  await open('/runs/ladder-2026-11-20/judges')
  // Only the built pages may answer from here on: the guide is among them.
  await page.route(/^https?:\/\/(?!127\.0\.0\.1)/, (route) => route.abort())
  await page.getByRole('navigation', { name: 'Program' }).getByRole('link', { name: 'Guide' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Judges' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 2, name: 'People as judges' })).toBeVisible()
  expect(await seriousFindings(page)).toEqual([])
})

test.describe('a round that is open', () => {
  test.use({ panelOptions: { own: true } })
  test('a page that is chosen while the first question of Judges loads is the one that opens', async ({
    page,
    open,
    panel,
  }) => {
    const round = { run_id: 'ladder-2026-11-20', dataset_id: 'graph_native' }
    await panel.client.judges.begin(round)
    const hold = async (url: RegExp): Promise<() => void> => {
      let release = (): void => undefined
      const held = new Promise<void>((resolve) => (release = resolve))
      await page.route(url, async (route) => {
        await held
        await route.continue()
      })
      return release
    }
    const sendQuestions = await hold(/\/judges\/blindSets/)
    const sendGuide = await hold(/\/guide-[^/]*\.js/)
    const asked = page.waitForRequest(/\/judges\/blindSets/)
    await open(`/runs/${round.run_id}/judges?dataset=${round.dataset_id}`)
    await asked
    await page.getByRole('navigation', { name: 'Program' }).getByRole('link', { name: 'Guide' }).click()
    const question = page.waitForResponse(/\/judges\/blindSets/)
    sendQuestions()
    await question
    // Two frames: the page has drawn the question and would have gone to its address.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    sendGuide()
    await expect(page.getByRole('heading', { level: 2, name: 'People as judges' })).toBeVisible()
  })
})

test('the guide leads from page to page and to a heading', async ({ page, open }) => {
  await open('/guide')
  const contents = page.getByRole('navigation', { name: 'Guide' })
  await expect(contents.getByRole('link', { name: 'First run' })).toHaveAttribute('aria-current', 'page')
  await contents.getByRole('link', { name: 'Troubleshooting' }).click()
  await page.getByRole('article').getByRole('link', { name: 'Exit codes' }).click()
  await expect(page.getByRole('heading', { name: 'Exit codes' })).toBeFocused()
  await expect(page).toHaveURL(/page=headless-and-ci/)
})

test('a link that leads out of the guide is shown as text', async ({ page, open }) => {
  await open('/guide?page=documents')
  const article = page.getByRole('article')
  await expect(article.getByText('conversion scorecard')).toBeVisible()
  await expect(article.getByRole('link', { name: 'conversion scorecard' })).toHaveCount(0)
})

test('an unknown page of the guide is reported and keeps the contents', async ({ page, open }) => {
  await open('/guide?page=nonsense')
  await expect(page.getByRole('heading', { name: 'No such page in the guide' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Guide' })).toBeVisible()
})

test('the guide has no serious findings on a dark screen', async ({ page, open }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await open('/guide?page=troubleshooting')
  await expect(page.getByRole('article')).toBeVisible()
  expect(await seriousFindings(page)).toEqual([])
})
