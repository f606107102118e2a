import { expect, type Locator, test as browserTest, type Page } from '@playwright/test'
import type { AnyRouter } from '@tanstack/react-router'
import type { ControlEvent } from '../../contract/control/events.ts'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { SERVICE_FLAGS } from '../../main/supervisor/node-launcher.ts'
import { axeFindings, type AxeRules } from './axe-findings.ts'
import { desktopTest, type DesktopHost } from './desktop-test.ts'
import { type EngineProcess, eventsUntil, startEngine } from './engine-process.ts'
import { openMovableDoor } from './movable-door.ts'
import { copyProject, removeProject, seedRun, SEEDED_RUNS } from './seeded-project.ts'

/** Describes what a spec may set for the engine and the project of its pages. */
export interface PanelOptions {
  /** An engine on a project folder of its own, for a spec that changes something. Else all specs of a worker with these options share one. */
  own?: boolean
  /** Specs of a worker with the same name share an engine that they change, none of them what another one reads. */
  sharedAs?: string
  /** No run yet. */
  empty?: boolean
  /** The first-start tour was not seen yet: it opens by itself in a project without runs. */
  tour?: boolean
  /** Texts of the newest run's cells are markup, scripts and links. */
  hostile?: boolean
  /** The smoke corpus was ingested with its graph by a finished run. */
  ingested?: boolean
  /** The page reaches the engine through a proxy, whose connections the spec can cut. The desktop app's page always does. */
  proxied?: boolean
  /** Changes the project folder before its engine starts. */
  prepare?: (root: string) => Promise<void>
  /** Settings of the engine, by variable. */
  env?: Record<string, string>
}

export interface Panel extends EngineProcess {
  /** The project folder. */
  root: string
  /** Cuts every connection of the page; new ones work. */
  cut: () => void
}

/** States where the specs run; chosen from outside, so that the same ones run in both. */
export const IS_DESKTOP = process.env['RAG_LADDER_SPEC_HOST'] === 'electron'

const APP_ORIGIN = 'app://panel'

/** An engine that lives for seconds: a young generation of full size from the beginning saves an eighth of the processor time of its start. */
const ENGINE_FLAGS = [...SERVICE_FLAGS, '--min-semi-space-size=16']

/** Seeded project folder that the specs copy; made by the configuration's global setup. */
export const SEED_VARIABLE = 'RAG_LADDER_SPEC_PROJECT'

const isReady = (event: ControlEvent): boolean => event.type === 'index.state' && event.state === 'ready'

async function ingestSmoke({ client }: EngineProcess): Promise<void> {
  const run_id = 'ingested'
  await client.runs.start({ run_id, dataset_ids: ['smoke'], models: ['graph-rag'], metrics: [] })
  const ENDED = ['completed', 'failed', 'cancelled']
  const isOver = (event: ControlEvent): boolean => event.type === 'run.changed' && ENDED.includes(event.job.state)
  const last = (await eventsUntil(client, { after: 0 }, isOver)).at(-1)!.event
  if (last.type !== 'run.changed' || last.job.state !== 'completed')
    throw new Error(`the ingestion failed: ${JSON.stringify(last)}`)
}

/** Presses Enter on a button as soon as it takes keys: unlike a click, a key that is pressed on a disabled button is lost without an error. */
export async function pressEnter(button: Locator): Promise<void> {
  await expect(button).toBeEnabled()
  await button.press('Enter')
}

type StartedPanel = Omit<Panel, 'cut'>

async function startPanel(options: PanelOptions): Promise<StartedPanel> {
  const { empty = false, tour = false, hostile = false, ingested = false, prepare, env } = options
  const root = await copyProject(process.env[SEED_VARIABLE]!, { empty })
  if (hostile) {
    const run = { runId: SEEDED_RUNS[0], datasetId: 'graph_native', finishedAt: '2026-11-20T09:14:02.000Z' }
    await seedRun(root, await loadExperiment(root), { ...run, hostile })
  }
  await prepare?.(root)
  // As the app starts its engine: pages of its own scheme may call it.
  const appEnv: Record<string, string> = IS_DESKTOP ? { RAG_LADDER_APP_ORIGIN: APP_ORIGIN } : {}
  const engine = await startEngine(root, { ...appEnv, ...env }, ENGINE_FLAGS)
  // The first reading of the results ends before a page asks for them.
  await eventsUntil(engine.client, { after: 0 }, isReady)
  if (!tour) await engine.client.settings.savePanel({ tour_seen: true })
  if (ingested) await ingestSmoke(engine)
  return { ...engine, root }
}

