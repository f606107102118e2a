import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import sharp from 'sharp'
import { PAGES } from '../../renderer/app/page-list.ts'
import { type ControlClient, type EngineProcess, eventsUntil, startEngine } from '../helpers/engine-process.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const FOLDER = join(PROJECT_ROOT, 'docs/screens')
const MOST_BYTES = 200_000
const RUN = 'smoke-2026'

/** Runs the lowest rung with judges and waits for its end. */
async function smallRun(client: ControlClient): Promise<void> {
  const { datasets, aliases, judge_panel: panel } = await client.experiment.get()
  const smoke = datasets.toSorted((a, b) => a.complexity_level - b.complexity_level)[0]!
  await client.runs.start({
    run_id: RUN,
    dataset_ids: [smoke.id],
    models: aliases.filter(({ flavor }) => flavor === null).map(({ alias }) => alias),
    judge: { enabled: true, models: panel.builtin },
  })
  const seen = await eventsUntil(
    client,
    { after: 0 },
    (event) => event.type === 'run.changed' && ['completed', 'failed', 'cancelled'].includes(event.job.state),
  )
  const last = seen.at(-1)!.event
  if (last.type !== 'run.changed' || last.job.state !== 'completed')
    throw new Error(`the run did not come to its end: ${JSON.stringify(last).slice(0, 400)}`)
}

/** Waits until the index has the run, and gives a row of it that has an answer. */
async function rowOf(client: ControlClient): Promise<{ dataset: string; row: string }> {
  for (let tries = 0; tries < 40; tries += 1) {
    const { runs } = await client.runs.list({ limit: 1 })
    const dataset = runs[0]?.datasets[0]?.dataset_id
    if (dataset !== undefined) {
      const input = { run_id: RUN, dataset_id: dataset, metric: 'answer_relevancy' as const, limit: 1 }
      const { rows } = await client.matrix.page(input)
      const cell = rows[0]?.cells.find((each) => each?.status === 'ok')
      if (cell) return { dataset, row: cell.row_id }
    }
    await new Promise((done) => setTimeout(done, 250))
  }
  throw new Error('the index does not have the run after 10 s')
}

/** Every route of the panel with the address that shows something; a route that nobody names here fails. */
async function views(dataset: string, row: string): Promise<{ name: string; address: string }[]> {
  const extra: Record<string, string> = {
    '/cell': `?run=${RUN}&row=${row}`,
    '/matrix': `?run=${RUN}&dataset=${dataset}`,
    '/launch': `?datasets=["${dataset}"]`,
  }
  const router = await readFile(join(PROJECT_ROOT, 'renderer/app/router.tsx'), 'utf8')
  const routes = [...router.matchAll(/child\('([^']+)'\)/g)].map(([, path]) => path!)
  const known = new Set<string>([...PAGES.map(({ path }) => path), ...Object.keys(extra)])
  const unknown = routes.filter((route) => !known.has(route))
  if (unknown.length > 0) throw new Error(`routes without a picture: ${unknown.join(', ')}`)
  return [...known].map((path) => ({
    name: path === '/' ? 'home' : path.slice(1).replaceAll('/', '-'),
    address: `${path}${extra[path] ?? ''}`,
  }))
}

/** As few colours as the picture bears. */
async function smallPng(bytes: Buffer): Promise<Buffer> {
  for (const colours of [256, 128, 64, 32]) {
    const small = await sharp(bytes).png({ palette: true, colours, dither: 0, effort: 9 }).toBuffer()
    if (small.length < MOST_BYTES) return small
  }
  throw new Error(`a picture stays above ${MOST_BYTES} bytes`)
}

async function settled(page: Page): Promise<void> {
  await page.locator('main h1, main h2').first().waitFor()
  await page.locator('[aria-label=Loading], [aria-busy=true]').first().waitFor({ state: 'detached' })
  await page.waitForLoadState('load')
  // Charts and graphs draw themselves in a few frames after their data.
  await page.waitForTimeout(600)
}

async function takeAll(browser: Browser, engine: EngineProcess, list: { name: string; address: string }[]) {
  for (const scheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: scheme })
    const page = await context.newPage()
    await page.goto((await engine.client.system.browserLink()).url)
    for (const { name, address } of list) {
      await page.goto(`${engine.url}/#${address}`)
      await page.reload()
      await settled(page)
      const picture = await smallPng(await page.screenshot())
      await writeFile(join(FOLDER, `${name}-${scheme}.png`), picture)
      console.log(`● docs/screens/${name}-${scheme}.png  ${Math.round(picture.length / 1000)} kB`)
    }
    await context.close()
  }
}

const project = await mkdtemp(join(tmpdir(), 'rag-ladder-'))
let engine: EngineProcess | null = null
let browser: Browser | null = null
try {
  for (const folder of ['manifests', 'corpus'])
    await cp(join(PROJECT_ROOT, folder), join(project, folder), { recursive: true })
  engine = await startEngine(project)
  await smallRun(engine.client)
  const { dataset, row } = await rowOf(engine.client)
  await mkdir(FOLDER, { recursive: true })
  browser = await chromium.launch({
    executablePath: process.env.RAG_LADDER_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })
  await takeAll(browser, engine, await views(dataset, row))
} finally {
  await browser?.close()
  await engine?.stop()
  await rm(project, { recursive: true, force: true })
}
