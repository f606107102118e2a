import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { isFullTier } from './build/test-tier.ts'
import { excludedFiles, runTitles } from './build/left-to-ci.ts'

// What is kept per person must not be this person's.
if (process.env['RAG_LADDER_USER_DIR'] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'rag-ladder-person-'))
  process.env['RAG_LADDER_USER_DIR'] = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
}

// Most processes and threads of the tests live for a second, and would spend half of it on compiling the same modules.
process.env['NODE_COMPILE_CACHE'] ??= resolve('out/compile-cache')

// All page specs run beside these tests in the full tier, on the same processors and disk: a unit test of .3 s took 9 s there.
const slower = isFullTier() ? 3 : 1

/** A poll ends as soon as it sees what it waits for; only a failure is found later for it. */
const expect = { poll: { timeout: 15_000 * slower } }

const exclude = [...configDefaults.exclude, ...excludedFiles()]
const testNamePattern = runTitles()

export default defineConfig({
  test: {
    ...(testNamePattern === undefined ? {} : { testNamePattern }),
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{build,charts,contract,core,main,providers,renderer}/**/*.test.ts',
            'tests/{golden,helpers}/**/*.test.ts',
          ],
          exclude,
          setupFiles: ['tests/helpers/fixed-seed.ts'],
          testTimeout: 20_000 * slower,
          expect,
          // Modules are loaded once for all files of a worker, which halves the processor time: what a test changes, it puts back.
          isolate: false,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts', 'tests/crash/evidence-{damage,disk}.test.ts'],
          exclude,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          expect,
        },
      },
      // Kills processes and counts syncs: one file at a time, so that the rounds are not starved.
      {
        test: {
          name: 'crash',
          include: ['tests/crash/*-{kill,kills}.test.ts'],
          exclude,
          testTimeout: 300_000,
          hookTimeout: 60_000,
          expect,
        },
      },
      // Real weights use every processor and up to a gigabyte: one file at a time.
      {
        test: {
          name: 'real',
          include: ['tests/real/*.test.ts'],
          exclude,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect,
          fileParallelism: false,
        },
      },
      // Other programs, hundreds of megabytes each: one file at a time.
      {
        test: {
          name: 'peers',
          include: ['tests/peers/*.test.ts'],
          exclude,
          testTimeout: 120_000,
          hookTimeout: 900_000,
          expect,
          fileParallelism: false,
        },
      },
    ],
    pool: 'forks',
    // Much of what these tests do is waiting: two workers on two processors left a third of them idle. In the full tier page specs run beside them, and end
    // minutes before them with no more workers than processors.
    maxWorkers: availableParallelism() + 1,
  },
})
