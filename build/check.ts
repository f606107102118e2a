import { spawnSync } from 'node:child_process'
import { readdir, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { licencesOfCheckout } from './licences/licences.ts'
import { lockFileGaps } from './lock-file.ts'
import { LESS_COLLECTING, runTool, type StepResult } from './run-step.ts'
import { isFullTier } from './test-tier.ts'
import { staleSchemas } from './schemas.ts'
import { isGlossaryCurrent, isMethodsPageCurrent } from './glossary.ts'
import { isPlatformPageCurrent } from './platform-page.ts'
import { isSettingsPageCurrent } from './settings-page.ts'
import { knownVulnerabilities, vulnerabilitiesOfList } from './vulnerabilities.ts'
import { firstWords, type Totals } from './totals.ts'
import { checkPublishedResults } from './published-results.ts'
import { checkImports, lintSources } from './check-sources.ts'
import { answerHelp } from './answer-help.ts'

interface Finding {
  problems: string[]
  note?: string
  /** Why the step could not be carried out here. */
  skipped?: string
}

async function timed(name: string, action: () => Promise<Finding>): Promise<StepResult> {
  const started = performance.now()
  const { problems, note, skipped } = await action()
  return {
    name,
    ...(skipped === undefined ? {} : { skipped }),
    ok: problems.length === 0,
    output: [...problems, ...(note === undefined ? [] : [note])].join('\n'),
    seconds: (performance.now() - started) / 1000,
  }
}

/** Most that `npm ci` may install: target P23 in docs/figures.md. */
const MOST_INSTALLED_MB = 900
/** In `node_modules`, but not of `npm ci`: caches, and the Electron that the app downloads at its first start. */
const NOT_INSTALLED = /^(?:\.|electron\/dist)/

/** Disk space of a folder: blocks where the system counts them, a file with several links once. */
async function installedBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  const linked = new Set<string>()
  let bytes = 0
  for (const name of names) {
    if (NOT_INSTALLED.test(name.replaceAll('\\', '/'))) continue
    const info = await lstat(join(folder, name))
    if (!info.isFile() || linked.has(`${info.dev}:${info.ino}`)) continue
    if (info.nlink > 1) linked.add(`${info.dev}:${info.ino}`)
    bytes += info.blocks > 0 ? info.blocks * 512 : info.size
  }
  return bytes
}

/** True where the list of packages differs from the last commit, or where git does not know. */
function isPackageFileEdited(): boolean {
  const files = ['package.json', 'package-lock.json']
  return spawnSync('git', ['diff', '--quiet', 'HEAD', '--', ...files], { stdio: 'ignore' }).status !== 0
}

type Step = () => Promise<StepResult>

/** Folders with a `tsconfig.json` of their own. */
const AREAS = ['contract', 'core', 'charts', 'main', 'providers', 'preload', 'renderer', 'tests']
/** Areas whose compiler options differ from those that the files which they import have in their own area: the full tier compiles them too. */
const AREAS_OF_OWN_OPTIONS = ['contract', 'core', 'charts', 'preload', 'renderer']

const types =
  (area: string): Step =>
  () =>
    // The findings of an earlier check about files that are still the same are not worked out again. The threads of a compiler do the same work
    // several times, and two steps run at a time.
    runTool(
      `types: ${area}`,
      process.execPath,
      [
        'node_modules/typescript-7/bin/tsc',
        '-p',
        area,
        '--singleThreaded',
        '--incremental',
        '--tsBuildInfoFile',
        `out/types/${area}.tsbuildinfo`,
      ],
      LESS_COLLECTING,
    )

