import { closeSync, openSync, writeSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Browser, type CDPSession, chromium, type Page } from '@playwright/test'
import { findChromium } from '../../build/e2e/find-program.ts'
import { type EngineProcess, startEngine } from '../helpers/engine-process.ts'
import { currentPages } from '../helpers/current-pages.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { fastLine, syntheticRows, writeSyntheticRun } from '../helpers/synthetic-evidence.ts'
import { atMost, type Figure, median, quantile, shown } from './figure.ts'
import { frameCosts, type FrameCosts, TRACE_CATEGORIES } from './frame-costs.ts'

const LARGE = { run: 'large-answers', questions: 100, aliases: 10, answerBytes: 1_000_000 }
const MANY = { run: 'many-cells', questions: 10_000, aliases: 10 }
const SCROLL_FRAMES = 300
const SCROLL_STEP_PX = 120
const CELLS_OPENED = 20

const fileOf = (folder: string, run: string): string => join(folder, `${run}-bench-evidence.jsonl`)

/** Rows whose answers have a megabyte each; what came over the wire is shown in its structured part only. */
function writeLargeAnswers(file: string): void {
  const words = 'The keeper notes that the water rises four metres before the upper gate opens. '
  const text = words.repeat(Math.ceil(LARGE.answerBytes / words.length)).slice(0, LARGE.answerBytes - 8)
  const fd = openSync(file, 'w')
  try {
    let number = 0
    const run = { runId: LARGE.run, datasetId: 'bench', questions: LARGE.questions, aliases: LARGE.aliases }
    for (const row of syntheticRows({ ...run, seed: 5, answerWords: [1, 2] })) {
      const answer = `${String((number += 1)).padStart(7, '0')} ${text}`
      writeSync(fd, fastLine({ ...row, evidence: row.evidence && { ...row.evidence, answer, raw_content: '' } }))
    }
  } finally {
    closeSync(fd)
  }
}

async function untilIndexed(engine: EngineProcess): Promise<void> {
  const wanted = LARGE.questions * LARGE.aliases + MANY.questions * MANY.aliases
  for (;;) {
    const { index } = await engine.client.system.status()
    if (index.state === 'failed') throw new Error(`the index failed: ${index.message}`)
    if ((index.status?.cells ?? 0) >= wanted) return
    await delay(250)
  }
}

/** Bytes of each answer of the control API, by request; streams count with everything that came. */
async function countBytes(session: CDPSession): Promise<() => { path: string; bytes: number }> {
  const answers = new Map<string, { path: string; bytes: number }>()
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.includes('/control/')) answers.set(requestId, { path: new URL(request.url).pathname, bytes: 0 })
  })
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const answer = answers.get(requestId)
    if (answer !== undefined) answer.bytes += dataLength
  })
  await session.send('Network.enable')
  return () => [...answers.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a), { path: '', bytes: 0 })
}

/** Notes when the first cells with a state are on the screen, and when the query for them was sent and answered. */
const WATCH = `(() => {
  window.__painted = new Promise((painted) => {
    const seen = () => {
      if (document.querySelector('[role=gridcell][data-state]') === null) return
      watcher.disconnect()
      requestAnimationFrame(() => setTimeout(() => {
        const query = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/control/matrix/page')).at(-1)
        painted({ afterQueryMs: performance.now() - query.startTime, afterAnswerMs: performance.now() - query.responseEnd })
      }))
    }
    const watcher = new MutationObserver(seen)
    watcher.observe(document.documentElement, { childList: true, subtree: true, attributes: true })
  })
})()`

/** Frames of the page while it only shows itself: what this machine gives at the moment. */
const REST = `new Promise((done) => {
  const times = []
  let last = null
  const step = (now) => {
    if (last !== null) times.push(now - last)
    last = now
    if (times.length < ${SCROLL_FRAMES}) requestAnimationFrame(step)
    else done(times)
  }
  requestAnimationFrame(step)
})`

const SCROLL = `new Promise((done) => {
  const grid = document.querySelector('[role=grid]')
  const times = []
  let nodes = 0
  let last = null
  const step = (now) => {
    if (last !== null) times.push(now - last)
    last = now
    grid.scrollTop += ${SCROLL_STEP_PX}
    if (times.length % 10 === 0) nodes = Math.max(nodes, document.querySelectorAll('*').length)
    if (times.length < ${SCROLL_FRAMES}) requestAnimationFrame(step)
    else done({ nodes, times })
  }
  requestAnimationFrame(step)
})`

async function metric(session: CDPSession, names: readonly string[]): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.filter(({ name }) => names.includes(name)).reduce((sum, { value }) => sum + value, 0)
}

/** Scrolled on as far again, with a trace of what each frame costs. */
async function tracedScroll(browser: Browser, page: Page): Promise<FrameCosts> {
  await browser.startTracing(page, { categories: TRACE_CATEGORIES })
  await page.evaluate(SCROLL)
  return frameCosts((await browser.stopTracing()).toString())
}

const REFRESH_MS = 1000 / 60
/** The frame that one in twenty takes longer than, in whole refreshes: the page gets times in tenths of a millisecond. */
const p95Frame = (times: readonly number[]): number =>
  Math.max(1, Math.round(quantile(times, 0.95) / REFRESH_MS)) * REFRESH_MS