async function stopPanel(panel: StartedPanel): Promise<void> {
  await panel.stop()
  await removeProject(panel.root)
}

// The two differ in what `page` and `context` are; `desktop` is null in a browser.
const base = IS_DESKTOP
  ? desktopTest
  : (browserTest.extend<object, { desktop: DesktopHost | null }>({
      desktop: [async ({ browserName: _ }, use) => use(null), { scope: 'worker' }],
    }) as unknown as typeof desktopTest)

/** A page of the built panel on a real engine; anything that the policy refused or that was thrown fails the spec. */
export const test = base.extend<
  {
    panelOptions: PanelOptions
    /** The spec itself does what the policy refuses. */
    mayComplain: boolean
    panel: Panel
    open: (path: string) => Promise<void>
  },
  { sharedPanel: (options: PanelOptions) => Promise<StartedPanel> }
>({
  panelOptions: [{}, { option: true }],
  mayComplain: [false, { option: true }],
  sharedPanel: [
    async ({ browserName: _ }, use) => {
      const started = new Map<string, Promise<StartedPanel>>()
      await use((options) => {
        const kind = JSON.stringify(options)
        const panel = started.get(kind) ?? startPanel(options)
        started.set(kind, panel)
        return panel
      })
      for (const panel of started.values()) await stopPanel(await panel)
    },
    { scope: 'worker' },
  ],
  panel: async ({ panelOptions, sharedPanel, desktop }, use) => {
    const { own = false, proxied = false, prepare, env } = panelOptions
    const isShared = !own && prepare === undefined && env === undefined
    const panel = isShared ? await sharedPanel(panelOptions) : await startPanel(panelOptions)
    const door = IS_DESKTOP ? desktop.door : proxied ? await openMovableDoor() : null
    door?.leadTo(panel.url)
    const cut = (): void => {
      if (door === null) throw new Error('only a page that is proxied can be cut off')
      door.leadTo(panel.url)
    }
    await use({ ...panel, url: IS_DESKTOP ? APP_ORIGIN : (door?.url ?? panel.url), cut })
    door?.leadTo(null)
    if (!IS_DESKTOP) await door?.close()
    if (!isShared) await stopPanel(panel)
  },
  open: async ({ page, panel, mayComplain }, use) => {
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      // A lost engine shows as failed requests; those are the spec's own doing.
      if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
        complaints.push(message.text())
    })
    // A browser is let in by a link that works once.
    const { url } = IS_DESKTOP ? { url: null } : await panel.client.system.browserLink()
    let link = url === null ? null : url.replace(new URL(url).origin, panel.url)
    await use(async (path) => {
      await page.goto(`${link ?? `${panel.url}/`}#${path}`)
      link = null
      await routeIsShown(page)
      await page.locator('main h1, main h2').first().waitFor()
    })
    if (complaints.length > 0 && !mayComplain) throw new Error(`the page complained:\n${complaints.join('\n')}`)
  },
})

/**
 * Waits until the page shows the route of its address. A second address changes the fragment alone: what the first one showed stays in place until
 * the module of the second one is there, with headings and buttons of the same names.
 */
async function routeIsShown(page: Page): Promise<void> {
  await page.waitForFunction(async () => {
    // The router learns of a new fragment in a task of its own.
    await new Promise((resolve) => setTimeout(resolve))
    const router = (globalThis as { __TSR_ROUTER__?: AnyRouter }).__TSR_ROUTER__
    return router?.state.status === 'idle' && router.state.resolvedLocation?.href === router.state.location.href
  })
}

