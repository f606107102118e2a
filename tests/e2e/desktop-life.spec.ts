import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { DECLARABLE_APPROACHES } from '../../contract/approaches.ts'
import type { RunJob } from '../../contract/control/run-job.ts'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import type { DesktopProcess } from '../helpers/desktop-process.ts'
import { childrenOf, isAlive } from '../helpers/processes.ts'
import { ask, test } from '../helpers/real-desktop.ts'

test.describe.configure({ timeout: 120_000 })

const QUESTIONS = 4
const MODELS = [...DECLARABLE_APPROACHES]
/** Long enough to do something meanwhile. */
const LONG = { run_id: 'long', dataset_ids: ['smoke'], models: MODELS, repeats: 6 }
const CELLS = QUESTIONS * MODELS.length * LONG.repeats

const enginePid = async (page: Page): Promise<number> => (await ask<{ pid: number }>(page, 'system/status')).pid
const jobOf = async (page: Page): Promise<RunJob | undefined> =>
  (await ask<RunJob[]>(page, 'runs/jobs')).find(({ run_id }) => run_id === LONG.run_id)
const strip = (page: Page) => page.getByRole('contentinfo', { name: 'Run under way' })

async function startLongRun(page: Page): Promise<void> {
  await ask(page, 'runs/start', LONG)
  await expect(strip(page)).toContainText(new RegExp(`[1-9]\\d*/${CELLS} answers`), { timeout: 60_000 })
}

async function storedRows(project: string): Promise<string[]> {
  const text = await readFile(join(project, `results/${LONG.run_id}-smoke-evidence.jsonl`), 'utf8')
  // A torn tail is not a row: it was never acknowledged.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  return lines.flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { row_id: string }).row_id]))
}

/** Returns what the main process answers a question with, instead of a person. */
const answerDialogs = ({ app }: DesktopProcess, response: number): Promise<void> =>
  app.evaluate(({ dialog }, button) => {
    const asked = ((globalThis as { asked?: string[] }).asked ??= [])
    dialog.showMessageBox = (...given: unknown[]) => {
      asked.push((given.at(-1) as { message: string }).message)
      return Promise.resolve({ response: button, checkboxChecked: false })
    }
  }, response)
const askedDialogs = ({ app }: DesktopProcess): Promise<string[]> =>
  app.evaluate(() => (globalThis as { asked?: string[] }).asked ?? [])

test('an engine that is killed during a run: the window recovers, the run resumes, nothing is lost', async ({
  real,
}) => {
  const { app, page, project } = real
  await startLongRun(page)
  const delays = await app.evaluateHandle(() => {
    const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks')
    const histogram = monitorEventLoopDelay({ resolution: 5 })
    histogram.enable()
    return histogram
  })
  const before = await enginePid(page)
  const rowsBefore = await storedRows(project)
  process.kill(before, 'SIGKILL')
  await expect(page.getByText('The engine does not answer.').first()).toBeVisible()

  // The same page, in the same window, with a new engine.
  await expect.poll(() => enginePid(page).catch(() => before)).not.toBe(before)
  await expect(page.getByText('The engine does not answer.')).toHaveCount(0)
  const atCrash = await storedRows(project)
  expect(atCrash.slice(0, rowsBefore.length)).toEqual(rowsBefore)
  expect(atCrash.length).toBeLessThan(CELLS)
  expect(await jobOf(page)).toMatchObject({ state: 'interrupted', resumable: true })

  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByRole('button', { name: 'Resume run' }).click()
  await expect.poll(async () => (await jobOf(page))?.state, { timeout: 90_000 }).toBe('completed')
  const rows = await storedRows(project)
  expect(rows.slice(0, atCrash.length)).toEqual(atCrash)
  expect([rows.length, new Set(rows).size]).toEqual([CELLS, CELLS])
  expect((await verifyEvidence(join(project, `results/${LONG.run_id}-smoke-evidence.jsonl`))).ok).toBe(true)
  const p99Ms = await delays.evaluate((histogram) => histogram.percentile(99) / 1e6)
  console.log(`P18: main process p99 event-loop delay ${p99Ms.toFixed(1)} ms over a run, a crash and a resume`)
})

