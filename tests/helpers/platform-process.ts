import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { programFile } from './program.ts'

const ENTRY = programFile('providers/platform/index.ts')

export interface PlatformProcess {
  url: string
  child: ChildProcess
  /** From the fork to the ready message. */
  startMs: number
  /** Returns what the process has written to stderr so far. */
  errors(): string
  /** Closes the channel, as a host that ends does, and gives the exit code. */
  stop(): Promise<number | null>
}

/** Forks the real platform entry and waits until it reports that it is ready; rejects with its stderr when it exits before. */
export async function startPlatformProcess(env: Record<string, string>): Promise<PlatformProcess> {
  const started = performance.now()
  const child = fork(ENTRY, {
    env: { ...inherited(), PLATFORM_PORT: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const exited = once(child, 'exit') as Promise<[number | null]>
  const drained = once(child.stderr!, 'close')
  const ready = once(child, 'message') as Promise<[{ type: string; url: string }]>
  const first = await Promise.race([ready, exited])
  const message = first[0]
  if (typeof message !== 'object' || message === null) {
    await drained
    throw new Error(`the platform exited with ${String(message)}: ${errors}`)
  }
  return {
    url: message.url,
    child,
    startMs: performance.now() - started,
    errors: () => errors,
    async stop() {
      if (child.exitCode === null && child.connected) child.disconnect()
      return (await exited)[0]
    },
  }
}

/** The test's own environment without anything that would configure a platform. */
function inherited(): Record<string, string | undefined> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'NODE_OPTIONS', 'SystemRoot']
  return Object.fromEntries(kept.map((name) => [name, process.env[name]]))
}
