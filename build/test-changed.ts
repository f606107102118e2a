import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { answerHelp } from './answer-help.ts'
import { lintSources } from './check-sources.ts'
import { leaveTestsToCi } from './test-tier.ts'

// A change can touch these by imports: types and lint rules of the changed files and of those that import them, and every unit, integration and crash test that imports one of
// them, through however many files. It does not follow processes that tests start, nor the pages that specs open: those are left to `npm test`.

const git = (cwd: string, ...args: string[]): string[] =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter((line) => line !== '')

/** The commit where this branch left `main`; HEAD on `main` itself and where there is no such branch. */
function branchPoint(): string {
  for (const branch of ['main', 'origin/main'])
    try {
      return git('.', 'merge-base', 'HEAD', branch)[0]!
    } catch {
      // No such branch here.
    }
  return 'HEAD'
}

/** Files that differ from a commit, those that git does not know yet included; without those that were deleted. */
export function changedFiles(since: string, root = '.'): string[] {
  const named = [...git(root, 'diff', '--name-only', since), ...git(root, 'ls-files', '--others', '--exclude-standard')]
  return [...new Set(named)].filter((file) => existsSync(join(root, file)))
}

async function testChanged(since: string): Promise<number> {
  const files = changedFiles(since)
  console.log(`${files.length} files differ from ${since.slice(0, 12)}`)
  if (files.length === 0) return 0
  leaveTestsToCi()
  const { ok, output, seconds } = await lintSources()
  console.log(ok ? `● lint and types  ${seconds.toFixed(1)} s  ${output}` : output)
  const projects = ['unit', 'integration', 'crash'].map((name) => `--project=${name}`)
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', `--changed=${since}`, '--passWithNoTests', ...projects]
  let tests = true
  try {
    execFileSync(process.execPath, vitest, { stdio: 'inherit' })
  } catch {
    tests = false
  }
  console.log(
    '\nleft to npm test: the page specs, build/left-to-ci.ts, and tests that reach the change only through a process that they start',
  )
  return ok && tests ? 0 : 1
}

if (import.meta.main) {
  answerHelp(
    'npm run test:changed -- [COMMIT]: checks and tests what the files can touch that differ from COMMIT, or from main',
  )
  process.exitCode = await testChanged(process.argv[2] ?? branchPoint())
}
