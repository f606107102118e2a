import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { DECLARABLE_APPROACHES } from '../../contract/approaches.ts'
import { expectAccessible, expectPart, type Panel, pressEnter, test as pageTest } from '../helpers/panel-page.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { startSpecifiedPlatform } from '../helpers/specified-platform.ts'

/** Answers of a stub gateway, all at once or as many as a spec allows. */
interface Answers {
  /** The next `count` are given; the ones after them wait. */
  allow(count: number): void
  /** All are given. */
  open(): void
}

function createAnswers(): Answers & { next(): Promise<void> } {
  let left = Number.POSITIVE_INFINITY
  let waiting: (() => void)[] = []
  const give = (): void => {
    while (left > 0 && waiting.length > 0) {
      left -= 1
      waiting.shift()!()
    }
  }
  return {
    async next() {
      await new Promise<void>((given) => {
        waiting = [...waiting, given]
        give()
      })
    },
    allow(count) {
      left = (Number.isFinite(left) ? left : 0) + count
      give()
    },
    open() {
      left = Number.POSITIVE_INFINITY
      give()
    },
  }
}

/** A page on an engine of its own, whose runs ask a stub gateway. */
const test = pageTest.extend<{ gateway: Answers & { env: Record<string, string> } }>({
  gateway: async ({ page: _ }, use) => {
    const answers = createAnswers()
    const stub = await startSpecifiedPlatform({
      aliases: DECLARABLE_APPROACHES,
      get hold() {
        return answers.next()
      },
    })
    const env = {
      MATRIX_GATEWAY_URL: stub.gateway,
      MATRIX_PLATFORM_URL: stub.platform,
      MATRIX_EVALUATOR_URL: `${stub.evaluator}/api/rag/evaluate`,
    }
    await use({ ...answers, env })
    await stub.close()
  },
  panelOptions: async ({ gateway }, use) => use({ env: gateway.env, proxied: true }),
  panel: async ({ panel, gateway }, use) => {
    await use(panel)
    // The engine ends when the cells in flight have their answers.
    gateway.open()
  },
})

test('New run: a wrong choice is named by its path, a right one shows the plan and starts', async ({ page, open }) => {
  await open('/launch?datasets=["smoke"]&models=["vanilla-rag","hybrid-rag"]')
  await expect(page.getByRole('button', { name: 'Run 8 answers' })).toBeEnabled()
  await expect(page.getByText(/^Smoke has too few questions to test: its .*, and a test needs 8/)).toBeVisible()
  await page.getByText('Details: judges, limits and name').click()
  const name = page.getByRole('textbox', { name: 'Run name' })
  await name.fill('no name')
  await expect(page.getByRole('listitem').filter({ hasText: 'run_id letters, digits' })).toBeVisible()
  await expect(name).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByRole('button', { name: /^Run/ }).last()).toBeDisabled()
  await name.fill('ladder-2026-11-20')
  await expect(page.getByRole('listitem').filter({ hasText: 'made under other conditions: ' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Run/ }).last()).toBeDisabled()
  await name.fill('mine')
  const toStep = (step: string) => page.getByRole('button', { name: step }).first().click()
  await toStep('Approaches')
  await page
    .getByRole('checkbox', { name: /^agentic-rag/ })
    .first()
    .check()
  expect(decodeURIComponent(page.url())).toContain('agentic-rag')
  await toStep('Data')
  await page.getByRole('button', { name: 'All levels' }).click()
  for (const rung of [/^Curated baseline/, /^Graph-native/, /^Cyber threat/])
    await expect(page.getByRole('checkbox', { name: rung })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: /^Smoke/ })).not.toBeChecked()
  await page.getByRole('button', { name: 'None', exact: true }).click()
  await page.getByRole('checkbox', { name: /^Smoke/ }).check()
  await toStep('Models')
  // A panel begins with judges that can grade: nothing turns red.
  const panel = page.getByRole('checkbox', { name: 'Blinded judge panel' })
  await panel.check()
  await expect(page.getByText(/verdicts of the panel/)).toBeVisible()
  await panel.uncheck()
  await page.getByRole('button', { name: 'Run 12 answers' }).click()
  await expectPart(page, 'mine', 'Progress')
})

