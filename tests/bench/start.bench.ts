import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { chromium, type Page } from '@playwright/test'
import { findChromium } from '../../build/e2e/find-program.ts'
import { PAGES } from '../../core/pages.ts'
import { currentPages } from '../helpers/current-pages.ts'
import { skipTour, smokeProject } from '../helpers/cli.ts'
import { type EngineProcess, startEngine } from '../helpers/engine-process.ts'
import { CLI_FLAGS } from '../helpers/program.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { atMost, type Figure, median, shown } from './figure.ts'

const COMMAND = [...CLI_FLAGS, join(PROJECT_ROOT, 'bin/rag-ladder.mjs')]
const ROUNDS = 5
/** Each place is opened from here. */
const FROM = '/guide'
/** Writes what the process has used when it ends, in microseconds. */
const REPORT_USE = `data:text/javascript,process.on('exit',()=>process.stderr.write(JSON.stringify(process.cpuUsage())))`

/** Processor seconds of `rag-ladder help`. */
async function helpSeconds(): Promise<number> {
  const child = spawn(process.execPath, ['--import', REPORT_USE, ...COMMAND, 'help'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const { user, system } = JSON.parse(await text(child.stderr)) as NodeJS.CpuUsage
  return (user + system) / 1e6
}

/** Seconds from the start of a ladder over smoke in a fresh project to its first stored cell; services and ingestion included. */
async function firstCellSeconds(project: string): Promise<number> {
  const started = performance.now()
  const args = [...COMMAND, 'ladder', '--project', project, '--dataset', 'smoke', '--no-publish', '--json']
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PLATFORM_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  let seconds = Number.NaN
  for await (const line of createInterface({ input: child.stdout }))
    if (Number.isNaN(seconds) && line.includes('"cell.finished"')) seconds = (performance.now() - started) / 1000
  const [code] = await exited
  if (code !== 0) throw new Error(`the ladder over smoke ended with ${code}`)
  return seconds
}

/** Notes when the page changed and what the engine answered, until it has been still for a while. */
const SETTLED = `new Promise((done) => {
  let changed = performance.now()
  const watcher = new MutationObserver(() => requestAnimationFrame(() => setTimeout(() => (changed = performance.now()))))
  watcher.observe(document.documentElement, { childList: true, subtree: true, attributes: true, characterData: true })
  const timer = setInterval(() => {
    if (performance.now() - changed < 400) return
    clearInterval(timer)
    watcher.disconnect()
    const answers = performance.getEntriesByType('resource')
      .filter(({ name, startTime, responseEnd }) => name.includes('/control/') && startTime >= window.__left && responseEnd > 0 && responseEnd <= changed)
    done({ painted: changed - window.__left, afterAnswer: answers.length === 0 ? changed - window.__left : changed - Math.max(...answers.map(({ responseEnd }) => responseEnd)) })
  }, 50)
})`

/** Milliseconds from leaving another page to the last change of this one, and from the engine's last answer to it. */
interface Painted {
  painted: number
  afterAnswer: number
}

/** From a fresh load of another page, so that nothing is known of this one. */
async function paintOf(page: Page, path: string): Promise<Painted> {
  await page.evaluate(`location.hash = '#${FROM}'`)
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.evaluate(SETTLED_ONCE)
  await page.evaluate(
    `(() => { performance.clearResourceTimings(); window.__left = performance.now(); location.hash = '#${path}' })()`,
  )
  return page.evaluate<Painted>(SETTLED)
}

/** Lets what the page before still loads come to its end. */
const SETTLED_ONCE = `new Promise((done) => setTimeout(done, 300))`

/** The run of the project, once the engine has indexed it. */
async function firstRun({ client }: EngineProcess): Promise<string> {
  for (;;) {
    const [first] = (await client.runs.list({})).runs
    if (first !== undefined) return first.run_id
    await delay(100)
  }
}

async function paints(project: string): Promise<Figure[]> {
  await currentPages()
  const engine = await startEngine(project)
  const browser = await chromium.launch({
    executablePath: findChromium('whole') ?? undefined,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const { url } = await engine.client.system.browserLink()
    const run = await firstRun(engine)
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const places = [
      ...PAGES.filter(({ path }) => path !== FROM).map(({ path, label }) => ({
        path: path as string,
        label: label as string,
      })),
      ...['verdict', 'matrix', 'coverage', 'progress'].map((tab) => ({
        path: `/runs/${run}/${tab}`,
        label: `Run, ${tab}`,
      })),
    ]
    const figures: Figure[] = []
    for (const { path, label } of places) {
      const rounds: Painted[] = []
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await paintOf(page, path))
      figures.push(
        atMost(
          'P25',
          `${label}: the engine's last answer to the last paint, median of ${ROUNDS}`,
          median(rounds.map(({ afterAnswer }) => afterAnswer)),
          'ms',
          300,
        ),
        shown('P25', `${label}: from the click to it`, median(rounds.map(({ painted }) => painted)), 'ms'),
      )
    }
    return figures
  } finally {
    await browser.close()
    await engine.stop()
  }
}

/** P25: start of the command line, the way to the first stored cell, and each place of the panel after the engine has answered. */
export async function benchStart(): Promise<Figure[]> {
  const help: number[] = []
  const first: number[] = []
  const projects: string[] = []
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      help.push(await helpSeconds())
      projects.push(await smokeProject())
      first.push(await firstCellSeconds(projects.at(-1)!))
    }
    await skipTour(projects[0]!)
    return [
      atMost('P25', `help: processor time, median of ${ROUNDS}`, median(help), 's', 0.25),
      atMost(
        'P25',
        `smoke in a fresh project: command to first stored cell, median of ${ROUNDS}`,
        median(first),
        's',
        1.5,
      ),
      ...(await paints(projects[0]!)),
    ]
  } finally {
    for (const project of projects) await rm(project, { recursive: true, force: true })
  }
}
