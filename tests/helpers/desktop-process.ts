import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { _electron, type ElectronApplication, type Page } from '@playwright/test'
import { messageOf } from '../../core/json.ts'
import { processesNaming } from './processes.ts'
import { programFile } from './program.ts'
import { PROJECT_ROOT } from './project-root.ts'

/** The desktop app as a spec sees it. */
export interface DesktopProcess {
  app: ElectronApplication
  /** Page of the main window. */
  page: Page
  /** Returns what the shell has written to stderr so far. */
  errors(): string
  /** Ends it, whatever it is doing, and removes what it kept. */
  close(): Promise<void>
}

/** Noise of Chromium on machines without a message bus or a graphics processor. */
const NOISE = /^\[\d+:\d+\/|^Debugger |^Waiting for the debugger|^For help, see|libnotify-WARNING|^$/

/** Longer than any start takes; without it, a window that Playwright misses ends the spec without a word. */
const WINDOW_TIMEOUT_MS = 25_000
/** A page that Playwright has attached to answers at once. */
const ANSWER_TIMEOUT_MS = 10_000
const ATTEMPTS = 3
/** Longest that a fixture may take which starts the app: with attempts that fail, longer than a spec may. */
export const START_TIMEOUT_MS = 240_000

/** Rejects with `what` when a promise of Playwright, which may wait for ever, has not settled in time. */
export async function within<Value>(ms: number, what: string, promised: Promise<Value>): Promise<Value> {
  const ended = new AbortController()
  const late = delay(ms, undefined, { signal: ended.signal }).then(() => Promise.reject(new Error(what)))
  try {
    return await Promise.race([promised, late])
  } finally {
    ended.abort()
    late.catch(() => undefined)
  }
}

/** Waits until Playwright sees the window and its page. */
async function answeringWindow(app: ElectronApplication): Promise<Page> {
  const page = await app.firstWindow({ timeout: WINDOW_TIMEOUT_MS })
  await within(ANSWER_TIMEOUT_MS, 'Playwright sees the window, and nothing of its page', page.evaluate('0'))
  return page
}

/** Starts the app until Playwright sees its page: now and then it misses a window that opens before it watches, or takes it for one that never loads. */
async function launchWithWindow(
  options: NonNullable<Parameters<typeof _electron.launch>[0]>,
): Promise<{ app: ElectronApplication; page: Page }> {
  for (let attempt = 1; ; attempt += 1) {
    const app = await _electron.launch({ ...options, timeout: WINDOW_TIMEOUT_MS })
    try {
      return { app, page: await answeringWindow(app) }
    } catch (error) {
      app.process().kill('SIGKILL')
      if (attempt === ATTEMPTS) throw error
      console.log(`starting the app again, ${attempt} of ${ATTEMPTS} attempts failed: ${messageOf(error)}`)
    }
  }
}

/** Starts the built app with data folders of its own. */
export async function startDesktop(
  options: { args?: string[]; env?: Record<string, string> } = {},
): Promise<DesktopProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-desktop-'))
  // Root has no sandbox to offer.
  const flags = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  // No path of Electron is given: only one that Playwright finds itself waits with its window until Playwright watches. A window that
  // opens meanwhile is now and then taken for one that never loads.
  const { app, page } = await launchWithWindow({
    args: [...flags, `--user-data-dir=${folder}`, PROJECT_ROOT, ...(options.args ?? [])],
    cwd: PROJECT_ROOT,
    // Tests that run beside the specs may be using the default port.
    env: {
      ...(process.env as Record<string, string>),
      PLATFORM_PORT: '0',
      RAG_LADDER_ENGINE_ENTRY: programFile('main/engine/index.ts'),
      ...options.env,
    },
  }).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true })
    throw error
  })
  // Playwright forgets it once the app has ended.
  const child = app.process()
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text))
  return {
    app,
    page,
    errors: () =>
      errors
        .split('\n')
        .filter((line) => !NOISE.test(line))
        .join('\n'),
    async close() {
      const { pid } = child
      if (child.exitCode === null && child.signalCode === null) {
        // An unanswered dialog must not keep a spec from ending.
        const stubborn = setTimeout(() => pid !== undefined && process.kill(pid, 'SIGKILL'), 20_000)
        await app.close().catch(() => undefined)
        clearTimeout(stubborn)
      }
      // Chromium's other processes outlive one that is killed, and write to its folder until they notice.
      while ((await processesNaming(folder)).length > 0) await delay(50)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
