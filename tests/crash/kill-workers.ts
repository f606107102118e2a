import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { bundledScript } from './bundled-script.ts'

/** Bundles the script of a worker and returns how to start it. It has started when it prints its first line. */
export async function bundledWorker(script: string): Promise<(args: readonly string[]) => Promise<ChildProcess>> {
  const file = await bundledScript(script)
  return async (args) => {
    const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
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
  /** Returns how many pieces of work were under way; asked after each kill. */
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
