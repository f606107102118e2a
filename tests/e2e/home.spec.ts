import { expect, type Page } from '@playwright/test'
import { PLACES } from '../../core/pages.ts'
import { setForAllRoles } from '../../contract/manifests/models.ts'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventsUntil } from '../helpers/engine-process.ts'
import { SEEDED_RUNS } from '../helpers/seeded-project.ts'
import { expectPart, IS_DESKTOP, picture, seriousFindings, test, fitsWidth } from '../helpers/panel-page.ts'

const damageFile = (root: string): Promise<void> =>
  writeFile(join(root, 'results/foreign-smoke-evidence.jsonl'), '{"schema_version":1}\n')

test('the newest run has one verdict sentence with its next step, and the way into a matrix', async ({
  page,
  open,
  panel,
}) => {
  const { verdicts } = await panel.client.compare.result({ run_id: SEEDED_RUNS[0] })
  const shown = verdicts.find(({ kind }) => kind === 'winner' || kind === 'tied') ?? verdicts[0]!
  await open('/')
  const verdict = page.getByRole('article', { name: shown.label })
  await expect(page.getByRole('main').getByRole('article')).toHaveCount(1)
  await expect(verdict.getByText(shown.headline, { exact: true })).toHaveCount(1)
  await expect(verdict).toContainText('1 other dataset')
  await expect(verdict.getByRole('link', { name: shown.next.label })).toBeVisible()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Share' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Report, HTML' }).click()
  expect((await download).suggestedFilename()).toContain(`${SEEDED_RUNS[0]}-${shown.dataset}`)
  await page.getByRole('link', { name: 'Open result' }).click()
  await expectPart(page, SEEDED_RUNS[0], 'Verdict')
  await open('/')
  await page.getByRole('button', { name: 'Run again' }).click()
  await expect(page.getByRole('heading', { name: 'Which approaches?' })).toBeVisible()
  await open('/')
  const [row] = await page
    .getByRole('region', { name: 'Last results' })
    .getByRole('row')
    .filter({ hasText: SEEDED_RUNS[0] })
    .all()
  await expect(row!.getByRole('link', { name: shown.headline })).toHaveAttribute(
    'href',
    new RegExp(`/runs/${SEEDED_RUNS[0]}/verdict\\?dataset=${shown.dataset}$`),
  )
  await row!.getByRole('link', { name: 'Graph-native dossiers' }).click()
  await expect(page.getByRole('grid', { name: /Graph-native dossiers/ })).toBeVisible()
})

test('the weakest answer to the question on which approaches differ most is one click from Home and in sight', async ({
  page,
  open,
}) => {
  await open('/')
  const differing = page.getByRole('region', { name: /^Where they differ most/ })
  await differing.getByRole('listitem').first().getByRole('link').click()
  await expect(page).toHaveURL(new RegExp(`#/runs/${SEEDED_RUNS[0]}/cell`))
  await expect(page.getByRole('note', { name: 'Diagnosis' })).toBeInViewport()
  await expect(page.getByRole('heading', { name: /^Answer/ }).first()).toBeInViewport()
  await expect(page.getByRole('heading', { name: /^Reference/ }).first()).toBeInViewport()
})

