import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { z } from 'zod'
import { rememberMadeSecrets } from '../../core/known-secrets.ts'
import { jsonIn } from '../../core/json.ts'
import { readPrivateFile, SecretsError, writePrivateFile } from '../lib/files/private-file.ts'
import { nameNew } from '../lib/files/write-atomic.ts'
import { openStateFolder } from './state-folder.ts'

/** Credentials of the embedded platform, each 32 random bytes. */
export interface PlatformSecrets {
  operatorToken: string
  gatewayKey: string
  rerankAdapterToken: string
  graphEngineKey: string
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

const newSecret = (): string => randomBytes(32).toString('base64url')

/**
 * The secrets of a project, created at the first call: a second process reads what the first one wrote. Throws `SecretsError`, and the
 * system's error when the file cannot be written.
 */
export async function openPlatformSecrets(file: string): Promise<PlatformSecrets> {
  const { operator_token, gateway_key, rerank_adapter_token, graph_engine_key } =
    (await readSecrets(file)) ?? (await createSecrets(file))
  rememberMadeSecrets(operator_token, gateway_key, rerank_adapter_token, graph_engine_key)
  return {
    operatorToken: operator_token,
    gatewayKey: gateway_key,
    rerankAdapterToken: rerank_adapter_token,
    graphEngineKey: graph_engine_key,
  }
}

/** Null when there is no file yet. */
async function readSecrets(file: string): Promise<SecretsFile | null> {
  const text = await readPrivateFile(file, 'to have new ones made')
  return text === null ? null : parseSecrets(file, text)
}

/** No word of the file's content gets into a message. */
function parseSecrets(file: string, text: string): SecretsFile {
  const parsed = SecretsFile.safeParse(jsonIn(text))
  if (parsed.success) return parsed.data
  const problem = 'is not a secrets file of this version. Delete it to have a new one made'
  throw new SecretsError('secrets_invalid', file, problem)
}

async function createSecrets(file: string): Promise<SecretsFile> {
  await openStateFolder(dirname(file))
  const secrets: SecretsFile = {
    version: 1,
    operator_token: newSecret(),
    gateway_key: newSecret(),
    rerank_adapter_token: newSecret(),
    graph_engine_key: newSecret(),
  }
  const text = `${JSON.stringify(secrets, null, 2)}\n`
  const isFirst = await writePrivateFile(file, text, (temporary) => nameNew(temporary, file))
  return isFirst ? secrets : ((await readSecrets(file)) ?? secrets)
}
