import { setTimeout as pause } from 'node:timers/promises'
import { chromium, type Page } from '@playwright/test'

const TITLE = 'RAG Ladder'
const PATIENCE_MS = 60_000

interface Target {
  type: string
  title: string
}

/**
 * Page of the window of an app that was started with a debugging port, by the address that it tells. Waits until the window has its document:
 * one that is attached to while it goes there is now and then taken for one that never loads. Rejects after a minute.
 */
export async function attachWindow(debuggerAddress: string): Promise<Page> {
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
  const browser = await chromium.connectOverCDP(debuggerAddress)
  const context = browser.contexts()[0]!
  return context.pages()[0] ?? (await context.waitForEvent('page'))
}