test.describe('without a link', () => {
  test.skip(IS_DESKTOP, 'the desktop app opens its own pages without one')
  test('one message says how to get a link, and a pasted one opens the page that was asked for', async ({
    page,
    panel,
  }) => {
    await page.goto(`${panel.url}/#/settings`)
    await expect(page.getByRole('alert')).toHaveCount(1)
    await expect(page.getByRole('alert')).toContainText('rag-ladder serve')
    await expect(page.getByText('does not answer')).toHaveCount(0)
    const field = page.getByRole('textbox', { name: 'Link or token' })
    await field.fill('not a link')
    await expect(page.getByRole('button', { name: 'Open pages' })).toBeDisabled()
    await field.fill((await panel.client.system.browserLink()).url)
    await page.getByRole('button', { name: 'Open pages' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  })
})

test.describe('a service that fails', () => {
  test.use({ panelOptions: { env: { STT_BACKEND: 'no-such-recognizer' } } })
  test('is reported by the lamp of every page, which leads to its reason', async ({ page, open, panel }) => {
    await panel.client.services.start({ name: 'stt' }).catch(() => undefined)
    await open('/')
    const lamp = page.getByRole('navigation', { name: 'Program' }).getByRole('link', { name: 'Services' })
    await expect(lamp).toHaveAccessibleName('Services 1 failed')
    await expect(lamp).toHaveAccessibleDescription(/Speech to text: failed, .*configuration error/)
    await lamp.click()
    const service = page.locator('section', { has: page.getByRole('heading', { name: /^Speech to text/ }) })
    await expect(service).toContainText('configuration error')
  })
})

test('g and the key of a place opens it, but not where text is typed', async ({ page, open }) => {
  await open('/settings')
  for (const [key, place] of [
    ['d', 'Datasets'],
    ['m', 'Models'],
    ['r', 'Runs'],
    ['t', 'Tools'],
    ['h', 'Home'],
  ] as const) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await expect(page.getByRole('heading', { level: 1, name: place })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: place })).toHaveAttribute(
      'aria-current',
      'page',
    )
  }
  await open('/runs')
  await page.getByRole('main').getByRole('textbox').first().pressSequentially('gh')
  await expect(page.getByRole('heading', { level: 1, name: 'Runs' })).toBeVisible()
})