test('closing the window leaves the run going; a second start brings it back; quitting asks', async ({ real }) => {
  const { app, page } = real
  await startLongRun(page)
  const pid = await enginePid(page)
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close())
  const isVisible = (): Promise<boolean> =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.isVisible())
  await expect.poll(isVisible).toBe(false)
  const { progress } = (await jobOf(page))!
  await expect.poll(async () => (await jobOf(page))?.progress?.done ?? CELLS).toBeGreaterThan(progress?.done ?? 0)
  expect(isAlive(pid)).toBe(true)
  await app.evaluate(({ app: program }) => program.emit('second-instance'))
  await expect.poll(isVisible).toBe(true)

  await answerDialogs(real, 1)
  await app.evaluate(({ app: program }) => program.quit())
  await expect.poll(() => askedDialogs(real)).toEqual([`The run ${LONG.run_id} is under way`])
  expect(await jobOf(page)).toMatchObject({ state: 'running' })

  await answerDialogs(real, 0)
  const ended = app.waitForEvent('close')
  await app.evaluate(({ app: program }) => program.quit())
  await ended
  await expect.poll(() => isAlive(pid)).toBe(false)
  expect(real.errors()).toBe('')
})

test('an app that is killed leaves no process running', async ({ real }) => {
  const { app, page } = real
  await startLongRun(page)
  const pid = await enginePid(page)
  const children = await childrenOf(pid)
  expect(children.length).toBeGreaterThan(0)
  app.process().kill('SIGKILL')
  await expect.poll(() => [pid, ...children].filter(isAlive)).toEqual([])
})

test.describe('an engine that cannot be started', () => {
  test.use({ desktopEnv: { RAG_LADDER_ENGINE_NODE: process.platform === 'win32' ? 'no-such-node' : '/bin/false' } })
  test('is shown in a dialog with what it printed, and the page shows it meanwhile', async ({ real }) => {
    await answerDialogs(real, 0)
    await expect(real.page.getByText('The engine does not answer.').first()).toBeVisible({ timeout: 40_000 })
    await expect.poll(() => askedDialogs(real), { timeout: 60_000 }).toEqual(['The engine does not stay up'])
  })
})

test('the page sees neither the token nor Node, and the shell answers only what the contract names', async ({
  real,
}) => {
  const { app, page, project } = real
  expect(await page.evaluate(`[typeof require, typeof process, typeof module, window.electron].map(String)`)).toEqual([
    'undefined',
    'undefined',
    'undefined',
    'undefined',
  ])
  expect(await page.evaluate(`window.ragLadderDesktop.describe()`)).toMatchObject({
    project,
    platform: process.platform,
  })
  // A page can pass a file that came from the disk, and nothing that it made up.
  await expect(page.evaluate(`window.ragLadderDesktop.openOriginal(new File(['a'], '/etc/passwd'))`)).rejects.toThrow()
  await expect(page.evaluate(`window.ragLadderDesktop.reveal('/etc')`)).rejects.toThrow(/folder.reveal/)
  const answers = await page.evaluate(`fetch('/control/system/status', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}',
  }).then(async (answer) => JSON.stringify([...answer.headers]) + await answer.text())`)
  expect(answers).toContain('engine_id')
  expect(String(answers).toLowerCase()).not.toMatch(/bearer|authorization|set-cookie/)
  const preferences = await app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]!.webContents as unknown as {
      getLastWebPreferences(): Record<string, unknown>
    }
    const { sandbox, contextIsolation, nodeIntegration, webSecurity, webviewTag } = contents.getLastWebPreferences()
    return { sandbox, contextIsolation, nodeIntegration, webSecurity, webviewTag }
  })
  expect(preferences).toEqual({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
  })
})
