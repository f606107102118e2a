import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { modelCacheFolder } from '../../providers/kit/models/cache-folder.ts'

/** The folder with the programs of a peer, or one sentence that states why they are missing. */
export type PeerResult = { bin: string; version: string; reason: null } | { bin: null; version: null; reason: string }

export const INSTALL_TIMEOUT_MS = 600_000

/** Set by `npm run test:peers`. */
export const mayInstall = (): boolean => process.env['RAG_LADDER_INSTALL_PEERS'] === '1'

export const missingPeer = (name: string, version: string, megabytes: number): PeerResult => ({
  bin: null,
  version: null,
  reason: `${name} ${version} is not on this machine; npm run test:peers installs it (${megabytes} MB)`,
})

/** `RAG_LADDER_PEERS`, else a folder beside the models that the product keeps. */
export function peersCache(): string {
  const named = process.env['RAG_LADDER_PEERS']?.trim() ?? ''
  const models = modelCacheFolder({ ...process.env, RAG_LADDER_MODELS_DIR: '' })
  return named === '' ? join(dirname(models), 'test-peers') : resolve(named)
}

export interface RunningPeer {
  url: string
  stop(): Promise<void>
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Starts a program of a peer on 127.0.0.1; resolves once `healthPath` answers. Rejects with its last lines. */
export async function startPeer(
  program: string,
  options: {
    args: (port: number) => readonly string[]
    env: Record<string, string>
    healthPath: string
    /** A free one unless given. */
    port?: number
  },
): Promise<RunningPeer> {
  const port = options.port ?? (await freePort())
  const child = spawn(program, options.args(port), {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  child.on('error', (error) => (printed += error.message))
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (printed = `${printed}${part.toString()}`.slice(-4000)))
  const url = `http://127.0.0.1:${port}`
  const isUp = (): Promise<boolean> =>
    fetch(`${url}${options.healthPath}`, { signal: AbortSignal.timeout(2000) }).then(
      (response) => response.ok,
      () => false,
    )
  for (let waited = 0; !(await isUp()); waited += 1) {
    if (child.exitCode !== null || child.pid === undefined || waited > 240) {
      await end(child)
      throw new Error(`${program} did not start:\n${printed}`)
    }
    await sleep(250)
  }
  return { url, stop: () => end(child) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  const stopped = await Promise.race([closed.then(() => true), sleep(10_000, false)])
  if (!stopped) child.kill('SIGKILL')
  await closed
}
