import { spawn } from 'node:child_process'
import { BackendUnavailableError } from './recogniser.ts'

const KEPT_ERRORS = 1000

const PACKAGES = 'pocketsphinx pocketsphinx-en-us'

/**
 * What one of the Sphinx programs prints. Killed when the signal aborts; rejects with its reason, and with `BackendUnavailableError`, which names
 * Debian's packages, where it is not installed.
 */
export async function runSphinx(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const onAbort = () => child.kill('SIGKILL')
  signal.addEventListener('abort', onAbort, { once: true })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-KEPT_ERRORS)))
  try {
    const [code, killedBy] = await new Promise<[number | null, string | null]>((resolve, reject) => {
      child.once('close', (exitCode, exitSignal) => resolve([exitCode, exitSignal]))
      child.once('error', reject)
    })
    signal.throwIfAborted()
    if (code === 0) return output
    throw new Error(`${program} ended with ${killedBy ?? code}: ${errors.trim()}`)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    throw new BackendUnavailableError(`${program} is not installed; on Debian: apt-get install ${PACKAGES}`, { cause })
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
