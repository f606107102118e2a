import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { modelCacheFolder } from '../../providers/kit/models/cache-folder.ts'

// Programs of others that the tests start: each is installed from the Python package index into an environment of its own in a cache folder,
// at the version that is named here. Nothing of it is shipped or needed; without it the tests are skipped with the reason.

export const PYTHON_PEERS = {
  litellm: { requirement: 'litellm[proxy]==1.106.2', program: 'litellm', megabytes: 750, license: 'MIT' },
} as const

export type PythonPeer = keyof typeof PYTHON_PEERS

/** The folder with the programs of a peer, or one sentence that says why they are not here. */
export type PeerResult = { bin: string; version: string; reason: null } | { bin: null; version: null; reason: string }

const INSTALL_TIMEOUT_MS = 600_000
const WINDOWS = process.platform === 'win32'

/** `RAG_LADDER_PEERS`, else a folder beside the models that the product keeps. */
function peersCache(): string {
  const named = process.env['RAG_LADDER_PEERS']?.trim() ?? ''
  const models = modelCacheFolder({ ...process.env, RAG_LADDER_MODELS_DIR: '' })
  return named === '' ? join(dirname(models), 'test-peers') : resolve(named)
}

/** Finds a peer in the cache, else installs it where `RAG_LADDER_INSTALL_PEERS` allows that. Never rejects: what is missing is a reason. */
export async function pythonPeer(name: PythonPeer): Promise<PeerResult> {
  const { requirement, megabytes } = PYTHON_PEERS[name]
  const version = requirement.split('==')[1]!
  const folder = join(peersCache(), `${name}-${version}`)
  const bin = join(folder, WINDOWS ? 'Scripts' : 'bin')
  const isComplete = join(folder, 'complete')
  if (existsSync(isComplete)) return { bin, version, reason: null }
  if (process.env['RAG_LADDER_INSTALL_PEERS'] !== '1') {
    const reason = `${name} ${version} is not on this machine; npm run test:peers installs it (${megabytes} MB)`
    return { bin: null, version: null, reason }
  }
  try {
    await rm(folder, { recursive: true, force: true })
    await mkdir(dirname(folder), { recursive: true })
    const options = { timeout: INSTALL_TIMEOUT_MS, windowsHide: true, maxBuffer: 64 * 1024 * 1024 }
    await promisify(execFile)(WINDOWS ? 'python' : 'python3', ['-m', 'venv', folder], options)
    const pip = ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', '--disable-pip-version-check']
    await promisify(execFile)(join(bin, 'python'), [...pip, requirement], options)
    await writeFile(isComplete, `${requirement}\n`)
    return { bin, version, reason: null }
  } catch (cause) {
    const { stderr = '', message } = cause as { stderr?: string; message: string }
    return {
      bin: null,
      version: null,
      reason: `${name} ${version} could not be installed: ${stderr.trim().split('\n').at(-1) || message}`,
    }
  }
}

export interface RunningPeer {
  url: string
  stop(): Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Starts a program of a peer on a free port of 127.0.0.1; resolves once `healthPath` answers. Rejects with its last lines. */
export async function startPeer(
  program: string,
  options: { args: (port: number) => readonly string[]; env: Record<string, string>; healthPath: string },
): Promise<RunningPeer> {
  const port = await freePort()
  const child = spawn(program, options.args(port), {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (printed = `${printed}${part.toString()}`.slice(-4000)))
  const url = `http://127.0.0.1:${port}`
  const isUp = (): Promise<boolean> =>
    fetch(`${url}${options.healthPath}`, { signal: AbortSignal.timeout(2000) }).then(
      (response) => response.ok,
      () => false,
    )
  for (let waited = 0; !(await isUp()); waited += 1) {
    if (child.exitCode !== null || waited > 240) {
      await end(child)
      throw new Error(`${program} did not start:\n${printed}`)
    }
    await sleep(250)
  }
  return { url, stop: () => end(child) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  const stopped = await Promise.race([closed.then(() => true), sleep(10_000, false)])
  if (!stopped) child.kill('SIGKILL')
  await closed
}
