import { expect, type Page } from '@playwright/test'
import { fitsWidth, inEachScheme, picture, seriousFindings, test } from '../helpers/panel-page.ts'

const plan = (page: Page) => page.getByRole('complementary', { name: 'Plan' })
const CHOICE = 'datasets=["smoke"]&models=["vanilla-rag","hybrid-rag"]'

test('each step has no finding of axe in both themes and fits 1440, 900 and 420 pixels', async ({ page, open }) => {
  for (const step of [1, 2, 3]) {
    await open(`/launch?${CHOICE}&step=${step}`)
    await expect(page.getByRole('button', { name: 'Run 8 answers' })).toBeEnabled()
    await inEachScheme(page, async (scheme) => {
      expect(await seriousFindings(page, scheme === 'light' ? 'all' : 'colours')).toEqual([])
      for (const width of [1440, 900, 420]) {
        await page.setViewportSize({ width, height: 900 })
        expect(await fitsWidth(page)).toBe(true)
        await expect(plan(page).getByRole('button', { name: 'Run 8 answers' })).toBeInViewport()
        await picture(page, `new-run-${step}-${scheme}-${width}`)
      }
      await page.setViewportSize({ width: 1440, height: 900 })
    })
  }
})

test('in a narrow window the plan is a bar with its figures that opens', async ({ page, open }) => {
  await page.setViewportSize({ width: 900, height: 900 })
  await open(`/launch?${CHOICE}&step=1`)
  await expect(plan(page)).toContainText(/Answers 8 · Model calls/)
  const whole = page.getByRole('region', { name: 'The plan' })
  await expect(whole).toBeHidden()
  await plan(page).getByRole('button', { name: 'Show plan' }).click()
  await expect(whole).toContainText('Smoke has too few questions to test')
  await picture(page, 'new-run-bar-open')
})

test('a dataset says what it can decide, and the plan follows each choice', async ({ page, open }) => {
  await open(`/launch?${CHOICE}&step=1`)
  const smoke = page.getByRole('checkbox', { name: /^Smoke/ })
  await expect(smoke).toHaveAccessibleDescription(/4 questions.*1 unanswerable.*Too few questions to test/s)
  // The name of a run for which none was typed: dataset, models and time.
  await expect(plan(page)).toContainText(/smoke-builtin-\d{4}-\d\d-\d\d-\d{6}/)
  await smoke.uncheck()
  await expect(plan(page)).toContainText('choose at least one dataset')
  await page.getByRole('checkbox', { name: /^Graph-native/ }).check()
  await expect(page.getByRole('button', { name: 'Run 48 answers' })).toBeEnabled()
  await expect(page.getByText(/^Decides differences of about \d+ points on facts found\.$/)).toBeVisible()
})

test('only the controls of the open step are reached by Tab', async ({ page, open }) => {
  await open('/launch')
  await expect(page.getByRole('heading', { name: /^Which questions/ })).toBeFocused()
  const names: string[] = []
  for (let stop = 0; stop < 30; stop += 1) {
    await page.keyboard.press('Tab')
    const name = await page.evaluate<string>(
      `(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()`,
    )
    names.push(name)
    if (name === 'Next: Approaches') break
  }
  expect(names.at(-1)).toBe('Next: Approaches')
  expect(names.length).toBeLessThanOrEqual(12)
  expect(names.join(' ')).not.toMatch(/vanilla-rag|builtin(?!-\d)/)
})

test.describe('by the keyboard alone', () => {
  test.use({ panelOptions: { own: true } })

  test('a run is opened from the palette, chosen in three steps, and started', async ({ page, open }) => {
    await open('/')
    await page.keyboard.press('ControlOrMeta+K')
    await page.keyboard.type('New run')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { level: 1, name: 'New run' })).toBeVisible()
    const step = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }).first()
    await expect(step('Data')).toHaveAttribute('aria-current', 'step')
    const smoke = page.getByRole('checkbox', { name: /^Smoke/ })
    while ((await smoke.and(page.locator(':focus')).count()) === 0) await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await expect(smoke).toBeChecked()
    await page.keyboard.press('Enter')
    await expect(step('Approaches')).toHaveAttribute('aria-current', 'step')
    await expect(page.getByRole('heading', { name: /^Which approaches/ })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(step('Models')).toHaveAttribute('aria-current', 'step')
    await expect(page.getByRole('button', { name: /^Run \d+ answers$/ })).toBeEnabled()
    await page.keyboard.press('Control+Enter')
    await expect(page).toHaveURL(/\/runs\/.*\/progress/)
  })

  test('Escape closes the sheet and returns to the page that it was opened from', async ({ page, open }) => {
    await open('/datasets')
    await page.keyboard.press('ControlOrMeta+K')
    await page.keyboard.type('New run')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: /^Which questions/ })).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: /^Which approaches/ })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('heading', { level: 1, name: 'Datasets' })).toBeVisible()
  })

  test('Ctrl and Enter runs from the first step, and a link with all choices opens the last one', async ({
    page,
    open,
  }) => {
    await open(`/launch?${CHOICE}`)
    await expect(page.getByRole('heading', { name: /^Which models/ })).toBeFocused()
    await page.getByRole('button', { name: /^Data/ }).click()
    await expect(page.getByRole('button', { name: 'Run 8 answers' })).toBeEnabled()
    await page.keyboard.press('Control+Enter')
    await expect(page).toHaveURL(/\/progress/)
  })
})