async function openGrid(page: Page, run: string): Promise<{ afterQueryMs: number; afterAnswerMs: number }> {
  await page.evaluate(`location.hash = '#/settings'`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.evaluate(WATCH)
  await page.evaluate(`location.hash = '#/runs/${run}/matrix?dataset=bench&metric=faithfulness'`)
  return page.evaluate<{ afterQueryMs: number; afterAnswerMs: number }>('window.__painted')
}

async function largeAnswers(page: Page, session: CDPSession): Promise<Figure[]> {
  const largest = await countBytes(session)
  const started = performance.now()
  await openGrid(page, LARGE.run)
  const openMs = performance.now() - started
  const heaps: number[] = []
  const sample = async (): Promise<void> => void heaps.push((await metric(session, ['JSHeapUsedSize'])) / 1e6)
  await sample()
  await page.getByRole('grid').focus()
  let opened = 0
  for (let tries = 0; opened < CELLS_OPENED; tries += 1) {
    if (tries === 8 * CELLS_OPENED) throw new Error(`${tries} cells were opened, and ${opened} had more to show`)
    await page.keyboard.press(tries % 8 === 7 ? 'ArrowRight' : 'ArrowDown')
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('complementary', { name: 'Answer' })
    await drawer.getByRole('heading', { name: 'Answer' }).waitFor()
    const more = drawer.getByRole('button', { name: /^Show more/ })
    // The drawer may still show the cell before, which has more where this one has not.
    const isRead =
      (await more.count()) > 0 &&
      (await more.click({ timeout: 2000 }).then(
        () => true,
        () => false,
      ))
    if (isRead) {
      opened += 1
      await drawer.getByRole('button', { name: /^Show more/ }).waitFor()
    }
    await sample()
    await page.getByRole('grid').focus()
  }
  const { path, bytes } = largest()
  return [
    shown('P5', 'grid of 1,000 cells with 1 MB answers: address to painted cells', openMs, 'ms'),
    atMost('P5', `largest answer of the control API (${path})`, bytes / 1e6, 'MB', 1),
    atMost('P5', `largest heap of the page, grid and ${opened} cells read on`, Math.max(...heaps), 'MB', 300),
  ]
}

async function manyCells(browser: Browser, page: Page): Promise<Figure[]> {
  const paints: { afterQueryMs: number; afterAnswerMs: number }[] = []
  // Each time again: the page's cache would answer the second one.
  for (let round = 0; round < 5; round += 1) {
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    paints.push(await openGrid(page, MANY.run))
  }
  // Every two aliases are compared after the grid is there: scrolling is looked at when that has come too.
  await page.locator('[data-decision]').first().waitFor()
  const rest = await page.evaluate<number[]>(REST)
  const { nodes, times } = await page.evaluate<{ nodes: number; times: number[] }>(SCROLL)
  const { work, paint, rasterMean } = await tracedScroll(browser, page)
  const where = `drawn by the processor, ${availableParallelism()} cores`
  return [
    atMost(
      'P6',
      '100,000 cells: query sent to first cells painted, median of 5',
      median(paints.map((p) => p.afterQueryMs)),
      'ms',
      300,
    ),
    shown('P6', 'its answer read to cells painted, median of 5', median(paints.map((p) => p.afterAnswerMs)), 'ms'),
    atMost(
      'P6',
      `scrolling ${SCROLL_STEP_PX} px per frame: script, style, layout, p95`,
      quantile(work, 0.95),
      'ms',
      16.7,
    ),
    shown('P6', 'the same, median', median(work), 'ms'),
    shown('P6', 'paint lists and layers of it, p95', quantile(paint, 0.95), 'ms'),
    shown('P6', 'pixels of it, all raster threads, mean', rasterMean, 'ms'),
    atMost('P6', `p95 frame, ${where}`, p95Frame(times), 'ms', 16.7),
    shown('P6', 'p95 frame of the same page at rest, same sitting', p95Frame(rest), 'ms'),
    atMost('P6', 'most DOM nodes', nodes, '', 3000),
  ]
}

/** P5 and P6 on a real engine with its own index, in the pages as they are built, without a graphics processor. */
export async function benchPanel(): Promise<Figure[]> {
  await currentPages()
  const project = await mkdtemp(join(tmpdir(), 'panel-bench-'))
  let engine: EngineProcess | null = null
  let browser: Browser | null = null
  try {
    for (const folder of ['manifests', 'corpus'])
      await cp(join(PROJECT_ROOT, folder), join(project, folder), { recursive: true })
    const results = join(project, 'results')
    await mkdir(results)
    writeLargeAnswers(fileOf(results, LARGE.run))
    writeSyntheticRun(fileOf(results, MANY.run), {
      runId: MANY.run,
      datasetId: 'bench',
      questions: MANY.questions,
      aliases: MANY.aliases,
      seed: 7,
      answerWords: [2, 70],
    })
    engine = await startEngine(project)
    await untilIndexed(engine)
    const { url } = await engine.client.system.browserLink()
    browser = await chromium.launch({
      executablePath: findChromium('whole') ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
    })
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    const large = await largeAnswers(page, session)
    return [...large, ...(await manyCells(browser, page))]
  } finally {
    await browser?.close()
    await engine?.stop()
    await rm(project, { recursive: true, force: true })
  }
}
