import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { addTotals, firstWords, type Totals } from '../totals.ts'
import { buildPages } from '../build-pages.ts'
import { chooseTier } from '../test-tier.ts'
import { browserHost, desktopHost, type SpecHost } from './hosts.ts'
import { answerHelp } from '../answer-help.ts'

interface Report {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number }
  suites: Suite[]
  errors: { message?: string }[]
}
interface Suite {
  specs?: Spec[]
  suites?: Suite[]
}
interface Spec {
  title: string
  file: string
  ok: boolean
  tests: { status: string; results: { error?: { message?: string } }[] }[]
}

const specsOf = ({ specs = [], suites = [] }: Suite): Spec[] => [...specs, ...suites.flatMap(specsOf)]

/** The specs that failed, or passed only when they were repeated. */
const failuresOf = ({ suites }: Report, project: string): string[] =>
  suites
    .flatMap(specsOf)
    .filter(({ ok, tests }) => !ok || tests.some(({ status }) => status === 'flaky'))
    .map(({ title, file, tests }) => {
      const messages = tests.flatMap(({ results }) => results).map(({ error }) => error?.message)
      return `[${project}] ${file} > ${title}: ${firstWords(messages.find((message) => message !== undefined) ?? '')}`
    })

const testsOf = (suite: Suite): number => specsOf(suite).reduce((sum, { tests }) => sum + tests.length, 0)

/** Takes what a job prints. */
type Print = (text: string | Uint8Array) => void

/** States where Playwright keeps what it made of the spec files: its usual place, the temporary folder, is a new one for each `npm test`. */
const CACHE = resolve('out/playwright-cache')

const toTerminal: Print = (text) => void process.stdout.write(text)

async function playwright(
  project: string,
  flags: string[],
  env: Record<string, string>,
  wrapper: string[],
  print: Print,
) {
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-specs-'))
  const file = join(folder, 'report.json')
  const cli = ['node_modules/@playwright/test/cli.js', 'test', '-c', 'tests/e2e']
  const [command, ...args] = [...wrapper, process.execPath, ...cli, '--reporter=list,json', ...flags]
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn(command!, args, {
        env: {
          ...process.env,
          PLAYWRIGHT_TRANSFORM_CACHE_DIR: CACHE,
          ...env,
          RAG_LADDER_SPEC_HOST: project,
          PLAYWRIGHT_JSON_OUTPUT_FILE: file,
        },
        stdio: ['ignore', flags.includes('--list') ? 'ignore' : 'pipe', 'pipe'],
      })
      child.stdout?.on('data', print)
      child.stderr!.on('data', print)
      child.on('error', reject)
      child.on('close', resolve)
    })
    return { code, report: JSON.parse(await readFile(file, 'utf8')) as Report }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runHost(host: SpecHost, env: Record<string, string>, print: Print): Promise<Totals> {
  if (!host.found) {
    // Counted, so that a machine without the host does not look like one that passed.
    const { report } = await playwright(host.project, ['--list'], env, [], print)
    const skipped = report.suites.reduce((sum, suite) => sum + testsOf(suite), 0)
    print(`○ ${skipped} specs in ${host.project} are skipped: ${host.reason}\n`)
    return { passed: 0, failed: 0, skipped, failures: [] }
  }
  const { code, report } = await playwright(host.project, [], { ...host.env, ...env }, host.wrapper, print)
  const { expected, unexpected, flaky, skipped } = report.stats
  for (const { message } of report.errors) print(`${message ?? 'an error without a message'}\n`)
  const failed = unexpected + flaky
  const failures = [
    ...failuresOf(report, host.project),
    ...report.errors.map(({ message }) => firstWords(message ?? '')),
  ]
  return { passed: expected, failed: failed + (code !== 0 && failed === 0 ? 1 : 0), skipped, failures }
}

/** Lets Electron run all specs too. */
const ALL_FLAG = '--all'

/** Finds the hosts of the specs and builds pages and shell, which installs what is missing where that is allowed; null where the build fails. */
export async function prepareSpecs(): Promise<SpecHost[] | null> {
  const build = await buildPages()
  if (!build.ok) {
    console.log(`▲ pages and shell do not build\n${build.output}`)
    return null
  }
  return [await browserHost(), await desktopHost()]
}

/**
 * Runs the page specs in each host that this machine has: all of them in the browser (in the fast tier those of tests/e2e/fast-specs.ts), and in
 * the desktop app those that pass through a part of the shell (tests/e2e/shell-specs.ts; few of them in the fast tier). Where there is no browser,
 * the app runs its specs too; with `--all` both run everything. Specs of a missing host are counted as skipped. The hosts run one after the other,
 * and side by side from when `quiet` is fulfilled.
 */
export async function runSpecs(
  hosts: readonly SpecHost[] | null,
  print: Print = toTerminal,
  quiet: Promise<unknown> | null = null,
): Promise<Totals> {
  if (hosts === null) return { passed: 0, failed: 1, skipped: 0, failures: ['pages and shell do not build'] }
  const totals: Totals = { passed: 0, failed: 0, skipped: 0, failures: [] }
  const asked = process.argv.includes(ALL_FLAG) ? 'all' : hosts[0]!.found ? null : 'alone'
  let before: Promise<unknown> = Promise.resolve()
  for (const host of hosts) {
    const mayStart = quiet === null ? before : Promise.race([before, quiet])
    const run = async (): Promise<void> => {
      await mayStart
      try {
        addTotals(totals, await runHost(host, asked === null ? {} : { RAG_LADDER_SPECS: asked }, print))
      } catch (error) {
        const failure = `specs in ${host.project} left no report: ${error instanceof Error ? error.message : String(error)}`
        print(`▲ ${failure}\n`)
        addTotals(totals, { failed: 1, failures: [failure] })
      }
    }
    before = Promise.all([before, run()])
  }
  await before
  return totals
}

if (import.meta.main) {
  chooseTier(process.argv)
  answerHelp(
    'npm run test:specs -- [--full | --all] [--install]: runs the main page specs in the browser and those of the app alone in Electron; with --full all in the browser and those that pass through the shell in Electron, with --all all in both',
  )
  const { passed, failed, skipped } = await runSpecs(await prepareSpecs())
  console.log(`specs: ${passed} passed, ${failed} failed, ${skipped} skipped`)
  process.exitCode = failed === 0 ? 0 : 1
}
