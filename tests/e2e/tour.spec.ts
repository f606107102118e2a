import { expect } from '@playwright/test'
import { picture, pressEnter, seriousFindings, test } from '../helpers/panel-page.ts'

test.describe('the first start of a project', () => {
  test.use({ panelOptions: { own: true, empty: true, tour: true } })

  test('a tour by keyboard alone ends with an own question answered by every approach', async ({ page, open }) => {
    await open('/')
    const tour = page.getByRole('dialog', { name: 'Tour' })
    await expect(tour.getByRole('heading', { name: 'Which approach fits your documents?' })).toBeFocused()
    expect(await seriousFindings(page)).toEqual([])
    await picture(page, 'tour-purpose')
    await page.keyboard.press('Tab')
    await expect(tour.getByRole('button', { name: 'Skip the tour' }).last()).toBeFocused()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')

    await expect(tour.getByRole('heading', { name: 'Run all approaches' })).toBeFocused()
    await expect(tour.getByRole('button', { name: 'Next' })).toBeDisabled()
    await page.keyboard.press('Tab')
    await expect(tour.getByRole('button', { name: 'Run 4 questions × 7 approaches' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(tour.getByText(/is complete: 28 answers/)).toBeVisible({ timeout: 60_000 })
    await picture(page, 'tour-run')
    await pressEnter(tour.getByRole('button', { name: 'Next' }))

    await expect(tour.getByRole('heading', { name: /^Result of / })).toBeVisible()
    await expect(tour.getByRole('article', { name: 'Smoke' })).toBeVisible()
    expect(await seriousFindings(page)).toEqual([])
    await picture(page, 'tour-read')
    await pressEnter(tour.getByRole('button', { name: 'Next' }))

    await tour.getByText('Read the 3 documents').press('Enter')
    await expect(tour.getByRole('region', { name: 'Read the 3 documents' })).toContainText('Quay Trust')
    await tour.getByRole('textbox', { name: 'Your question' }).fill('Who looks after the lock at Tidewater Quay?')
    await page.keyboard.press('Enter')
    const answers = tour.getByRole('list', { name: 'Who looks after the lock at Tidewater Quay?' })
    await expect(answers.getByText(/^● /)).toHaveCount(7, { timeout: 60_000 })
    await expect(answers.getByRole('listitem', { name: 'vanilla-rag' })).toContainText('Quay Trust')
    // A graph answer has no contexts: those that its engine reports are shown.
    const graph = answers.getByRole('listitem', { name: 'graph-rag', exact: true })
    await expect(graph).toContainText('3 passages that the engine reports as used')
    await expect(graph.getByRole('group').filter({ hasText: 'Evidence' })).toContainText('tidewater-lock.md')
    // An answer that was given before is folded.
    await expect(graph.getByText('Same answer as vanilla-rag')).toBeVisible()
    expect(await seriousFindings(page)).toEqual([])
    await picture(page, 'tour-ask')
    await pressEnter(tour.getByRole('button', { name: 'Finish' }))
    await expect(tour).toHaveCount(0)

    await open('/')
    await expect(page.getByRole('heading', { name: /^Result of / })).toBeVisible()
    await expect(tour).toHaveCount(0)
    await open('/guide')
    await page.getByRole('button', { name: 'Take the tour' }).click()
    await expect(tour).toBeVisible()
  })
})

test.describe('a skipped tour', () => {
  test.use({ panelOptions: { own: true, empty: true, tour: true } })
  test('does not come back by itself, in whatever browser', async ({ page, open, panel }) => {
    await open('/')
    const tour = page.getByRole('dialog', { name: 'Tour' })
    await expect(tour).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(tour).toHaveCount(0)
    await expect.poll(() => panel.client.settings.panel()).toEqual({ tour_seen: true })
    // Nothing of it is kept in this browser.
    await page.evaluate('localStorage.removeItem("rag-ladder-preferences")')
    await page.reload()
    await expect(page.getByRole('button', { name: 'Run the example' })).toBeVisible()
    await expect(tour).toHaveCount(0)
  })
})

test.describe('a project with runs', () => {
  test.use({ panelOptions: { own: true, tour: true } })
  test('does not open the tour', async ({ page, open }) => {
    await open('/')
    await expect(page.getByRole('heading', { name: /^Result of / })).toBeVisible()
    await expect(page.getByRole('dialog', { name: 'Tour' })).toHaveCount(0)
  })
})
