import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { isProjectLimit, MOST_ENV_FILE_BYTES } from '../../../contract/settings/project-limits.ts'
import { VARIABLES, type VariableName } from '../../../contract/settings/variables.ts'
import { isFileTrusted } from '../../lib/trust/trusted-files.ts'
import { withConnections } from '../models/connections.ts'
import { CONSUMER_FILE } from '../experiment.ts'
import { parseYaml } from '../load-manifest.ts'
import { remedyFor } from '../../../core/remedy.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Lists what a file never sets, also one that is trusted: how programs are loaded, and what this program decides per person. */
const NEVER =
  /^(?:NODE_|LD_|DYLD_|ELECTRON_|GIT_|NPM_|(?:PATH|HOME|SHELL|IFS|RAG_LADDER_TRUSTED_ADDRESSES|RAG_LADDER_USER_DIR)$)/i

const isInternal = (name: string): boolean =>
  Object.hasOwn(VARIABLES, name) && VARIABLES[name as VariableName].by === 'internal'

/** The env file that consumer.yaml names; null where it names none, or none that is in the project. */
function envFileOf(root: string): string | null {
  try {
    const manifest = parseYaml(CONSUMER_FILE, readFileSync(resolve(root, CONSUMER_FILE), 'utf8')) as {
      env_file?: unknown
    } | null
    const name = manifest?.env_file
    if (typeof name !== 'string' || isAbsolute(name) || name.split(/[/\\]/).includes('..')) return null
    const file = resolve(root, name)
    return existsSync(file) ? file : null
  } catch {
    // The manifest's own problems are reported where it is read as a whole.
    return null
  }
}

/**
 * The environment with what the project's env file sets where the environment does not. Without the person's trust the file sets limits of the platform
 * only, which the platform reads itself; `warn` gets one message that names the rest and how to allow it. Decision 057.
 */
function withEnvFile<Env extends Environment>(root: string, env: Env, warn: (message: string) => void): Env {
  const file = envFileOf(root)
  if (file === null) return env
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    warn(`${file} is not used: it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`)
    return env
  }
  if (bytes.length > MOST_ENV_FILE_BYTES) {
    warn(`${file} is not used: it is larger than ${MOST_ENV_FILE_BYTES} bytes`)
    return env
  }
  const entries = Object.entries(parseEnv(bytes.toString('utf8'))).filter(([name]) => !isProjectLimit(name))
  if (isFileTrusted(file, bytes, env)) {
    const used = entries.filter(([name]) => !NEVER.test(name) && !isInternal(name) && (env[name] ?? '') === '')
    return used.length === 0 ? env : { ...env, ...Object.fromEntries(used) }
  }
  // Variables of other programs in such a file are theirs.
  const ignored = entries.map(([name]) => name).filter((name) => Object.hasOwn(VARIABLES, name))
  if (ignored.length > 0)
    warn(
      `${file}: ${ignored.join(', ')} ${ignored.length === 1 ? 'is' : 'are'} ignored, because a project may come from anyone. Set them in the environment${remedyFor({ panel: '', commandLine: `, or allow this file as it is now: rag-ladder trust ${file}` })}`,
    )
  return env
}

/** Everything that files of a project fill in: its env file, then the addresses of services. Throws `ManifestError`. */
export const projectEnvironment = <Env extends Environment>(
  root: string,
  env: Env,
  warn: (message: string) => void,
): Promise<Env> => withConnections(root, withEnvFile(root, env, warn), warn)