test.describe('an address of an earlier version', () => {
  // The voices start text to speech.
  test.use({ panelOptions: { own: true } })
  test('opens the page of today with the same view', async ({ page, open }) => {
    for (const [old, today] of [
      ['/documents', /#\/tools\/convert$/],
      ['/speech', /#\/tools\/audio$/],
      ['/voices', /#\/tools\/audio\?view=voices$/],
      ['/providers?open=["platform"]', /#\/services\?open=.*platform/],
      ['/help?page=judges', /#\/guide\?page=judges$/],
      ['/compare?dataset=smoke', /#\/runs\/compare\?dataset=smoke$/],
      ['/tools', /#\/tools\/convert$/],
    ] as const) {
      await open(old)
      await expect(page).toHaveURL(today)
    }
  })
})

test('the palette runs a command by keyboard alone', async ({ page, open }) => {
  await open('/settings')
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('textbox', { name: 'Search or command' })).toBeFocused()
  await page.keyboard.type('cover')
  await expect(page.getByRole('button', { name: /^Coverage/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await expectPart(page, 'ladder-2026-11-20', 'Coverage')
  await expect(page).toHaveTitle('Coverage · RAG Ladder')
  for (const [typed, command] of [
    ['start service', 'Start service: Text to speech'],
    ['tokens', 'Settings: Tokens'],
    ['bm25', 'Run bm25'],
    ['new run', 'New run'],
  ] as const) {
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: 'Search or command' }).fill(typed)
    await expect(page.getByRole('button', { name: command })).toBeVisible()
    await page.keyboard.press('Escape')
  }
  // A hit names its approach, and the words that were found.
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search or command' }).fill('Steenbrugge')
  await expect(page.getByRole('button', { name: /-rag · .*Steenbrugge/ }).first()).toBeVisible()
})

test('keys that follow the shortcut at once all arrive in the palette', async ({ page, open }) => {
  await open('/settings')
  // In one task of the page, faster than a person types: where the box had to wait for a frame, the letter would find no box.
  const typedInto = await page.evaluate(
    `new Promise((done) => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true }))
      queueMicrotask(() => queueMicrotask(() => done(document.activeElement.getAttribute('aria-label'))))
    })`,
  )
  expect(typedInto).toBe('Search or command')
})

test('an unknown address is reported and keeps the links to the pages', async ({ page, open }) => {
  await open('/no-such-page')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Home' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible()
})

test('ten tabs of the panel load, because a tab that is not looked at holds no connection', async ({
  page,
  open,
  panel,
  context,
}) => {
  test.skip(IS_DESKTOP, 'the app has one window')
  await open('/')
  await hide(page)
  for (let tab = 2; tab <= 10; tab += 1) {
    const next = await context.newPage()
    await next.goto(`${panel.url}/#/settings`)
    await expect(next.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
    await expect(next.getByLabel('Loading')).toHaveCount(0)
    await hide(next)
  }
  // Shown again, a tab reads what it missed.
  await panel.client.services.start({ name: 'platform', dataset_id: 'smoke' })
  await page.evaluate(`delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))`)
  await expect(
    page.getByRole('navigation', { name: 'Program' }).getByRole('link', { name: 'Services' }),
  ).toHaveAccessibleDescription(/platform: ready/i, { timeout: 30_000 })
})

/** Turns a page into one of a tab that is not looked at: a headless browser shows all of its pages. */
const hide = (page: Page): Promise<void> =>
  page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  `)

test.describe('a small window', () => {
  test.use({ viewport: { width: 1024, height: 700 } })
  for (const path of ['/', '/launch', '/ladder', '/coverage', '/matrix'])
    test(`${path} needs no sideways scrolling of the page`, async ({ page, open }) => {
      await open(path)
      await expect(page.getByLabel('Loading')).toHaveCount(0)
      expect(await fitsWidth(page)).toBe(true)
    })
})

test.describe('before the first run', () => {
  test.use({ panelOptions: { empty: true } })
  test('each page explains what will appear and how to create it', async ({ page, open }) => {
    for (const path of ['/result', '/matrix', '/coverage', '/judges', '/ladder']) {
      await open(path)
      await expect(page.locator('main').getByRole('link', { name: 'New run' })).toBeVisible()
      expect(await seriousFindings(page)).toEqual([])
    }
  })

  test('Home offers a sample run, own documents and a model', async ({ page, open }) => {
    await open('/')
    const actions = page.getByRole('list', { name: 'What to do first' })
    await expect(actions.getByRole('heading')).toHaveText([
      'See a first result',
      'Try your own documents',
      'Answer with a language model',
    ])
    expect(await seriousFindings(page)).toEqual([])
    await actions.getByRole('button', { name: 'New dataset' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await actions.getByRole('link', { name: 'Connect a model' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Models' })).toBeVisible()
    await expect(page.getByRole('form', { name: 'Connect a service' })).toBeVisible()
  })

  test('at every width all places and the foot of the sidebar are in sight', async ({ page, open }) => {
    await open('/settings')
    const links = page.getByRole('navigation', { name: /^(Places|Program)$/ }).getByRole('link')
    await expect(links).toHaveText([...PLACES.map(({ label }) => label), /^\S? ?Services/, 'Settings', 'Guide'])
    for (const [width, height] of [
      [420, 900],
      [600, 900],
      [720, 450],
      [900, 900],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height })
      for (const link of await links.all()) await expect(link).toBeInViewport({ ratio: 1 })
    }
  })
})

test.describe('a file that cannot be read', () => {
  test.use({ panelOptions: { prepare: damageFile } })
  test('is listed with its place and reason on Home and in Settings, and the rest is shown', async ({ page, open }) => {
    for (const path of ['/', '/settings?tab=data']) {
      await open(path)
      const note = page.getByRole('status').filter({ hasText: '1 file could not be read' })
      await expect(note).toContainText('results/foreign-smoke-evidence.jsonl line 1, byte 0: runner_version: missing')
    }
    await open('/')
    await expect(page.getByRole('region', { name: 'Last results' }).getByRole('row')).toHaveCount(3)
  })
})

test.describe('results of the command line', () => {
  test.use({ panelOptions: { own: true } })
  test('do not hide what is left to do first', async ({ page, open }) => {
    await open('/')
    const steps = page.getByRole('list', { name: 'What to do first' })
    await expect(steps.getByRole('heading')).toHaveText([
      'See a first result',
      'Try your own documents',
      'Answer with a language model',
    ])
    await page.getByRole('button', { name: 'Run the example' }).click()
    await expect(page.locator('[aria-current=page]').filter({ hasText: 'Progress' })).toBeVisible()
  })
})

/** Turns the runs into published ones without working files, as a clone of the project has them. */
async function publishAll(root: string): Promise<void> {
  await mkdir(join(root, 'docs'), { recursive: true })
  await rename(join(root, 'results'), join(root, 'docs/results'))
}

test.describe('samples that were published with the project', () => {
  test.use({ panelOptions: { own: true, prepare: publishAll } })
  test('are marked wherever a run is shown or chosen, and are not counted as own runs', async ({
    page,
    open,
    panel,
  }) => {
    const sample = 'ladder-2026-11-20'
    await open('/')
    // A fresh project: the verdict of the sample in a sentence, with the example beside it.
    const first = page.getByRole('list', { name: 'What to do first' }).getByRole('listitem').first()
    await expect(first.getByRole('heading')).toHaveText('See a decided sample')
    const { verdicts } = await panel.client.compare.result({ run_id: sample })
    const decided = verdicts.find(({ kind }) => kind === 'winner' || kind === 'tied') ?? verdicts[0]!
    await expect(first.getByText(decided.headline)).toBeVisible()
    await expect(first.getByRole('button', { name: 'Run the example' })).toBeVisible()
    await first.getByRole('link', { name: 'Read the verdict' }).click()
    await expectPart(page, sample, 'Verdict')
    await open('/')
    const list = page.getByRole('region', { name: 'Sample results' })
    await expect(list.getByRole('row').nth(1)).toContainText(/^ladder-2026-11-20 sample/)
    await expect(page.getByRole('heading', { name: /^Result of/ })).toHaveCount(0)
    expect(await seriousFindings(page)).toEqual([])
    await picture(page, 'home-samples')

    await open('/runs')
    await expect(page.locator('main header').first()).toContainText('0 runs, 2 samples not counted')
    // A run has a row in the list, and one in the trend that loads after it.
    const runs = page.getByRole('region', { name: 'Runs' }).first()
    await expect(runs.getByRole('rowheader', { name: sample })).toContainText('sample')
    await page.getByRole('checkbox', { name: 'Without samples' }).check()
    await expect(page.getByText('No run matches the filter.')).toBeVisible()

    await open('/result')
    await expectPart(page, sample, 'Verdict')
    await expect(page.locator('main header').first()).toContainText('sample')
    await expect(page.getByRole('note')).toContainText('not measured on your documents')
    await open(`/compare?run=${sample}&runs=["ladder-2026-11-18-r2"]`)
    await expect(page.getByRole('columnheader', { name: 'ladder-2026-11-18-r2 sample' }).first()).toBeVisible()
    await open('/matrix')
    await expectPart(page, sample, 'Matrix')
  })

  test('give way to the first own run', async ({ page, open, panel }) => {
    await open('/settings')
    await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
    await panel.client.runs.start({ run_id: 'mine', dataset_ids: ['smoke'], models: ['vanilla-rag'], metrics: [] })
    await eventsUntil(
      panel.client,
      { after: 0 },
      (event) => event.type === 'run.changed' && event.job.state === 'completed',
    )
    // Another page reports the end of the run, in a row of its own that lies on no control.
    const notice = page.getByRole('alert').filter({ hasText: 'Run mine is complete: 4 of 4 answers.' })
    await expect(notice).toBeVisible()
    const [box, main] = [await notice.boundingBox(), await page.getByRole('main').boundingBox()]
    expect(box!.y).toBeGreaterThanOrEqual(main!.y + main!.height)
    await notice.getByRole('link', { name: 'Open result' }).click()
    await expect(page).toHaveTitle('Verdict · RAG Ladder')
    await open('/')
    await expect(page.getByRole('heading', { name: 'Result of mine' })).toBeVisible()
    await expect(page.getByRole('list', { name: 'What to do first' }).getByRole('heading')).toHaveText([
      'Try your own documents',
      'Answer with a language model',
    ])
    await expect(page.locator('main header').first()).toContainText('1 run · 2 samples')
    await expect(page.getByRole('region', { name: 'Last results' })).not.toContainText('ladder-2026')
    await open('/result')
    await expectPart(page, 'mine', 'Verdict')
  })
})

test.describe('a model file in the project', () => {
  test.use({
    panelOptions: {
      own: true,
      prepare: async (root) => {
        await mkdir(join(root, 'models'))
        await writeFile(join(root, 'models/small.gguf'), 'GGUF')
      },
    },
  })

  test('is offered on Home until models are chosen', async ({ page, open, panel }) => {
    await open('/')
    const offer = page.getByRole('note').filter({ hasText: 'Found on this machine: 1 model file.' })
    await expect(offer).toBeVisible()
    await offer.getByRole('button', { name: 'Choose models' }).click()
    await expect(page.getByText(/small\.gguf · /)).toBeVisible()
    const small = { backend: 'gguf' as const, model: join(panel.root, 'models/small.gguf') }
    await panel.client.models.saveSet({ name: 'mine', set: setForAllRoles('', small, null) })
    await open('/')
    await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible()
    await expect(page.getByText('Found on this machine')).toHaveCount(0)
  })
})
