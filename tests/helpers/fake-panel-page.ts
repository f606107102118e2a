import { fileURLToPath } from 'node:url'
import { test as browserTest } from '@playwright/test'
import { desktopTest, type DesktopHost } from './desktop-test.ts'
import { type FakeControl, startFakeControl } from './fake-control.ts'
import type { FakeControlOptions } from './fake-control/state.ts'
import { IS_DESKTOP } from './panel-page.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What a spec may say about the server behind its pages. */
export type PanelOptions = Pick<
  FakeControlOptions,
  'empty' | 'hostile' | 'bigQuestions' | 'cellMs' | 'failStep' | 'damaged'
>

// The two differ in what `page` and `context` are; `desktop` is null in a browser.
const base = IS_DESKTOP
  ? desktopTest
  : (browserTest.extend<object, { desktop: DesktopHost | null }>({
      desktop: [async ({ browserName: _ }, use) => use(null), { scope: 'worker' }],
    }) as unknown as typeof desktopTest)

/** A page of the built panel with a server behind it; anything that the policy refused or that was thrown fails the spec. */
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
