/**
 * `npm run prove:faults`: switches on every fault of faults.ts by running the tests that do, and prints a line for each. The exit code is 1 when one
 * failed, was skipped, or is not there. Flags are handed to Vitest.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { answerHelp } from '../../build/answer-help.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { FAULTS, type Fault } from './faults.ts'

/** A test as Vitest's JSON report has it; `status` is passed, failed, pending, skipped or todo. */
interface RunTest {
  file: string
  name: string
  status: string
}

export interface Proof {
  group: string
  fault: Fault
  /** Of all tests whose name matches. */
  passed: number
  /** Names of those that failed or were skipped; with `passed` 0 and none here there is no such test. */
  open: string[]
}

/** Tells for each fault which of these tests switched it on. */
export function proofsOf(tests: readonly RunTest[]): Proof[] {
  return Object.entries(FAULTS).flatMap(([group, faults]) =>
    faults.map((fault) => {
      const own = tests.filter(({ file, name }) => file === fault.file && fault.test.test(name))
      const open = own.filter(({ status }) => status !== 'passed').map(({ name, status }) => `${status}: ${name}`)
      return { group, fault, passed: own.length - open.length, open }
    }),
  )
}

const isProven = ({ passed, open }: Proof): boolean => passed > 0 && open.length === 0

export function tableOf(proofs: readonly Proof[]): string {
  const lines = proofs.flatMap((proof, at) => [
    ...(proof.group === proofs[at - 1]?.group ? [] : ['', proof.group]),
    `${isProven(proof) ? '●' : '▲'} ${proof.fault.fault}  ${proof.passed} passed, ${proof.fault.file}`,
    ...(proof.passed + proof.open.length === 0
      ? ['    no test has this name']
      : proof.open.map((line) => `    ${line}`)),
  ])
  const proven = proofs.filter(isProven).length
  return `${lines.join('\n')}\n\nfaults: ${proven} of ${proofs.length} survived`
}

async function runTests(flags: readonly string[]): Promise<RunTest[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-faults-'))
  const report = join(folder, 'report.json')
  const files = [...new Set(Object.values(FAULTS).flatMap((faults) => faults.map(({ file }) => file)))]
  try {
    await new Promise((done, failed) => {
      const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', '--reporter=json']
      const args = [...vitest, `--outputFile.json=${report}`, ...flags, ...files]
      const child = spawn(process.execPath, args, { cwd: PROJECT_ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
      child.on('error', failed)
      child.on('close', done)
    })
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as {
      testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[]
    }
    return testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map((test) => ({
        file: relative(PROJECT_ROOT, name).replaceAll('\\', '/'),
        name: test.fullName,
        status: test.status,
      })),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const flags = process.argv.slice(2)
  answerHelp(
    'npm run prove:faults: switches on every fault that the program says it survives, and prints a line for each',
  )
  const proofs = proofsOf(await runTests(flags))
  console.log(tableOf(proofs))
  process.exitCode = proofs.every(isProven) ? 0 : 1
}
