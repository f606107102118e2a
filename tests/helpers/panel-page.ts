import { fileURLToPath } from 'node:url'
import { test as browserTest, type Page } from '@playwright/test'
import { AxeBuilder } from '@axe-core/playwright'
import { desktopTest, type DesktopHost } from './desktop-test.ts'
import { type FakeControl, startFakeControl } from './fake-control.ts'
import type { FakeControlOptions } from './fake-control/state.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What a spec may set of the server of its pages. */
export type PanelOptions = Pick<
  FakeControlOptions,
  'empty' | 'hostile' | 'bigQuestions' | 'cellMs' | 'failStep' | 'damaged'
>

/** Where the specs run; chosen from outside, so that the same ones run in both. */
export const IS_DESKTOP = process.env['RAG_LADDER_SPEC_HOST'] === 'electron'

// The two differ in what `page` and `context` are; `desktop` is null in a browser.
const base = IS_DESKTOP
  ? desktopTest
  : (browserTest.extend<object, { desktop: DesktopHost | null }>({
      desktop: [async ({ browserName: _ }, use) => use(null), { scope: 'worker' }],
    }) as unknown as typeof desktopTest)

/** A page of the built panel with its server; anything that the policy refused or that was thrown fails the spec. */
export const test = base.extend<{
  panelOptions: PanelOptions
  /** The spec itself does what the policy refuses. */
  mayComplain: boolean
  panel: FakeControl
  open: (path: string) => Promise<void>
}>({
  panelOptions: [{}, { option: true }],
  mayComplain: [false, { option: true }],
  panel: async ({ panelOptions, desktop }, use) => {
    const panel = await startFakeControl({ root: ROOT, files: `${ROOT}out/renderer`, ...panelOptions })
    if (!IS_DESKTOP) await use(panel)
    else {
      desktop.door.leadTo(panel.url)
      await use({ ...panel, url: 'app://panel' })
      desktop.door.leadTo(null)
    }
    await panel.close()
  },
  open: async ({ page, panel, mayComplain }, use) => {
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      // A lost engine shows as failed requests; those are the spec's own doing.
      if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
        complaints.push(message.text())
    })
    await use(async (path) => {
      await page.goto(`${panel.url}/#${path}`)
      await page.locator('main h1, main h2').first().waitFor()
    })
    if (complaints.length > 0 && !mayComplain) throw new Error(`the page complained:\n${complaints.join('\n')}`)
  },
})

/** Serious and critical findings of axe, one line each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Its usual mode opens a page of its own, which the app has none of.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(IS_DESKTOP)
    .options({ resultTypes: ['violations'] })
    .analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
    )
}

/** Calls the control API as the open page does; rejects when it refuses. */
export async function postControl(page: Page, procedure: string, input: object): Promise<void> {
  const body = JSON.stringify(JSON.stringify({ json: input }))
  await page.evaluate(`(async () => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch('/control/${procedure}', { method: 'POST', headers, body: ${body} })
    if (!answer.ok) throw new Error(await answer.text())
  })()`)
}
