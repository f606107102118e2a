import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from '@playwright/test'
import { findChromium } from '../../build/e2e/find-program.ts'
import { approachDescriptor } from '../../contract/approaches.ts'
import { PAGES, RUN_TABS } from '../../core/pages.ts'
import { type ControlClient, type EngineProcess, eventsUntil, startEngine } from '../helpers/engine-process.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { smallPng } from '../helpers/small-png.ts'
import { type PartialRun, startPartialRun, startRunUnderWay } from './partial-run.ts'

const { values: options } = parseArgs({
  options: { width: { type: 'string', multiple: true }, out: { type: 'string' } },
})
/** Widths of the window. Names of pictures at another width than the first end in it. */
const [WIDEST, ...NARROWER] = (options.width ?? ['1440']).map(Number) as [number, ...number[]]
const FOLDER = resolve(options.out ?? join(PROJECT_ROOT, 'docs/screens'))
const HEIGHT = 900
/** Lists what a checkout holds: every approach on every rung, with judges. */
const PUBLISHED = { run: 'embedded-baseline', dataset: 'graph_native', rungs: 3 }
/** A run of our own, for the page that shows a run as it happens. */
const OWN_RUN = 'smoke-2026'
/** A file whose conversion has something of everything. */
const CONVERTED = join(PROJECT_ROOT, 'corpus/mixed_formats/annual-report.pdf')
/** Two spoken sentences, long enough for a voice. */
const SPOKEN = join(PROJECT_ROOT, 'tests/fixtures/audio/spoken.flac')

