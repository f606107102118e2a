import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page } from '@playwright/test'

const TITLE = 'RAG Ladder'
const PATIENCE_MS = 60_000
const ATTEMPTS = 5
const ATTEMPT_MS = 8000

interface Target {
  type: string
  title: string
}

/**
 * Page of the window of an app that was started with a debugging port, by the address that it prints. Waits until the window has its document.
 * Rejects after a minute, or when it cannot be attached to in so many attempts.
 */
export async function attachWindow(debuggerAddress: string, attempts = ATTEMPTS): Promise<Page> {
  const list = new URL('/json/list', debuggerAddress.replace(/^ws/, 'http'))
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const targets = (await fetch(list)
      .then((answer) => answer.json())
      .catch(() => [])) as Target[]
    if (targets.some(({ type, title }) => type === 'page' && title === TITLE)) break
    if (Date.now() > until) throw new Error(`no window called ${TITLE} at ${list.href}: ${JSON.stringify(targets)}`)
    await pause(50)
  }
  const browser = await attach(debuggerAddress, attempts)
  const context = browser.contexts()[0]!
  return context.pages()[0] ?? (await context.waitForEvent('page'))
}

/** A window that is attached to while it goes to its document is now and then taken for one that never does: it is attached to again then. */
async function attach(address: string, attempts: number): Promise<Browser> {
  try {
    return await chromium.connectOverCDP(address, { timeout: ATTEMPT_MS })
  } catch (error) {
    if (attempts === 1) throw error
    console.log(`attaching to the window again, at most ${attempts - 1} more times`)
    return attach(address, attempts - 1)
  }
}
