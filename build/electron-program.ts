import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { officialElectron, programIn } from './e2e/electron-runtime.ts'

export type Fetched = { ok: true; program: string } | { ok: false; reason: string }

/** A mirror that sends nothing any more must not hold the start up for ever. */
const FETCH_TIMEOUT_MS = 300_000

/** Returns what a person can do something about, out of the installer's stack traces. */
function reasonOf(stderr: string): string {
  const line = stderr.split('\n').find((text) => /^\w*Error\b/.test(text)) ?? stderr.split('\n')[0]!
  const reason = line.replace(/^\w*Error:\s*/, '').trim()
  // The two that fetch has no words for.
  if (reason === 'fetch failed') return 'the server of its releases cannot be reached from here'
  if (reason === 'terminated') return 'the connection broke off'
  return reason === '' ? 'its installer ended without a word' : reason
}

/**
 * Fetches Electron's binary into the installed package, by the package's own installer, which checks it against the package's checksums.
 * `env` may name a mirror as the installer knows it (ELECTRON_MIRROR).
 */
export async function fetchElectron(root = process.cwd(), env = process.env): Promise<Fetched> {
  const installer = join(root, 'node_modules/electron/install.js')
  const { isGood, stderr } = await new Promise<{ isGood: boolean; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [installer], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env,
      timeout: FETCH_TIMEOUT_MS,
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.on('error', ({ message }) => resolve({ isGood: false, stderr: message }))
    child.on('close', (code, signal) =>
      resolve({ isGood: code === 0, stderr: signal === null ? stderr : `no end within ${FETCH_TIMEOUT_MS / 1000} s` }),
    )
  })
  const program = officialElectron(root)
  return isGood && program !== null ? { ok: true, program } : { ok: false, reason: reasonOf(stderr) }
}

/** The Electron to open a window with: the one that is named, the installed one, else it is fetched once, which `report` announces. */
export async function electronProgram(report: (text: string) => void): Promise<string | null> {
  const named = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (named !== undefined && named !== '') return programIn(named)
  const there = officialElectron()
  if (there !== null) return there
  report('Electron is fetched; this happens once')
  const fetched = await fetchElectron()
  if (fetched.ok) return fetched.program
  report(`Electron could not be fetched: ${fetched.reason}`)
  return null
}
