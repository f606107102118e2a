import { createRequire } from 'node:module'
import type { main as Main } from '../../main/cli/main.ts'
import { programFile } from './program.ts'
import { KeptText } from '../../main/cli/kept-text.ts'

export interface CliResult {
  code: number | null
  stdout: string
  stderr: string
  /** Holds what `--json` printed, line by line. */
  events: Record<string, unknown>[]
}

// Loaded by Node itself, from the bundle where there is one, as a process loads it: the test runner would transform each of its modules.
const load = createRequire(import.meta.url)
let main: typeof Main | null = null

/** Commands read the environment and the command line of their process, so that one runs at a time. */
let turn: Promise<unknown> = Promise.resolve()

/** Runs a command line in this process, in the environment `env`, and puts environment and arguments of this process back. */
export function runMain(args: readonly string[], env: Readonly<Record<string, string>>): Promise<CliResult> {
  const result = turn.then(() => inTurn(args, env))
  turn = result.catch(() => undefined)
  return result
}

async function inTurn(args: readonly string[], env: Readonly<Record<string, string>>): Promise<CliResult> {
  main ??= (load(programFile('main/cli/main.ts')) as { main: typeof Main }).main
  const before = { env: { ...process.env }, argv: process.argv }
  Object.assign(process.env, env)
  process.argv = [process.execPath, programFile('bin/rag-ladder.mjs'), ...args]
  const [stdout, stderr] = [new KeptText(), new KeptText()]
  try {
    const code = await main(args, { env: process.env, stdout: stdout.asTerminal(), stderr: stderr.asTerminal() })
    return { code, stdout: stdout.text, stderr: stderr.text, events: eventsIn(stdout.text) }
  } finally {
    process.argv = before.argv
    for (const name of Object.keys(env)) {
      const value = before.env[name]
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    }
  }
}

/** The objects that `--json` printed, line by line. */
const eventsIn = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