test('the strip follows on every page; pause, resume and cancel', async ({ page, open, gateway }) => {
  gateway.allow(20)
  await open('/launch?datasets=["graph_native"]')
  await page.getByRole('button', { name: /^Run \d/ }).click()
  const strip = page.getByRole('contentinfo', { name: 'Run under way' })
  await expect(strip).toContainText('20/144 answers')
  await expect(strip).not.toContainText(/[-−]\d+(?:\.\d)? (?:ms|s|min)/)
  await expectAccessible(page, 'running')
  // In the place of the verdict.
  const now = page.getByRole('paragraph').filter({ hasText: /^The approaches answer the questions: 20 of 144 answers/ })
  await page.getByRole('link', { name: /^Verdict/ }).click()
  await expect(now).toContainText('Then the scores are summed up, and the verdict appears here.')
  await page.getByRole('link', { name: 'Home' }).click()
  const listed = page.getByRole('region', { name: 'Last results' }).getByRole('row').filter({ hasText: 'running' })
  await expect(listed.getByRole('cell').last()).toHaveText('–')
  await page.getByRole('link', { name: 'Services' }).click()
  await pressEnter(strip.getByRole('button', { name: 'Pause' }))
  // The cell in flight ends first.
  gateway.allow(20)
  await expect(strip).toContainText('paused')
  await pressEnter(strip.getByRole('button', { name: 'Resume' }))
  await expect(strip).toContainText('40/144 answers')
  await expect(strip).toContainText('answers/s')
  await strip.getByRole('button', { name: 'Cancel run…' }).click()
  const question = page.getByRole('dialog', { name: /^Cancel run/ })
  await expect(question).toContainText('40 of 144 answers are done and kept')
  await question.getByRole('button', { name: 'Keep run' }).click()
  await expect(strip).toContainText('answers/s')
  await strip.getByRole('button', { name: 'Cancel run…' }).click()
  await question.getByRole('button', { name: 'Cancel run' }).click()
  gateway.allow(1)
  await expect(strip).toHaveCount(0)
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await page.getByRole('link', { name: '✕ cancelled' }).click()
  const note = page.getByRole('status').filter({ hasText: /was cancelled after 4[01] of 144 answers/ })
  await expect(note).toHaveCount(1)
  await expect(page.getByText(/interrupted/)).toHaveCount(0)
  await expect(note.getByRole('button', { name: 'Resume run' })).toBeVisible()
  await page.getByRole('link', { name: /^Verdict/ }).click()
  await expect(page.getByRole('heading', { name: /^Result of/ })).toBeVisible()
  await expect(note.getByRole('button', { name: 'Resume run' })).toBeVisible()
  // The metric that it will lead by.
  await expect(page.getByRole('heading', { name: /^Facts found against/ })).toBeVisible()
  await page.getByRole('link', { name: /^Progress/ }).click()
  // A stopped run has no rate and no time left.
  await expect(page.locator('[data-step=cells][data-state=stopped]')).toContainText(/4[01]\/144 answers/)
  await expect(page.getByText(/answers\/s/)).toHaveCount(0)
})

/** The page of a run that was started here goes on to its verdict; its steps stay in the tab Progress. */
async function returnToProgress(page: Page, timeout: number): Promise<void> {
  await page.waitForURL(/\/verdict/, { timeout })
  await page.getByRole('link', { name: /^Progress/ }).click()
}

test('a stream that breaks is read on from its number: no step is lost or shown twice', async ({
  page,
  open,
  panel,
  gateway,
}) => {
  gateway.allow(6)
  await open('/launch?datasets=["smoke"]')
  await page.getByRole('button', { name: /^Run \d/ }).click()
  await expect(page.locator('[data-step=cells][data-state=running]')).toBeVisible()
  panel.cut()
  gateway.open()
  await returnToProgress(page, 30_000)
  await expect(page.getByRole('status').filter({ hasText: /is complete: \d+ of \d+ answers/ })).toBeVisible()
  await expect(page.getByText(/^24\/24 answers/).first()).toBeVisible()
})

/** Home, whose engine has ended. */
async function homeWithoutEngine(page: Page, open: (path: string) => Promise<void>, panel: Panel): Promise<void> {
  await open('/')
  await expect(page.getByText('Last results')).toBeVisible()
  await panel.kill()
}

