import { rm } from 'node:fs/promises'
import { test as base, type Page } from '@playwright/test'
import { skipTour, smokeProject } from './cli.ts'
import { START_TIMEOUT_MS, startDesktop, within, type DesktopProcess } from './desktop-process.ts'

/** The app with its own engine, on a fresh project. */
export interface RealDesktop extends DesktopProcess {
  project: string
}

/** Calls the control API as the page does; the answer's JSON. Rejects with what the engine refused. */
export async function ask<Answer>(page: Page, procedure: string, input?: unknown): Promise<Answer> {
  const body = JSON.stringify({ json: input })
  return page.evaluate<Answer>(`(async () => {
    const answer = await fetch('/control/${procedure}', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body)},
    })
    const { json } = await answer.json()
    if (!answer.ok) throw new Error(JSON.stringify(json))
    return json
  })()`)
}

/** Returns what is known of a window in which nothing shows: as Playwright sees it, and as the app's main process does. */
async function stateOf(desktop: DesktopProcess): Promise<string> {
  const { app, page } = desktop
  const LOOK = `JSON.stringify([document.readyState, document.body.innerText.slice(0, 200), ...performance.getEntriesByType('resource').map((e) => [e.name, e.duration, e.responseStatus, e.decodedBodySize])])`
  const seen: unknown = await within(5000, 'its page does not answer', page.evaluate(LOOK)).catch(String)
  const shown: unknown = await within(
    5000,
    'the main process does not answer',
    app.evaluate(
      ({ BrowserWindow }, look) => BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(look),
      LOOK,
    ),
  ).catch(String)
  return `exit code ${app.process().exitCode}, ${page.url()}, seen: ${String(seen)}, shown: ${String(shown)}, stderr: ${desktop.errors()}`
}

/** Each spec has an app of its own: these end it in ways that the next one would notice. */
export const test = base.extend<{ desktopEnv: Record<string, string>; real: RealDesktop }>({
  desktopEnv: [{}, { option: true }],
  real: [
    async ({ desktopEnv }, use) => {
      const project = await smokeProject()
      await skipTour(project)
      try {
        const desktop = await startDesktop({ args: ['--project', project], env: desktopEnv })
        try {
          await desktop.page
            .locator('main h1, main h2')
            .first()
            // Less than the start's own time, which would end it without a word of what the window shows.
            .waitFor({ timeout: 45_000 })
            .catch(async (error: unknown) => {
              throw new Error(`the window stays blank; ${await stateOf(desktop)}`, { cause: error })
            })
          await use({ ...desktop, project })
        } finally {
          await desktop.close()
        }
      } finally {
        await rm(project, { recursive: true, force: true })
      }
    },
    { timeout: START_TIMEOUT_MS },
  ],
})