/**
 * Serious and critical findings of axe, one line each; what is still fading in would have too little contrast. Of what was looked at in another
 * scheme only the colours can differ, and of what was looked at in another width only the structure.
 */
export async function seriousFindings(page: Page, rules: AxeRules = 'all'): Promise<string[]> {
  const isAtRest = `document.getAnimations().every(
    (animation) => animation.playState !== 'running' || animation.effect.getComputedTiming().endTime === Infinity,
  )`
  await expect.poll(() => page.evaluate<boolean>(isAtRest)).toBe(true)
  return axeFindings(page, rules)
}

/** Takes a picture of the page into the folder of RAG_LADDER_SCREENS; without it no picture is taken. */
export async function picture(page: Page, name: string, options: { fullPage?: boolean } = {}): Promise<void> {
  const folder = process.env['RAG_LADDER_SCREENS']
  if (folder !== undefined) await page.screenshot({ ...options, path: `${folder}/${name}.png` })
}

/**
 * Shows the page in each colour scheme in turn, without loading it again, and looks at it; in the desktop app in light alone, since colours do
 * not depend on the host.
 */
export async function inEachScheme(page: Page, look: (scheme: 'light' | 'dark') => Promise<void>): Promise<void> {
  for (const scheme of IS_DESKTOP ? (['light'] as const) : (['light', 'dark'] as const)) {
    await page.emulateMedia({ colorScheme: scheme })
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme)
    // Charts take their colours when they are drawn again, which is done two frames later.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    await look(scheme)
  }
}

/** Finds nothing serious in light, and no colours that are hard to read in dark. */
export const expectAccessible = (page: Page, name: string): Promise<void> =>
  inEachScheme(page, async (scheme) => {
    await picture(page, `${name}-${scheme}`)
    expect(await seriousFindings(page, scheme === 'dark' ? 'colours' : 'all'), scheme).toEqual([])
  })

/** Checks that a page has no second filled button: only the action that comes first is. */
export async function expectOnePrimary(page: Page): Promise<void> {
  const filled = page.locator('main :is(a, button)[data-variant=filled]')
  await expect.poll(async () => (await filled.allTextContents()).slice(1)).toEqual([])
}

const FITS = `[document.documentElement, document.querySelector('main')].every((each) => each.scrollWidth <= each.clientWidth)`

/**
 * Returns true when neither the window nor the page in it scrolls sideways, as soon as charts have taken the width of the window. Looked at from outside:
 * a wait inside of the page evaluates text there later, which its content security policy refuses.
 */
export const fitsWidth = (page: Page): Promise<boolean> =>
  expect
    .poll(() => page.evaluate(FITS))
    .toBe(true)
    .then(
      () => true,
      () => false,
    )

/** Shows the page of a run with one of its tabs in sight. */
export async function expectPart(page: Page, run: string, part: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: run, exact: true })).toBeVisible()
  // Its name may end in a figure.
  const name = new RegExp(`^${part}(?: [\\d+ %\u202f]+)?$`)
  const tab = page.getByRole('navigation', { name: 'Parts of the run' }).getByRole('link', { name })
  await expect(tab).toHaveAttribute('aria-current', 'page')
}

/** A pointer already at rest where a mark appears or is redrawn triggers no hover, so the pointer leaves and comes back. */
export const expectTooltip = (page: Page, mark: Locator, text: string): Promise<void> =>
  expect(async () => {
    await page.mouse.move(0, 0)
    await mark.hover()
    await expect(page.getByRole('tooltip')).toContainText(text, { timeout: 2000 })
  }).toPass({ timeout: 20_000 })

/** Calls the control API as the open page does; rejects when it refuses. */
export async function postControl(page: Page, procedure: string, input: object): Promise<void> {
  const body = JSON.stringify(JSON.stringify({ json: input }))
  await page.evaluate(`(async () => {
    const headers = { 'content-type': 'application/json', 'x-rag-ladder-page': localStorage.getItem('rag-ladder-page-key') ?? '' }
    const answer = await fetch('/control/${procedure}', { method: 'POST', headers, body: ${body} })
    if (!answer.ok) throw new Error(await answer.text())
  })()`)
}
