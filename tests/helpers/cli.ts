import { spawn, type ChildProcess } from 'node:child_process'
import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { runMain, type CliResult } from './cli-in-process.ts'
import { programFile } from './program.ts'
import { PROJECT_ROOT } from './project-root.ts'

/**
 * A project folder of its own, outside any git checkout, with the real manifests and the smoke corpus. Of the datasets it has `smoke` and those
 * that a test names: each process that it starts reads the questions of all.
 */
export async function smokeProject(...others: string[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'rag-ladder-project-'))
  const wanted = ['smoke', ...others].map((id) => `${id}.yaml`)
  const isWanted = (file: string): boolean => basename(dirname(file)) !== 'datasets' || wanted.includes(basename(file))
  await cp(join(PROJECT_ROOT, 'manifests'), join(root, 'manifests'), { recursive: true, filter: isWanted })
  await mkdir(join(root, 'docs/results'), { recursive: true })
  await cp(join(PROJECT_ROOT, 'corpus/smoke'), join(root, 'corpus/smoke'), { recursive: true })
  return root
}

/** In a project whose panel a spec opens: the first-start tour would lie over the page. */
export async function skipTour(project: string): Promise<void> {
  await mkdir(join(project, '.rag-ladder'), { recursive: true })
  await writeFile(join(project, '.rag-ladder/panel.json'), JSON.stringify({ tour_seen: true }))
}

export interface RunningCli {
  child: ChildProcess
  /** Resolves with the first event of a type. */
  event(type: string): Promise<Record<string, unknown>>
  done: Promise<CliResult>
}

/** Wide, so that a message fits in one line. Tests run beside each other: none may depend on the default port. */
const SURROUNDINGS = { NO_COLOR: '1', COLUMNS: '400', PLATFORM_PORT: '0' }

/** Starts the command line as a process, as its users do; `input` is what is piped into it. */
export function startCli(args: string[], env: Record<string, string> = {}, input: string | null = null): RunningCli {
  const child = spawn(process.execPath, [programFile('bin/rag-ladder.mjs'), ...args], {
    env: { ...process.env, ...SURROUNDINGS, ...env },
    stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  const out = { stdout: '', stderr: '' }
  const events: Record<string, unknown>[] = []
  const waiting: { type: string; resolve: (event: Record<string, unknown>) => void }[] = []
  let rest = ''
  child.stdout!.on('data', (part: Buffer) => {
    out.stdout += part.toString()
    rest += part.toString()
    const lines = rest.split('\n')
    rest = lines.pop()!
    for (const line of lines.filter((text) => text.startsWith('{'))) {
      const event = JSON.parse(line) as Record<string, unknown>
      events.push(event)
      for (const waiter of waiting.filter(({ type }) => type === event['type'])) waiter.resolve(event)
    }
  })
  child.stderr!.on('data', (part: Buffer) => (out.stderr += part.toString()))
  return {
    child,
    event: (type) =>
      new Promise((resolve) => {
        const seen = events.find((event) => event['type'] === type)
        if (seen === undefined) waiting.push({ type, resolve })
        else resolve(seen)
      }),
    done: new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, ...out, events }))
    }),
  }
}

/**
 * Runs a command line to its end in this process: most of the time of a small command is the start of its process. Use `startCli` where the process
 * itself is tested: its signals, outputs that cannot be written, or what it does beside another one; and `runCliProcess` where it must remember
 * nothing of an earlier command, such as a credential.
 */
export function runCli(
  args: string[],
  env: Record<string, string> = {},
  input: string | null = null,
): Promise<CliResult> {
  return input === null && args[0] !== 'serve'
    ? runMain(args, { ...SURROUNDINGS, ...env })
    : startCli(args, env, input).done
}

/** Runs a command line to its end as a process. */
export const runCliProcess = (
  args: string[],
  env: Record<string, string> = {},
  input: string | null = null,
): Promise<CliResult> => startCli(args, env, input).done
