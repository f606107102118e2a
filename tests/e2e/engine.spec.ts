import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, type Page, test as base } from '@playwright/test'
import { programFile } from '../helpers/program.ts'
import { emptyProject } from '../helpers/seeded-project.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface Serving {
  link: string
  origin: string
  project: string
  child: ChildProcess
}

/** `rag-ladder serve` over a fresh copy of the project's manifests and corpus. */
const test = base.extend<{ serving: Serving }>({
  serving: async ({ browserName: _ }, use) => {
    const project = await emptyProject()
    const program = [programFile('bin/rag-ladder.mjs'), 'serve', '--project', project, '--port', '0', '--no-open']
    const child = spawn(join(ROOT, 'node_modules/.bin/node'), program, { stdio: ['ignore', 'pipe', 'inherit'] })
    let link = ''
    for await (const line of createInterface({ input: child.stdout })) {
      link = /http:\/\/\S+\/open\?token=\S+/.exec(line)?.[0] ?? ''
      if (link !== '') break
    }
    await use({ link, origin: new URL(link).origin, project, child })
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    await rm(project, { recursive: true, force: true })
  },
})

/** Asks the engine as the page itself does, with the page's cookie. */
async function engineOf(page: Page): Promise<{ pid: number; engine_id: string }> {
  const answer: unknown = await page.evaluate(
    `fetch('/control/system/status', { method: 'POST', headers: { 'content-type': 'application/json', 'x-rag-ladder-page': localStorage.getItem('rag-ladder-page-key') }, body: '{}' })
      .then((response) => response.json())`,
  )
  return (answer as { json: { pid: number; engine_id: string } }).json
}

async function evidenceOf(project: string): Promise<Buffer> {
  const files = await Array.fromAsync(glob(join(project, 'results/**/*-evidence.jsonl')))
  expect(files).toHaveLength(1)
  return readFile(files[0]!)
}

const wholeRows = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)
const rowIds = (bytes: Buffer): string[] =>
  bytes
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { row_id: string }).row_id)

test('the first five minutes on a real engine: link, smoke ladder, verdict, cell', async ({
  page,
  serving,
  browser,
}) => {
  test.setTimeout(180_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await page.addInitScript(`
    window.violations = []
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      window.violations.push(effectiveDirective + ' ' + blockedURI))`)
  await page.goto(serving.link)
  await page.getByRole('button', { name: 'Skip the tour' }).last().click()
  await page.getByRole('button', { name: 'Run the example' }).click()
  await page.locator('[data-step=cells][data-state=running]').waitFor({ timeout: 60_000 })
  await expect(page.getByText(/^\d+\/28 answers/).first()).toBeVisible()
  // The first run ends in its verdict by itself.
  await expect(page.getByRole('main').getByRole('article').first()).toBeVisible({ timeout: 120_000 })
  await page.getByRole('navigation', { name: 'Parts of the run' }).getByRole('link', { name: 'Matrix' }).click()
  const scored = page.locator('[role=gridcell][data-state=ok]')
  await expect(scored.first()).toBeVisible()
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '5')
  await scored.first().click()
  await expect(
    page.getByRole('complementary', { name: 'Answer' }).getByText('Reference', { exact: true }),
  ).toBeVisible()
  expect(complaints).toEqual([])
  expect(await page.evaluate('window.violations')).toEqual([])

  // The link worked once, in one browser: another one shows what to do.
  const stranger = await browser.newPage()
  await stranger.goto(`${serving.origin}/#/`)
  await expect(stranger.locator('body')).toContainText('one-time link')
  await expect(stranger.getByRole('button', { name: 'Run the example' })).toHaveCount(0)
})

test('an engine killed in mid-run: the page recovers, the run is offered and resumed, no row is lost', async ({
  page,
  serving,
}) => {
  test.setTimeout(180_000)
  await page.goto(serving.link)
  await page.getByRole('button', { name: 'Skip the tour' }).last().click()
  const choice = 'datasets=["graph_native"]&models=["vanilla-rag","hybrid-rag"]&name=killed&metrics=[]&concurrency=1'
  await page.goto(`${serving.origin}/#/launch?${choice}`)
  await page.getByRole('button', { name: 'Run 48 answers' }).click()
  await expect(page.getByText(/^(?:[4-9]|[1-3]\d)\/48 answers/).first()).toBeVisible({ timeout: 90_000 })
  const engine = await engineOf(page)
  process.kill(engine.pid, 'SIGKILL')
  // A torn last line was never acknowledged.
  const before = wholeRows(await evidenceOf(serving.project))
  expect(rowIds(before).length).toBeGreaterThanOrEqual(4)
  expect(rowIds(before).length).toBeLessThan(48)
  await expect(page.getByText('The engine does not answer.')).toBeVisible()

  // The host starts it again at the same address; the page comes back by itself.
  await expect(page.getByText('The engine does not answer.')).toHaveCount(0, { timeout: 60_000 })
  const offer = page.getByRole('status').filter({ hasText: 'killed was interrupted' })
  await expect(offer).toBeVisible()
  expect((await engineOf(page)).engine_id).not.toBe(engine.engine_id)
  await offer.getByRole('button', { name: 'Resume run' }).click()
  // The page goes on to the verdict; the steps stay in the tab Progress.
  await page.waitForURL(/\/verdict/, { timeout: 120_000 })
  await page.getByRole('link', { name: /^Progress/ }).click()
  await expect(page.getByRole('status').filter({ hasText: 'killed is complete: 48 of 48 answers' })).toBeVisible()
  await expect(offer).toHaveCount(0)

  const after = await evidenceOf(serving.project)
  expect(after.subarray(0, before.length).equals(before)).toBe(true)
  expect(rowIds(after)).toHaveLength(48)
  expect(new Set(rowIds(after)).size).toBe(48)
  await page.getByRole('button', { name: 'Open matrix' }).click()
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '25')
})
