import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { build } from 'vite'
import { expect } from 'vitest'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/**
 * Bundles the script of a worker into `folder` and returns how to start it: a process that reads one file starts in a third of the time that the
 * many files of the sources take. It has started when it prints its first line.
 */
export async function bundledWorker(
  script: string,
  folder: string,
): Promise<(args: readonly string[]) => Promise<ChildProcess>> {
  await build({
    configFile: false,
    logLevel: 'error',
    root: REPOSITORY,
    // Packages with a native part stay outside; the process finds them by NODE_PATH, which only CommonJS reads.
    ssr: { noExternal: true, external: ['better-sqlite3', 'pg', 'sharp'] },
    build: {
      ssr: join(import.meta.dirname, script),
      outDir: join(folder, 'worker'),
      minify: false,
      target: 'node22',
      rolldownOptions: { output: { format: 'cjs', entryFileNames: 'worker.cjs' } },
    },
  })
  const env = { ...process.env, NODE_PATH: join(REPOSITORY, 'node_modules') }
  return async (args) => {
    const child = spawn(process.execPath, [join(folder, 'worker', 'worker.cjs'), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    return child
  }
}

/** Ends a process by force and waits for its end. */
export async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  expect((await exited)[1]).toBe('SIGKILL')
}

export interface KillRounds {
  kills: number
  /** Processes that run at the same time. */
  atOnce: number
  random: () => number
  /** The longest time that a process gets. */
  withinMs?: number
  start: () => Promise<ChildProcess>
  /** Before each process is started. */
  work: () => Promise<void>
  /** How many pieces of work were under way; asked after each kill. */
  underWay: () => Promise<number>
}

/** Starts processes and kills each at a random moment, within 40 ms unless given, most after their work has begun. Returns how many pieces of work the kills found under way. */
export async function killRounds(rounds: KillRounds): Promise<number> {
  const { kills, atOnce, random, withinMs = 40, start, work, underWay } = rounds
  let begun = 0
  let interrupted = 0
  const oneByOne = async (): Promise<void> => {
    while (begun < kills) {
      begun += 1
      await work()
      const child = await start()
      // Most are killed in the middle of work, however slow the machine is; the others also while they begin.
      if (random() < 0.75)
        for (const until = Date.now() + 5000; (await underWay()) === 0 && Date.now() < until;) await delay(5)
      await delay(random() * withinMs)
      await kill(child)
      interrupted += await underWay()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, oneByOne))
  return interrupted
}