test('an engine that is gone is reported on every page, and the page keeps what it has', async ({
  page,
  open,
  panel,
}) => {
  await homeWithoutEngine(page, open, panel)
  await expect(page.getByText('The engine does not answer.')).toBeVisible()
  await expect(page.getByText('Last results')).toBeVisible()
})

test.describe('an engine that is gone', () => {
  // React reports what the page's own message is made of.
  test.use({ mayComplain: true })

  test('leaves no blank window where a page was not opened before, and the places beside it work', async ({
    page,
    open,
    panel,
  }) => {
    await homeWithoutEngine(page, open, panel)
    await page.getByRole('link', { name: 'Models', exact: true }).click()
    const failed = page.getByRole('main').getByRole('alert').first()
    await expect(failed).toContainText('It keeps every stored answer')
    await expect(failed).not.toContainText('fetch')
    await page.getByRole('link', { name: 'Home' }).click()
    await expect(page.getByText('Last results')).toBeVisible()
  })
})

test.describe('a request', () => {
  // Nothing is started.
  test.use({ panelOptions: {} })

  test('is kept in the link with everything that was chosen', async ({ page, open }) => {
    await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]')
    await page.getByText('Details: judges, limits and name').click()
    await page.getByRole('textbox', { name: 'Run name' }).fill('linked')
    await page.getByRole('checkbox', { name: /^Blinded judge panel/ }).check()
    await page.getByRole('checkbox', { name: /^Cold start/ }).check()
    await page.getByRole('button', { name: /^Data/ }).click()
    await page.getByText('Details: metrics and repetitions').click()
    await page.getByRole('checkbox', { name: /^faithfulness/ }).uncheck()
    await page.getByRole('textbox', { name: 'Answers per question' }).fill('3')
    await expect.poll(() => page.url()).toContain('repeats=3')
    await page.reload()
    await expect(page.getByRole('checkbox', { name: /^faithfulness/ })).not.toBeChecked()
    await expect(page.getByRole('textbox', { name: 'Answers per question' })).toHaveValue('3')
    await page.getByRole('button', { name: /^Models/ }).click()
    await expect(page.getByRole('textbox', { name: 'Run name' })).toHaveValue('linked')
    await expect(page.getByRole('checkbox', { name: /^Blinded judge panel/ })).toBeChecked()
    await expect(page.getByRole('checkbox', { name: /^Cold start/ })).toBeChecked()
    await expect(page.getByRole('heading', { name: 'Plan' })).toBeVisible()
  })

  test('that chooses nothing is a problem with a path, and the button waits', async ({ page, open }) => {
    await open('/launch?datasets=[]&models=[]')
    await expect(page.getByText('dataset_ids', { exact: true })).toBeVisible()
    await expect(page.getByText('models', { exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeDisabled()
  })
})

/** Another program has the port of the embedded platform until it is closed. */
const portTest = pageTest.extend<{ taken: { port: number; close(): Promise<void> } }>({
  taken: async ({ page: _ }, use) => {
    const server: Server = createServer()
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const close = (): Promise<void> => new Promise((closed) => server.close(() => closed()))
    await use({ port: (server.address() as AddressInfo).port, close })
    if (server.listening) await close()
  },
  panelOptions: async ({ taken }, use) => use({ env: { PLATFORM_PORT: String(taken.port) } }),
})

portTest(
  'a step that fails names what failed, where, and how to fix it; the button resumes the run',
  async ({ page, open, taken }) => {
    await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]&name=repaired')
    await page.getByRole('button', { name: 'Run 4 answers' }).click()
    const failed = page.locator('[data-step=start][data-state=failed]')
    await expect(failed).toContainText('Failed:')
    await expect(failed).toContainText(`port ${taken.port} on 127.0.0.1 is taken`)
    await expect(failed.getByRole('button', { name: 'Open Services' })).toBeVisible()
    await taken.close()
    await failed.getByRole('button', { name: 'Resume run' }).click()
    // The whole ladder on the embedded platform, which has to be started and to ingest first.
    await returnToProgress(page, 80_000)
    await expect(page.getByRole('status').filter({ hasText: /is complete: \d+ of \d+ answers/ })).toBeVisible()
  },
)

portTest(
  'a run that fails before its first cell stays in the list of runs, with its reason and a link to its steps',
  async ({ page, open, taken }) => {
    await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]&name=broken')
    await page.getByRole('button', { name: 'Run 4 answers' }).click()
    const reason = 'Start services, smoke: the platform cannot start'
    const note = page.getByRole('status').filter({ hasText: `Run broken failed. ${reason}` })
    await expect(note).toBeVisible()
    // Nothing can be read in the matrix of a run without a row.
    await expect(note.getByRole('button')).toHaveCount(0)
    await page.goto(page.url().replace(/#.*/, '#/'))
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: 'broken' })
    await expect(row).toContainText(reason)
    await row.getByRole('link', { name: '▲ failed' }).click()
    await expect(page.locator('[data-step=start][data-state=failed]')).toContainText(`port ${taken.port} on 127.0.0.1`)
    await expect(page.getByRole('button', { name: 'Resume run' })).toHaveCount(1)
    // Its other tabs do not promise answers that will not come.
    await page.getByRole('link', { name: 'Verdict' }).click()
    const missing = page.getByRole('main')
    await expect(missing.getByRole('heading', { name: 'The run failed before its first answer' })).toBeVisible()
    await expect(missing).toContainText(`port ${taken.port} on 127.0.0.1`)
    await missing.getByRole('link', { name: 'Show what repairs it' }).click()
    await expect(page.locator('[data-step=start][data-state=failed]')).toBeVisible()
  },
)

