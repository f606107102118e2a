import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { check } from './check.ts'
import { INSTALL_FLAG, installPackages, mayInstallPackages } from './e2e/debian-packages.ts'
import { findOnPath, findPostgres } from './e2e/find-program.ts'
import { prepareSpecs, runSpecs } from './e2e/run-specs.ts'
import { BUNDLE_VARIABLE, bundleProgram } from './program-bundle.ts'
import { chooseTier, isFullTier, leaveTestsToCi } from './test-tier.ts'
import { addTotals, firstWords, type Totals } from './totals.ts'
import { answerHelp } from './answer-help.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { FAST_SPECS } from '../tests/e2e/fast-specs.ts'
import { FAST_DESKTOP_SPECS, REPEATED_IN_CI } from '../tests/e2e/shell-specs.ts'
import { REPETITIONS } from '../tests/helpers/repetitions.ts'
import { isLeftToCi, LEFT_TO_CI } from './left-to-ci.ts'

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

async function vitest(args: string[]): Promise<Totals> {
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-test-'))
  const file = join(folder, 'report.json')
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn(
        process.execPath,
        [
          'node_modules/vitest/vitest.mjs',
          'run',
          '--reporter=default',
          '--reporter=json',
          `--outputFile.json=${file}`,
          ...args,
        ],
        { stdio: ['ignore', 'inherit', 'inherit'] },
      )
      child.on('error', reject)
      child.on('close', resolve)
    })
    const report = JSON.parse(await readFile(file, 'utf8')) as VitestReport
    // A file that could not be loaded, or whose preparation failed, fails no test by number.
    const broken = report.testResults.filter(
      ({ status, assertionResults: tests }) => status === 'failed' && tests.every((test) => test.status !== 'failed'),
    )
    const failed = report.numFailedTests + broken.length
    // Vitest counts them as skipped; they are listed apart.
    const left = report.testResults
      .flatMap(({ assertionResults: tests }) => tests)
      .filter(({ status, fullName }) => status !== 'passed' && status !== 'failed' && isLeftToCi(fullName))
    const failures = report.testResults.flatMap(({ name, assertionResults: tests }) =>
      tests
        .filter(({ status }) => status === 'failed')
        .map((test) => `${relative('', name)} > ${test.fullName}: ${firstWords(test.failureMessages.join(' '))}`),
    )
    return {
      passed: report.numPassedTests,
      failed: failed === 0 && code !== 0 ? 1 : failed,
      skipped: report.numPendingTests + report.numTodoTests - left.length,
      failures: [...failures, ...broken.map(({ name, message }) => `${relative('', name)}: ${firstWords(message)}`)],
    }
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: ['vitest left no report'] }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Keeps what is printed until `release`, and lets through what comes later. */
function heldOutput(): { print: (text: string | Uint8Array) => void; release: () => void } {
  let held: (string | Uint8Array)[] | null = []
  return {
    print: (text) => void (held === null ? process.stdout.write(text) : held.push(text)),
    release: () => {
      for (const text of held ?? []) process.stdout.write(text)
      held = null
    },
  }
}

/** Programs that some tests need; without them those tests count as skipped. Debian keeps a server's programs off PATH. */
const PROGRAMS = {
  pocketsphinx_continuous: { packages: ['pocketsphinx', 'pocketsphinx-en-us'], tests: 'the recognizer' },
  ffmpeg: { packages: ['ffmpeg'], tests: 'recordings that only ffmpeg reads' },
  pdftoppm: { packages: ['poppler-utils'], tests: 'scans on real weights' },
  initdb: { packages: ['postgresql'], tests: 'platform data in PostgreSQL' },
}

async function findPrograms(): Promise<void> {
  for (const [program, { packages, tests }] of Object.entries(PROGRAMS)) {
    if (findOnPath([program]) !== null || (program === 'initdb' && findPostgres() !== null)) continue
    if (mayInstallPackages()) await installPackages(packages)
    else
      console.log(`○ tests of ${tests} are skipped: install ${packages.join(' ')}, or run npm test -- ${INSTALL_FLAG}`)
  }
}

/**
 * Gives everything that this run starts a temporary folder of its own, so that what other programs leave does not count. Returns a function
 * that removes it and names what the tests left in it.
 */
async function ownTemporaryFolder(): Promise<() => Promise<string[]>> {
  const folder = await makeTemporaryFolder()
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder
  return async () => {
    const left = (await readdir(folder)).filter((name) => name.startsWith('rag-ladder-'))
    await rm(folder, { recursive: true, force: true })
    return left
  }
}