/** Runs the lowest rung with judges and waits for its end. */
async function smallRun(client: ControlClient): Promise<void> {
  const { datasets, aliases, judge_panel: panel } = await client.experiment.get()
  const smoke = datasets.toSorted((a, b) => a.complexity_level - b.complexity_level)[0]!
  await client.runs.start({
    run_id: OWN_RUN,
    dataset_ids: [smoke.id],
    models: aliases
      .filter(({ base, flavor }) => flavor === null && approachDescriptor(base).isBesides !== true)
      .map(({ alias }) => alias),
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

/** Waits until the index has the published run, and gives a row of it that a chart would call typical. */
async function publishedRow(client: ControlClient): Promise<string> {
  const { run, dataset } = PUBLISHED
  for (let tries = 0; tries < 80; tries += 1) {
    // All its rungs: the charts join them.
    const { runs } = await client.runs.list({ limit: 20 })
    if (runs.some(({ run_id: id, datasets }) => id === run && datasets.length === PUBLISHED.rungs)) {
      const input = { run_id: run, dataset_id: dataset, metric: 'answer_relevancy' as const, limit: 20 }
      const { rows, aliases } = await client.matrix.page(input)
      const column = aliases.indexOf('hybrid-rag')
      const cell = rows
        .filter(({ hops }) => hops === 2)
        .map(({ cells }) => cells[column])
        .find((each) => each?.status === 'ok')
      if (cell) return cell.row_id
    }
    await new Promise((done) => setTimeout(done, 250))
  }
  throw new Error('the index does not have the published run after 20 s')
}

interface View {
  name: string
  address: string
  /** Returns what a person does there before there is something to see. */
  act?: (page: Page) => Promise<void>
  /** The only one that it is taken in. */
  scheme?: 'light' | 'dark'
}

async function convert(page: Page): Promise<void> {
  await page.locator('main input[type=file]').last().setInputFiles(CONVERTED)
  await page.getByRole('img', { name: /^Page 1 of/ }).waitFor({ timeout: 120_000 })
}

/** A transcript with its wave. */
async function transcribe(page: Page): Promise<void> {
  await page.locator('main input[type=file]').first().setInputFiles(SPOKEN)
  await page.getByRole('list', { name: 'Transcript' }).waitFor({ timeout: 120_000 })
  await page.evaluate('scrollTo(0, 0)')
}

async function speak(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Speak the text' }).click()
  await page.getByRole('button', { name: 'Play the speech' }).waitFor({ timeout: 60_000 })
}

/** A voice made of a clip the first time, and a sentence in it with both waves and spectrograms. */
async function useVoice(page: Page): Promise<void> {
  const speak = page.getByRole('button', { name: 'Speak in this voice: Fixture speaker' })
  const empty = page.getByRole('heading', { name: 'No voice yet' })
  await speak.or(empty).first().waitFor({ timeout: 60_000 })
  if (await empty.isVisible()) {
    await page.locator('main input[type=file]').first().setInputFiles(SPOKEN)
    await page.getByRole('button', { name: 'Check the clip' }).click()
    await page.getByLabel('Name').fill('Fixture speaker')
    await page.getByLabel(/has agreed/).check()
    await page.getByRole('button', { name: 'Save the voice' }).click()
    // The note that it worked would cover the services.
    const note = page.getByText('The voice Fixture speaker is registered')
    await note.waitFor()
    // It stays as long as the pointer is on it.
    await page.mouse.move(0, 0)
    await note.waitFor({ state: 'detached' })
  }
  await speak.click({ timeout: 60_000 })
  await page.getByRole('img', { name: 'Spectrogram of Imitation' }).waitFor({ timeout: 60_000 })
  await speak.scrollIntoViewIfNeeded()
}

/** Every route of the panel with the address that shows something; a route that is missing here fails. */
async function views(row: string): Promise<{ before: View[]; after: View[] }> {
  const { run, dataset } = PUBLISHED
  const ofRun = `?run=${run}&dataset=${dataset}`
  const part = (name: string, view = ''): Omit<View, 'name'> => ({
    address: `/runs/${run}/${name}?dataset=${dataset}${view}`,
  })
  const shown: Record<string, Omit<View, 'name'>> = {
    '/': { address: '/' },
    '/launch': { address: `/launch?datasets=["${dataset}"]` },
    '/runs': { address: `/runs?run=${run}` },
    '/verdict': part('verdict'),
    '/matrix': part('matrix', '&metric=recall_at_5'),
    '/cell': part('cell', `&row=${row}`),
    '/coverage': part('coverage'),
    '/judges': part('judges'),
    '/runs/compare': { address: `/runs/compare${ofRun}` },
    '/datasets': { address: '/datasets' },
    '/datasets?documents': {
      address: `/datasets?dataset=${dataset}&view=documents&document=oumel-navigation-scheme.md&chunks=true`,
      act: (page) => page.getByText(/^Cutting the document/).waitFor({ state: 'detached', timeout: 60_000 }),
    },
    '/tools/convert': { address: '/tools/convert', act: convert },
    '/tools/audio': { address: '/tools/audio', act: transcribe },
    '/tools/audio?view=speak': { address: '/tools/audio?view=speak', act: speak },
    '/tools/audio?view=voices': { address: '/tools/audio?view=voices', act: useVoice },
    '/tools/tune': { address: `/tools/tune?dataset=${dataset}&alias=hybrid-rag` },
    '/services': { address: '/services' },
    '/models': { address: '/models' },
    '/settings': { address: '/settings' },
    '/guide': { address: '/guide?page=reading-a-result' },
  }
  const afterRun: Record<string, Omit<View, 'name'>> = { '/progress': { address: `/runs/${OWN_RUN}/progress` } }
  const router = await readFile(join(PROJECT_ROOT, 'renderer/app/router.tsx'), 'utf8')
  const routes = [...router.matchAll(/child\('([^']+)'\)/g)].map(([, path]) => path!.replace('/runs/$run/', '/'))
  // These two go on to their first part.
  const unknown = [...routes, ...PAGES.map(({ path }) => path)]
    .filter((path) => path !== '/runs/$run' && path !== '/tools')
    .filter((path) => !(path in shown || path in afterRun))
  if (unknown.length > 0) throw new Error(`routes without a picture: ${unknown.join(', ')}`)
  const named = (list: Record<string, Omit<View, 'name'>>): View[] =>
    Object.entries(list).map(([path, view]) => ({
      name: path === '/' ? 'home' : path.slice(1).replaceAll(/\W+/g, '-'),
      ...view,
    }))
  return { before: named(shown), after: named(afterRun) }
}

const viewsUnderWay = (run: string, dataset: string): View[] => [
  { name: 'under-way-verdict', address: `/runs/${run}/verdict?dataset=${dataset}` },
  { name: 'under-way-progress', address: `/runs/${run}/progress`, scheme: 'dark' },
]

/** Pictures that are kept at a narrow width, in one colour scheme of each. */
const NARROW = [
  { width: 900, scheme: 'light', names: ['home', 'verdict', 'matrix'] },
  {
    width: 420,
    scheme: 'dark',
    names: ['home', 'runs', 'verdict', 'matrix', 'cell', 'coverage', 'judges', 'datasets', 'models', 'tools-convert'],
  },
] as const

/** Narrower widths at which a view is taken, too. */
const widthsOf = (name: string, scheme: string): number[] => [
  ...new Set([
    ...NARROWER,
    ...NARROW.filter((each) => each.scheme === scheme && each.names.some((kept) => kept === name)).map(
      ({ width }) => width,
    ),
  ]),
]

/** Every place of a run of which cells and a graded metric failed. */
const partialViews = ({ run, dataset, rows }: PartialRun): View[] =>
  [
    ['home', '/'],
    ['runs', `/runs?run=${run}`],
    ...RUN_TABS.map(({ tab }) => [tab, `/runs/${run}/${tab}?dataset=${dataset}`] as const),
    ['cell', `/runs/${run}/cell?dataset=${dataset}&row=${rows.error}`],
    ['scores', `/runs/${run}/cell?dataset=${dataset}&row=${rows.ok}&tab=scores`],
  ].map(([name, address]) => ({ name: `failed-in-part-${name}`, address }))

async function settled(page: Page): Promise<void> {
  await page.locator('main h1, main h2').first().waitFor()
  await page.locator('[aria-label=Loading], [aria-busy=true]').first().waitFor({ state: 'detached' })
  await page.waitForLoadState('load')
  // Charts and graphs draw themselves in a few frames after their data.
  await page.waitForTimeout(600)
}

async function takePicture(page: Page, name: string): Promise<void> {
  const picture = await smallPng(await page.screenshot())
  const file = join(FOLDER, `${name}.png`)
  await writeFile(file, picture)
  console.log(`● ${relative(PROJECT_ROOT, file)}  ${Math.round(picture.length / 1000)} kB`)
}

async function takeAll(browser: Browser, engine: EngineProcess, list: readonly View[]) {
  for (const scheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width: WIDEST, height: HEIGHT }, colorScheme: scheme })
    const page = await context.newPage()
    await page.goto((await engine.client.system.browserLink()).url)
    for (const { name, address, act } of list.filter((view) => (view.scheme ?? scheme) === scheme)) {
      await page.setViewportSize({ width: WIDEST, height: HEIGHT })
      await page.goto(`${engine.url}/#${address}`)
      await page.reload()
      await settled(page)
      if (act !== undefined) await act(page)
      await takePicture(page, `${name}-${scheme}`)
      for (const width of widthsOf(name, scheme)) {
        await page.setViewportSize({ width, height: HEIGHT })
        await settled(page)
        await takePicture(page, `${name}-${scheme}-${width}`)
      }
    }
    await context.close()
  }
}

const project = await mkdtemp(join(tmpdir(), 'rag-ladder-'))
let engine: EngineProcess | null = null
let partial: PartialRun | null = null
let underWay: Awaited<ReturnType<typeof startRunUnderWay>> | null = null
let browser: Browser | null = null
try {
  for (const folder of ['manifests', 'corpus', 'docs/results'])
    await cp(join(PROJECT_ROOT, folder), join(project, folder), { recursive: true })
  engine = await startEngine(project)
  // The tour would lie over the first page.
  await engine.client.settings.savePanel({ tour_seen: true })
  const { before, after } = await views(await publishedRow(engine.client))
  await mkdir(FOLDER, { recursive: true })
  browser = await chromium.launch({
    executablePath: findChromium('whole') ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })
  await takeAll(browser, engine, before)
  await smallRun(engine.client)
  await takeAll(browser, engine, after)
  partial = await startPartialRun()
  await takeAll(browser, partial.engine, partialViews(partial))
  underWay = await startRunUnderWay()
  await takeAll(browser, underWay.engine, viewsUnderWay(underWay.run, underWay.dataset))
} finally {
  await browser?.close()
  await engine?.stop()
  await partial?.close()
  await underWay?.close()
  await rm(project, { recursive: true, force: true })
}