test.describe('an ingestion', () => {
  test.use({ panelOptions: { own: true } })
  test('lists its eight phases below its step', async ({ page, open, panel }) => {
    const { documents } = await panel.client.datasets.documents({ dataset_id: 'smoke' })
    let chunks = 0
    for (const { path } of documents) {
      const answer = await panel.client.datasets.chunks({ dataset_id: 'smoke', path })
      if (!answer.ok) throw new Error(answer.message)
      chunks += answer.total
    }
    await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]')
    await page.getByRole('button', { name: 'Run 4 answers' }).click()
    const phases = page.getByRole('group', { name: 'Phases of the ingestion' })
    await expect(phases).toContainText(
      /find files.*read documents.*cut chunks.*embed chunks.*store vectors.*send to graph.*extract graph.*finish/s,
    )
    await expect(phases).toContainText(`${chunks} chunks`)
    await expect(page.getByRole('list', { name: 'Log' })).toContainText('smoke: Ingest documents started')
  })
})

test('progress counts all datasets of a run and agrees on Progress and on the strip of every page', async ({
  page,
  open,
  gateway,
}) => {
  // All eight cells of the first dataset and twelve of the second.
  gateway.allow(20)
  await open('/launch?datasets=["smoke","graph_native"]&models=["vanilla-rag","hybrid-rag"]&name=two')
  await page.getByRole('button', { name: 'Run 56 answers' }).click()
  const strip = page.getByRole('contentinfo', { name: 'Run under way' })
  await expect(strip).toContainText('graph_native (2 of 2)')
  await expect(strip).toContainText('20/56 answers')
  await expect(strip).not.toContainText(/[-−]\d+(?:\.\d)? (?:ms|s|min)/)
  await expect(page.getByText(/· 20\/56 answers/).first()).toBeVisible()
  // On a phone the name of a run is beside its mark, and no button of the strip is cut.
  await page.setViewportSize({ width: 420, height: 900 })
  const name = page.getByRole('heading', { level: 1, name: 'two' })
  await expect(page.getByText('20 of 56 planned answers')).toBeVisible()
  expect((await name.boundingBox())!.width).toBeGreaterThan(100)
  expect(
    await page.evaluate(
      `[...document.querySelectorAll('footer button')].every((each) => each.scrollWidth <= each.clientWidth)`,
    ),
  ).toBe(true)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('link', { name: 'Home' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible()
  await expect(strip).toContainText('20/56 answers')
})

test('the answers of a run that still makes them cannot be graded yet, and can when it is done', async ({
  page,
  open,
  panel,
  gateway,
}) => {
  gateway.allow(3)
  const request = { run_id: 'watched', dataset_ids: ['smoke'], models: ['vanilla-rag', 'hybrid-rag'] }
  await panel.client.runs.start({ ...request, judge: { enabled: false } })
  const listed = async (): Promise<boolean> =>
    (await panel.client.runs.list({ limit: 20 })).runs.some(({ run_id: id }) => id === 'watched')
  await expect.poll(listed, { timeout: 20_000 }).toBe(true)
  await open('/runs/watched/judges?dataset=smoke')
  await expect(page.getByText('watched is still making its answers')).toBeVisible()
  await expect(page.getByLabel('Loading')).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^(?:Grade blindly|Judge answers)…$/ })).toHaveCount(0)
  gateway.open()
  await page.getByRole('button', { name: 'Grade blindly…' }).click({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Start round' }).click()
  await expect(page.getByText('Question 1 of 4')).toBeVisible()
})

test.describe('a cold start', () => {
  const RUN = 'ladder-2026-11-20'
  const withVotesAndCollections = async (root: string): Promise<void> => {
    await writeFile(join(root, `results/${RUN}-smoke-human-round.json`), '{}\n')
    await mkdir(join(root, '.rag-ladder/platform/smoke'), { recursive: true })
    await writeFile(join(root, '.rag-ladder/platform/smoke/vectors.sqlite'), 'x')
  }
  test.use({ panelOptions: { prepare: withVotesAndCollections } })
  test('shows what it removes and removes nothing until the run name is typed', async ({ page, open, panel }) => {
    const smoke = async (): Promise<string[]> =>
      (await readdir(join(panel.root, 'results')))
        // Reading the evidence for a plan leaves its lock.
        .filter((name) => name.startsWith(`${RUN}-smoke`) && !name.endsWith('.lock'))
        .sort()
    const before = await smoke()
    await open(`/launch?datasets=["smoke"]&models=["vanilla-rag"]&name=${RUN}`)
    await page.getByRole('checkbox', { name: /^Cold start/ }).check()
    await expect(page.getByText('Cold start moves 28 finished answers of this run to the trash.')).toBeVisible()
    await page.getByRole('button', { name: /^Run \d/ }).click()
    const question = page.getByRole('dialog', { name: 'Move 28 finished answers to the trash?' })
    for (const name of before) await expect(question).toContainText(name)
    // Below the head: each file, and the folder of the collections.
    await expect(question.getByRole('row')).toHaveCount(1 + before.length + 1)
    await expect(question.getByRole('button', { name: 'Move and run' })).toBeDisabled()
    await question.getByRole('button', { name: 'Keep files' }).click()
    await expect(page.getByRole('heading', { name: 'New run' })).toBeVisible()
    expect(await smoke()).toEqual(before)
    await page.getByRole('button', { name: /^Run \d/ }).click()
    await question.getByRole('textbox').fill(RUN)
    await question.getByRole('button', { name: 'Move and run' }).click()
    await expectPart(page, RUN, 'Progress')
  })
})

test.describe('publishing over published results', () => {
  const withPublished = (root: string): Promise<void> =>
    cp(join(PROJECT_ROOT, 'docs/results'), join(root, 'docs/results'), {
      recursive: true,
      filter: (path) => !/-(?!graph_native)[a-z_]+-(?:evidence|evaluation|matrix|judgments)\.jsonl?$/.test(path),
    })
  test.use({ panelOptions: { prepare: withPublished } })
  test('lists what it replaces and asks', async ({ page, open, panel }) => {
    const request = { dataset_ids: ['graph_native'], models: ['vanilla-rag'], run_id: 'narrow', publish: true }
    const plan = await panel.client.experiment.plan(request)
    const { current, lost } = plan.ok ? plan.publications[0]! : { current: null, lost: [] }
    await open('/launch?datasets=["graph_native"]&models=["vanilla-rag"]&name=narrow')
    await page.getByRole('checkbox', { name: /^Publish/ }).check()
    const notice = `Publishing replaces the results of graph_native from run ${current!.run_id}.`
    await expect(page.getByText(notice)).toBeVisible()
    await page.getByRole('button', { name: 'Run 24 answers' }).click()
    const question = page.getByRole('dialog', { name: 'Replace published results?' })
    await expect(question).toContainText(`${current!.models.length} approaches, ${current!.cells} answers, judged`)
    await expect(question).toContainText(`Lost: ${lost.join(', ')}.`)
    expect(lost).toContain('the judgments')
    await question.getByRole('button', { name: 'Replace and run' }).click()
    await expectPart(page, 'narrow', 'Progress')
  })
})
