import type { EventEmitter } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, type BrowserContext, type ElectronApplication, type Page } from '@playwright/test'
import { START_TIMEOUT_MS, startDesktop, type DesktopProcess } from './desktop-process.ts'
import { SHORT_LIVED_PAGES } from './short-lived-pages.ts'
import { TEST_TOKEN } from './engine-process.ts'
import { type MovableDoor, openMovableDoor } from './movable-door.ts'

export interface DesktopHost extends DesktopProcess {
  door: MovableDoor
}

const ORIGIN = 'app://panel'

/** A second window of the app, as a browser would open a second tab. */
async function newWindow(app: ElectronApplication): Promise<Page> {
  const opened = app.waitForEvent('window')
  await app.evaluate(({ BrowserWindow }) => {
    const first = BrowserWindow.getAllWindows()[0]!
    const window = new BrowserWindow({
      ...first.getBounds(),
      webPreferences: { sandbox: true, contextIsolation: true },
    })
    return window.loadURL('app://panel/')
  })
  return opened
}

const BLANK_ATTEMPTS = 3
const BLANK_MS = 8000

/** On a busy machine a window that still goes to its own page now and then never reports that it has gone to this one: it is sent there again then. */
async function goBlank(page: Page, attempt = 1): Promise<void> {
  try {
    await page.goto('about:blank', { timeout: BLANK_MS })
  } catch (error) {
    if (attempt === BLANK_ATTEMPTS) throw error
    await goBlank(page, attempt + 1)
  }
}

/** The app's pages keep nothing from the spec before: neither documents nor stored choices nor answers made by the spec. */
async function clear({ app, page }: DesktopHost, main: Page): Promise<void> {
  for (const other of app.windows()) if (other !== page) await other.close()
  for (const event of ['pageerror', 'console', 'request', 'response', 'download'] as const)
    main.removeAllListeners(event)
  app.context().removeAllListeners('request')
  await main.unrouteAll({ behavior: 'ignoreErrors' })
  await app.context().unrouteAll({ behavior: 'ignoreErrors' })
  const session = await app.context().newCDPSession(main)
  await session.send('Storage.clearDataForOrigin', { origin: ORIGIN, storageTypes: 'all' })
  await session.detach()
  await goBlank(main)
}

/** Specs in the desktop app: one app per worker, in front of whatever server the spec starts. */
export const desktopTest = base.extend<{ page: Page; context: BrowserContext }, { desktop: DesktopHost }>({
  desktop: [
    async ({ browserName: _ }, use) => {
      const door = await openMovableDoor()
      const desktop = await startDesktop({
        args: [SHORT_LIVED_PAGES],
        env: { RAG_LADDER_ENGINE_URL: door.url, RAG_LADDER_ENGINE_TOKEN: TEST_TOKEN },
      })
      const { app, page } = desktop
      // The panel is open already. Chromium intercepts an app's scheme only in documents that are loaded after the request for it, and to
      // go to another view of the panel loads none: the routes of the first spec would have no effect.
      await goBlank(page)
      const savedIn = await mkdtemp(join(tmpdir(), 'rag-ladder-saved-'))
      await app.evaluate(({ BrowserWindow, session }, folder) => {
        BrowserWindow.getAllWindows()[0]!.setContentSize(1440, 900)
        // No person answers the save dialog.
        session.defaultSession.on('will-download', (_event, item) => {
          item.setSavePath(`${folder}/${item.getFilename()}`)
          item.once('done', () => console.log(`saved ${item.getFilename()}`))
        })
      }, savedIn)
      // The app saves by itself; a spec gets it as it would get a browser's download.
      const events = page as unknown as EventEmitter
      app.on('console', (message) => {
        const name = /^saved (.+)/.exec(message.text())?.[1]
        if (name !== undefined)
          events.emit('download', { suggestedFilename: () => name, path: async () => join(savedIn, name) })
      })
      await use({ ...desktop, door })
      await desktop.close()
      await rm(savedIn, { recursive: true, force: true })
      await door.close()
    },
    { scope: 'worker', timeout: START_TIMEOUT_MS },
  ],
  context: async ({ desktop }, use) => {
    const context = desktop.app.context()
    await use(
      new Proxy(context, {
        get(target, name) {
          if (name === 'newPage') return () => newWindow(desktop.app)
          const value = Reflect.get(target, name) as unknown
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        },
      }),
    )
  },
  page: async ({ desktop, colorScheme }, use) => {
    const { page } = desktop
    await page.emulateMedia({ colorScheme: colorScheme ?? 'light' })
    await use(page)
    await clear(desktop, page)
  },
})
