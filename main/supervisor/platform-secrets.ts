import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { link, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { rememberSecrets } from '../lib/known-secrets.ts'
import { openStateFolder } from './state-folder.ts'

/** Credentials of the embedded platform, each 32 random bytes. */
export interface PlatformSecrets {
  operatorToken: string
  gatewayKey: string
  rerankAdapterToken: string
  graphEngineKey: string
}

/** secrets_exposed: others on this machine may read the file. secrets_invalid: it is not what this program wrote. Neither is repaired. */
export class SecretsError extends Error {
  override readonly name = 'SecretsError'
  readonly code: 'secrets_exposed' | 'secrets_invalid'
  readonly file: string

  constructor(code: SecretsError['code'], file: string, problem: string, cause?: unknown) {
    super(`${file}: ${problem}`, { cause })
    this.code = code
    this.file = file
  }
}

const Secret = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'not 32 bytes in base64url')
const SecretsFile = z.strictObject({
  version: z.literal(1),
  operator_token: Secret,
  gateway_key: Secret,
  rerank_adapter_token: Secret,
  graph_engine_key: Secret,
})
type SecretsFile = z.infer<typeof SecretsFile>

const OTHERS = 0o077
const NO_LINKS = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW
const newSecret = (): string => randomBytes(32).toString('base64url')

/**
 * The secrets of a project, created at the first call: a second process reads what the first one wrote. Throws `SecretsError`, and the
 * system's error when the file cannot be written.
 */
export async function openPlatformSecrets(file: string): Promise<PlatformSecrets> {
  const { operator_token, gateway_key, rerank_adapter_token, graph_engine_key } =
    (await readSecrets(file)) ?? (await createSecrets(file))
  rememberSecrets(operator_token, gateway_key, rerank_adapter_token, graph_engine_key)
  return {
    operatorToken: operator_token,
    gatewayKey: gateway_key,
    rerankAdapterToken: rerank_adapter_token,
    graphEngineKey: graph_engine_key,
  }
}

/** Null when there is no file yet. */
async function readSecrets(file: string): Promise<SecretsFile | null> {
  // A link could lead to a file that others may read or choose.
  const handle = await open(file, constants.O_RDONLY | NO_LINKS).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'ELOOP')
      throw new SecretsError('secrets_exposed', file, 'is a symbolic link; secrets are not read through one')
    throw error
  })
  if (handle === null) return null
  try {
    refuseExposed(file, await handle.stat())
    return parseSecrets(file, await handle.readFile('utf8'))
  } finally {
    await handle.close()
  }
}

function refuseExposed(file: string, { mode, uid }: Stats): void {
  // Windows keeps no such modes: there the folder's access list decides.
  if (process.platform === 'win32') return
  if (uid !== process.getuid?.())
    throw new SecretsError(
      'secrets_exposed',
      file,
      'belongs to another user, who knows the secrets in it. Delete it to have new ones made',
    )
  if ((mode & OTHERS) === 0) return
  const shown = (mode & 0o777).toString(8).padStart(4, '0')
  throw new SecretsError(
    'secrets_exposed',
    file,
    `has mode ${shown}, so others may have read the secrets. Delete it to have new ones made, or set mode 0600`,
  )
}

/** No word of the file's content gets into a message. */
function parseSecrets(file: string, text: string): SecretsFile {
  const invalid = (cause?: unknown): SecretsError =>
    new SecretsError(
      'secrets_invalid',
      file,
      'is not a secrets file of this version. Delete it to have a new one made',
      cause,
    )
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw invalid()
  }
  const parsed = SecretsFile.safeParse(json)
  if (parsed.success) return parsed.data
  throw invalid()
}

async function createSecrets(file: string): Promise<SecretsFile> {
  const folder = dirname(file)
  await openStateFolder(folder)
  const secrets: SecretsFile = {
    version: 1,
    operator_token: newSecret(),
    gateway_key: newSecret(),
    rerank_adapter_token: newSecret(),
    graph_engine_key: newSecret(),
  }
  const temporary = join(folder, `.${basename(file)}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`)
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(secrets, null, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    return (await publish(temporary, file)) ? secrets : ((await readSecrets(file)) ?? secrets)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Gives the finished file its name unless another process was first: then false. */
async function publish(temporary: string, file: string): Promise<boolean> {
  try {
    await link(temporary, file)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    // File systems without hard links: the last of two simultaneous first starts wins there.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error
    await rename(temporary, file)
    return true
  }
}
