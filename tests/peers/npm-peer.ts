import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { INSTALL_TIMEOUT_MS, mayInstall, missingPeer, peersCache, type PeerResult } from './running-peer.ts'

// Peers from the npm registry, as tests/peers/python-peer.ts has those from the Python package index.

const NPM_PEERS = {
  /** Its native modules are built one by one: others of its dependencies need compilers and libraries that no test needs. */
  n8n: { version: '2.41.1', native: ['sqlite3'], megabytes: 1500, license: 'Sustainable Use License' },
} as const

export type NpmPeer = keyof typeof NPM_PEERS

const WINDOWS = process.platform === 'win32'

/** Finds a peer in the cache, else installs it where `RAG_LADDER_INSTALL_PEERS` allows that. Never rejects: what is missing is a reason. */
export async function npmPeer(name: NpmPeer): Promise<PeerResult> {
  const { version, native, megabytes } = NPM_PEERS[name]
  const folder = join(peersCache(), `${name}-${version}`)
  const bin = join(folder, 'node_modules/.bin')
  const isComplete = join(folder, 'complete')
  if (existsSync(isComplete)) return { bin, version, reason: null }
  if (!mayInstall()) return missingPeer(name, version, megabytes)
  const npm = (...args: string[]) =>
    promisify(execFile)('npm', [...args, '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      timeout: INSTALL_TIMEOUT_MS,
      windowsHide: true,
      shell: WINDOWS,
      maxBuffer: 64 * 1024 * 1024,
    })
  try {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
    await npm('install', `${name}@${version}`, '--ignore-scripts')
    await npm('rebuild', ...native)
    await writeFile(isComplete, `${name}@${version}\n`)
    return { bin, version, reason: null }
  } catch (cause) {
    const { stderr = '', message } = cause as { stderr?: string; message: string }
    const why = stderr.trim().split('\n').at(-1) || message
    return { bin: null, version: null, reason: `${name} ${version} could not be installed: ${why}` }
  }
}
