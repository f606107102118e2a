import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { INSTALL_TIMEOUT_MS, mayInstall, missingPeer, peersCache, type PeerResult } from './running-peer.ts'

// Programs of others that the tests start: each is installed from the Python package index into an environment of its own in a cache folder,
// at the version that is named here. Nothing of it is shipped or needed; without it the tests are skipped with the reason.

const PYTHON_PEERS = {
  litellm: { version: '1.106.2', requirements: ['litellm[proxy]==1.106.2'], megabytes: 750, license: 'MIT' },
  /** It needs a module that later versions of its dependency no longer have. */
  ragas: {
    version: '0.4.3',
    requirements: ['ragas==0.4.3', 'langchain-community<0.4'],
    megabytes: 800,
    license: 'Apache-2.0',
  },
  ir_measures: {
    version: '0.4.3',
    requirements: ['ir-measures==0.4.3'],
    megabytes: 150,
    license: 'Apache-2.0',
  },
  lightrag: { version: '1.5.7', requirements: ['lightrag-hku[api]==1.5.7'], megabytes: 700, license: 'MIT' },
  llamaindex: {
    version: '0.14.25',
    requirements: ['llama-index-core==0.14.25', 'llama-index-retrievers-bm25==0.8.0'],
    megabytes: 450,
    license: 'MIT',
  },
  ray: { version: '2.60.0', requirements: ['ray[default]==2.60.0'], megabytes: 400, license: 'Apache-2.0' },
} as const

export type PythonPeer = keyof typeof PYTHON_PEERS

const WINDOWS = process.platform === 'win32'

/** Finds a peer in the cache, else installs it where `RAG_LADDER_INSTALL_PEERS` allows that. Never rejects: what is missing is a reason. */
export async function pythonPeer(name: PythonPeer): Promise<PeerResult> {
  const { version, requirements, megabytes } = PYTHON_PEERS[name]
  const folder = join(peersCache(), `${name}-${version}`)
  const bin = join(folder, WINDOWS ? 'Scripts' : 'bin')
  const isComplete = join(folder, 'complete')
  if (existsSync(isComplete)) return { bin, version, reason: null }
  if (!mayInstall()) return missingPeer(name, version, megabytes)
  try {
    await rm(folder, { recursive: true, force: true })
    await mkdir(dirname(folder), { recursive: true })
    const options = { timeout: INSTALL_TIMEOUT_MS, windowsHide: true, maxBuffer: 64 * 1024 * 1024 }
    await promisify(execFile)(WINDOWS ? 'python' : 'python3', ['-m', 'venv', folder], options)
    const pip = ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', '--disable-pip-version-check']
    await promisify(execFile)(join(bin, 'python'), [...pip, ...requirements], options)
    await writeFile(isComplete, `${requirements.join('\n')}\n`)
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