/** Everything that needs no running service, each as its own counted step. */
const steps = (): Step[] => [
  lintSources,
  ...(isFullTier() ? AREAS_OF_OWN_OPTIONS.map(types) : []),
  () => runTool('format', 'oxfmt', ['--check']),
  () => timed('import walls', checkImports),
  () =>
    timed('schemas match the contract', async () => ({
      problems: (await staleSchemas()).map((name) => `docs/schemas/${name} is stale: npm run schemas`),
    })),
  () =>
    timed('glossary defines the metrics', async () => ({
      problems:
        (await isGlossaryCurrent()) && (await isMethodsPageCurrent())
          ? []
          : ['docs/GLOSSARY.md or docs/methods.md is stale: npm run glossary'],
    })),
  () =>
    timed('page of settings matches the variables', async () => ({
      problems: (await isSettingsPageCurrent()) ? [] : ['docs/guide/settings.md is stale: npm run settings'],
    })),
  () =>
    timed('page of the platform matches routes and variables', async () => ({
      problems: (await isPlatformPageCurrent()) ? [] : ['docs/platform.md is stale: npm run settings'],
    })),
  () => timed('age of published results', () => checkPublishedResults(process.cwd())),
  // In CI it has just been installed (.ci/run), and what is committed has been in CI.
  ...(process.env['CI'] === 'true' || !isPackageFileEdited()
    ? []
    : [() => runTool('lock file installs', 'npm', ['ci', '--dry-run', '--no-audit', '--no-fund', '--loglevel=error'])]),
  () => timed('lock file is complete for macOS, Windows and Linux', async () => ({ problems: await lockFileGaps() })),
  () => timed('licences of shipped packages', async () => ({ problems: await licencesOfCheckout() })),
  () =>
    timed('known vulnerabilities', async () => {
      const found = await knownVulnerabilities()
      if (found.known) return { problems: found.problems, note: 'none' }
      const { problems, note } = vulnerabilitiesOfList()
      return { problems, note: `${note}; the registry gives none (${found.reason})` }
    }),
  () =>
    timed('installed size', async () => {
      const megabytes = Math.round((await installedBytes('node_modules')) / 1e6)
      const isTooMuch = megabytes > MOST_INSTALLED_MB
      const problem = `${megabytes} MB is more than ${MOST_INSTALLED_MB} MB: see build/prune-modules.ts, and run npm ci`
      return { problems: isTooMuch ? [problem] : [], note: `${megabytes} MB` }
    }),
]

export const check = (): Promise<Totals> => runSteps(steps())

/** Checks the types of the named areas, of all where none is named. */
async function checkTypes(areas: readonly string[]): Promise<Totals> {
  const unknown = areas.filter((area) => !AREAS.includes(area))
  if (unknown.length > 0) {
    console.error(`Unknown area ${unknown.join(', ')}: expected ${AREAS.join(', ')}`)
    return { passed: 0, failed: 1, skipped: 0, failures: [] }
  }
  return runSteps((areas.length === 0 ? AREAS : areas).map(types))
}

/** Runs two steps at a time and prints each as it ends. */
async function runSteps(steps: readonly Step[]): Promise<Totals> {
  const queue = [...steps]
  const totals: Totals = { passed: 0, failed: 0, skipped: 0, failures: [] }
  const worker = async (): Promise<void> => {
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
      const result = await step()
      if (result.skipped !== undefined) {
        totals.skipped += 1
        console.log(`○ ${result.name}  skipped: ${result.skipped}`)
        continue
      }
      totals[result.ok ? 'passed' : 'failed'] += 1
      const note = result.ok && !result.output.includes('\n') && result.output.length < 80 ? `  ${result.output}` : ''
      console.log(`${result.ok ? '●' : '▲'} ${result.name}  ${result.seconds.toFixed(1)} s${note}`)
      if (result.ok) continue
      console.log(result.output)
      totals.failures.push(`${result.name}: ${firstWords(result.output)}`)
    }
  }
  await Promise.all([worker(), worker()])
  return totals
}

if (import.meta.main) {
  answerHelp(
    'npm run check, or npm run typecheck -- [AREA…]: checks types, lint, format, import walls, generated files, lock file and licences',
  )
  const [flag, ...areas] = process.argv.slice(2)
  const { passed, failed, skipped } = await (flag === '--types' ? checkTypes(areas) : check())
  console.log(`check: ${passed} passed, ${failed} failed, ${skipped} skipped`)
  process.exitCode = failed === 0 ? 0 : 1
}
