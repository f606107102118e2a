import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Totals } from '../totals.ts'
import { buildPages } from '../build-pages.ts'
import { browserHost, desktopHost, type SpecHost } from './hosts.ts'
import { answerHelp } from '../answer-help.ts'

interface Report {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number }
  suites: Suite[]
  errors: { message?: string }[]
}
interface Suite {
  specs?: { tests: unknown[] }[]
  suites?: Suite[]
}

const testsOf = ({ specs = [], suites = [] }: Suite): number =>
  specs.reduce((sum, { tests }) => sum + tests.length, 0) + suites.reduce((sum, suite) => sum + testsOf(suite), 0)

/** Takes what a job prints. */
type Print = (text: string | Uint8Array) => void

/** Where Playwright keeps what it made of the spec files: its usual place, the temporary folder, is a new one for each `npm test`. */
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
    return { passed: 0, failed: 0, skipped }
  }
  const { code, report } = await playwright(host.project, [], { ...host.env, ...env }, host.wrapper, print)
  const { expected, unexpected, flaky, skipped } = report.stats
  for (const { message } of report.errors) print(`${message ?? 'an error without a message'}\n`)
  const failed = unexpected + flaky
  return { passed: expected, failed: failed + (code !== 0 && failed === 0 ? 1 : 0), skipped }
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
 * Runs the page specs in each host that this machine has: all of them in the browser, and in the desktop app those that pass through a part of
 * the shell (tests/e2e/shell-specs.ts), or all with `--all` and where there is no browser. Specs of a missing host are counted as skipped.
 */
export async function runSpecs(hosts: readonly SpecHost[] | null, print: Print = toTerminal): Promise<Totals> {
  if (hosts === null) return { passed: 0, failed: 1, skipped: 0 }
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 }
  const isAll = process.argv.includes(ALL_FLAG) || !hosts[0]!.found
  for (const host of hosts)
    try {
      const { passed, failed, skipped } = await runHost(host, isAll ? { RAG_LADDER_SPECS: 'all' } : {}, print)
      totals.passed += passed
      totals.failed += failed
      totals.skipped += skipped
    } catch (error) {
      print(`▲ specs in ${host.project} left no report: ${error instanceof Error ? error.message : String(error)}\n`)
      totals.failed += 1
    }
  return totals
}

if (import.meta.main) {
  answerHelp(
    'npm run test:specs -- [--all] [--install]: runs the page specs in the browser and those of the shell in Electron; --all runs all in both',
  )
  const { passed, failed, skipped } = await runSpecs(await prepareSpecs())
  console.log(`specs: ${passed} passed, ${failed} failed, ${skipped} skipped`)
  process.exitCode = failed === 0 ? 0 : 1
}