/** Lets the processes that tests start come from a bundle of the program (build/program-bundle.ts). */
async function bundleForTests(): Promise<Partial<Totals>> {
  const folder = resolve('out/test-program')
  try {
    await bundleProgram(process.cwd(), folder)
    process.env[BUNDLE_VARIABLE] = folder
    return {}
  } catch (error) {
    const failure = `the program cannot be bundled, the tests start it from its sources: ${String(error)}`
    console.log(`▲ ${failure}`)
    return { failed: 1, failures: [failure] }
  }
}

/** Names what the fast tier leaves to CI. */
function printLeftToCi(): void {
  console.log('\nleft to CI (npm test -- --full runs all of it)')
  for (const { what, files = [], titles = {} } of LEFT_TO_CI) {
    const parts = Object.entries(titles).flatMap(([file, parts]) => parts.map((part) => `${file} > ${part.trim()}`))
    console.log(`○ ${what}: ${[...files, ...parts].join(', ')}`)
  }
  for (const [what, { fast, full }] of Object.entries(REPETITIONS)) console.log(`○ ${what} ${fast} times, not ${full}`)
  for (const { file, title } of REPEATED_IN_CI)
    console.log(`○ only in the browser, not in Electron too: ${file}${title === undefined ? '' : `, ${title}`}`)
  const keepers = { 'fast-specs.ts': FAST_SPECS, 'shell-specs.ts': FAST_DESKTOP_SPECS }
  for (const file of readdirSync('tests/e2e').filter((name) => name.endsWith('.spec.ts'))) {
    const kept = Object.entries(keepers).find(([, specs]) => specs.some((spec) => spec.file === file))
    console.log(`○ page specs of ${file}${kept === undefined ? '' : ` but for those of tests/e2e/${kept[0]}`}`)
  }
}

answerHelp(
  'npm test -- [--full] [--install] [PATH…]: runs checks, tests and page specs, with --full or CI=true all of them; with PATH only these tests',
)

const closeTemporaryFolder = await ownTemporaryFolder()
const totals: Totals = { passed: 0, failed: 0, skipped: 0, failures: [] }
const add = (more: Partial<Totals>): void => addTotals(totals, more)

/** Lets the tests of real weights download what they need (tests/real/weights.ts); in CI they do so unasked. */
const FETCH_FLAG = '--fetch-weights'
if (process.argv.includes(FETCH_FLAG)) process.env['RAG_LADDER_FETCH_WEIGHTS'] = '1'

/** Lets the tests of other programs install them (tests/peers/running-peer.ts). */
const PEERS_FLAG = '--install-peers'
if (process.argv.includes(PEERS_FLAG)) process.env['RAG_LADDER_INSTALL_PEERS'] = '1'

const FLAGS = [INSTALL_FLAG, FETCH_FLAG, PEERS_FLAG]
const chosen = chooseTier(process.argv.slice(2)).filter((arg) => !FLAGS.includes(arg))
if (chosen.length > 0) {
  // While one file is worked on, nothing else has to be waited for.
  add(await vitest(chosen))
  console.log('\nonly the named tests ran; npm test without arguments also runs the checks and the specs of the pages')
} else {
  leaveTestsToCi()
  // Both install what is missing, which only one can do at a time.
  await findPrograms()
  const hosts = await prepareSpecs()
  add(await bundleForTests())
  // The specs wait as much as they compute: beside checks and tests they take two thirds of the time. They print when the others have ended.
  const held = heldOutput()
  const quiet = Promise.withResolvers<null>()
  const specs = runSpecs(hosts, held.print, quiet.promise)
  console.log('\ncheck, and specs of the pages beside it')
  add(await check())
  console.log('\ntests, and specs of the pages beside them')
  add(await vitest([]))
  quiet.resolve(null)
  console.log('\nspecs of the pages')
  held.release()
  add(await specs)
  if (!isFullTier()) printLeftToCi()
}

const left = await closeTemporaryFolder()
if (left.length > 0) {
  const failure = `the tests left ${left.length} folders or files in the temporary folder: ${left.join(', ')}`
  add({ failed: 1, failures: [failure] })
}
if (totals.passed === 0) totals.failed += 1
// The end of the output is what a person, and a service that keeps only the end, sees first.
if (totals.failures.length > 0)
  console.log(`\nfailed\n${totals.failures.map((failure) => `▲ ${failure}`).join('\n')}\n`)
process.exitCode = totals.failed === 0 ? 0 : 1
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
