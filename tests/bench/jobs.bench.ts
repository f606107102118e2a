import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import { findChromium } from '../../build/e2e/find-program.ts'
import { type EngineProcess, eventsUntil, startEngine } from '../helpers/engine-process.ts'
import { startChatService } from '../helpers/chat-service.ts'
import { Person, type Effort } from '../helpers/person.ts'
import { currentPages } from '../helpers/current-pages.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { atMost, shown, type Figure } from './figure.ts'
import { type Job, JOBS, type Place } from './person-jobs.ts'

const PAGE = join(PROJECT_ROOT, 'docs/jobs.md')

interface Outcome {
  job: Job
  effort: Effort
  /** Holds what the person ended with. */
  seen: string
  problem: string | null
}

interface Desk {
  root: string
  engine: EngineProcess
  stop: () => Promise<void>
}

/** A project folder as a checkout has it, with what is published, and an engine on it. */
async function openDesk(): Promise<Desk> {
  const root = await mkdtemp(join(tmpdir(), 'jobs-bench-'))
  for (const folder of ['manifests', 'corpus', 'docs/results'])
    await cp(join(PROJECT_ROOT, folder), join(root, folder), { recursive: true })
  const engine = await startEngine(root)
  await eventsUntil(engine.client, { after: 0 }, (event) => event.type === 'index.state' && event.state === 'ready')
  const stop = async (): Promise<void> => {
    await engine.stop()
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
  return { root, engine, stop }
}

/** The first page of a fresh project lies below the tour: the person skips it, which costs the job a click. */
async function skipTour(page: Page, { engine }: Desk): Promise<void> {
  if (!(await engine.client.settings.panel()).tour_seen)
    await page.getByRole('button', { name: 'Skip the tour', exact: true }).first().click()
}

async function doJob(browser: Browser, desk: Desk, job: Job, modelService: string): Promise<Outcome> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const person = await Person.at(page)
  try {
    const { url } = await desk.engine.client.system.browserLink()
    await page.goto(url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    person.begin()
    const place: Place = { root: desk.root, modelService }
    const ended = await skipTour(page, desk)
      .then(() => job.run(person, place))
      .then(
        (seen) => ({ seen, problem: null }),
        (error: unknown) => ({ seen: '', problem: error instanceof Error ? error.message : String(error) }),
      )
    const effort = await person.effort()
    if (ended.problem !== null) await page.screenshot({ path: join(tmpdir(), `job-${job.id}.png`) })
    return { job, effort, ...ended }
  } finally {
    await context.close()
  }
}

const row = ({ job, effort, seen, problem }: Outcome): string =>
  `| ${problem === null ? '●' : '▲'} | ${job.what} | ${effort.clicks} | ${effort.tabStops} | ${effort.typed} | ${effort.seconds.toFixed(1)} | ${(problem?.split('\n')[0] ?? seen).replaceAll('|', '\\|')} |`

const pageOf = (outcomes: readonly Outcome[]): string => `# Jobs of a person

What a person wants to do, done in a headless Chromium by a program that clicks and types as a person does, from Home, in a project as a checkout has it. ● done, ▲ not
done. A click is a press of the mouse button, or a drop of files. Tab stops are the presses of Tab that lead by keyboard to each control that is clicked, from the start of its page or dialog,
summed; arrow keys in menus, tabs and radio buttons are not counted. Seconds include everything that the person waits for: ingestion, answers, conversions. The last column is the text on the page at the end. Written by
\`npm run bench -- --only jobs --write\`; the jobs are in \`tests/bench/person-jobs.ts\`.

${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} processors (${cpus()[0]?.model.trim() ?? 'unknown'}), load ${loadavg()[0]!.toFixed(1)}.

| | job | clicks | tab stops | fields and keys typed | seconds | ends with |
|---|---|---:|---:|---:|---:|---|
${outcomes.map(row).join('\n')}
`

/** Does every job, or those that are named, and counts what each takes. Writes \`docs/jobs.md\` when all were done and that is wanted. */
export async function benchJobs({ only, write }: { only?: readonly string[]; write: boolean }): Promise<Figure[]> {
  await currentPages()
  const jobs = JOBS.filter(({ id }) => only === undefined || only.includes(id))
  const service = await startChatService()
  const browser = await chromium.launch({
    executablePath: findChromium('whole') ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })
  const outcomes: Outcome[] = []
  let desk: Desk | null = null
  try {
    for (const job of jobs) {
      if (desk === null || job.fresh === true) {
        await desk?.stop()
        desk = await openDesk()
      }
      const outcome = await doJob(browser, desk, job, `${service.url}/v1`)
      outcomes.push(outcome)
      console.error(row(outcome))
      if (outcome.problem !== null) console.error(outcome.problem)
    }
  } finally {
    await browser.close()
    await desk?.stop()
    await service.close()
  }
  if (write && jobs.length === JOBS.length) await writeFile(PAGE, pageOf(outcomes))
  const of = (id: string): Outcome | undefined => outcomes.find(({ job, problem }) => job.id === id && problem === null)
  const [model, data, set] = [of('own-model'), of('own-data'), of('public-set')]
  return [
    atMost('K', 'jobs that were not reached', outcomes.filter(({ problem }) => problem !== null).length, '', 0),
    ...(model === undefined
      ? []
      : [
          atMost('P22', 'own model: clicks from Home to the model in use', model.effort.clicks, '', 6),
          shown('P22', 'own model', model.effort.seconds, 's'),
        ]),
    ...(data === undefined
      ? []
      : [
          atMost('P22', '20 files and 8 questions to a verdict of 7 approaches', data.effort.seconds / 60, 'min', 10),
          atMost('P22', 'the same: clicks', data.effort.clicks, '', 12),
        ]),
    ...(set === undefined
      ? []
      : [
          atMost(
            'P22',
            '200 questions in MuSiQue’s form to a verdict of 7 approaches',
            set.effort.seconds / 60,
            'min',
            10,
          ),
          shown('P22', 'the same: clicks', set.effort.clicks, ''),
        ]),
  ]
}
