import { expect, type Page } from '@playwright/test'
import { seriousFindings, test } from '../helpers/panel-page.ts'

const RUN = '/runs/ladder-2026-11-20'
const DATASET = 'dataset=graph_native'

/** Pages of forms, lists and roles, whose rows are read one by one, with the tables on them that compare numbers and may scroll in their own region. */
const PLACES: readonly { path: string; mayScroll?: readonly string[] }[] = [
  { path: '/' },
  { path: '/models' },
  { path: '/models?show=catalogue' },
  { path: '/runs?run=ladder-2026-11-20', mayScroll: ['Chart', 'Means by run'] },
  { path: `${RUN}/coverage?${DATASET}` },
  { path: `${RUN}/judges?${DATASET}`, mayScroll: ['Scores by approach', 'Ranks without each judge'] },
  { path: '/settings' },
  { path: '/services' },
]

/** Names of the regions in sight that scroll sideways. */
const scrollingRegions = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[document.documentElement, ...document.querySelectorAll('main, main *')]
    .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
    .filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowX))
    .map((each) => each.getAttribute('aria-label') ?? each.tagName)`)

for (const { path, mayScroll = [] } of PLACES)
  test(`at 420 pixels ${path} shows its lists below each other, without scrolling sideways`, async ({ page, open }) => {
    await page.setViewportSize({ width: 420, height: 900 })
    await open(path)
    await expect(page.getByLabel('Loading')).toHaveCount(0)
    await expect
      .poll(async () => (await scrollingRegions(page)).filter((name) => !mayScroll.includes(name)))
      .toEqual([])
    expect(await seriousFindings(page, 'structure')).toEqual([])
  })

test('at 900 pixels neither coverage nor the judges scroll sideways', async ({ page, open }) => {
  await page.setViewportSize({ width: 900, height: 900 })
  for (const part of ['coverage', 'judges']) {
    await open(`${RUN}/${part}?${DATASET}`)
    await expect(page.getByLabel('Loading')).toHaveCount(0)
    await expect.poll(() => scrollingRegions(page)).toEqual([])
  }
})

test('at 420 pixels a value keeps the head of its column before it', async ({ page, open }) => {
  await page.setViewportSize({ width: 420, height: 900 })
  await open('/models')
  await expect(page.getByRole('region', { name: 'builtin', exact: true })).toContainText('rule-agent')
  const before = `getComputedStyle(document.querySelector('[data-head=Model]'), '::before').content`
  expect(await page.evaluate(before)).toBe('"Model"')
  await open(`${RUN}/coverage?${DATASET}`)
  await expect(page.getByRole('region', { name: 'Coverage', exact: true })).toContainText('facts found')
  await expect(page.getByRole('columnheader')).toHaveCount(0)
})
