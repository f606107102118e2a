import { join } from 'node:path'
import { rowsOf } from '../helpers/ladder-run.ts'
import { startPeer, type RunningPeer } from './running-peer.ts'

/** Credentials of the platform that an n8n of a test works with, and of runs there. */
export const OPERATOR = 'token-of-the-operator'
export const GATEWAY = 'key-of-the-gateway'
export const KEYS = { MATRIX_GATEWAY_API_KEY: GATEWAY, MATRIX_PLATFORM_TOKEN: OPERATOR }

/** Answers and contexts of a run over `smoke`, to be compared with those of another one. */
export async function answersOf(root: string, runId: string) {
  const rows = await rowsOf(join(root, `results/${runId}-smoke-evidence.jsonl`))
  return rows.map(({ status, question, evidence }) => ({
    status,
    question: question.id,
    answer: evidence?.answer,
    contexts: evidence?.contexts,
  }))
}

/** An n8n of a test: its own folder and database, nothing of it calls home. */
export interface N8nOptions {
  bin: string
  folder: string
  port: number
  /** States where its workflow finds the gateway. */
  gateway: { url: string; key: string }
}

export function n8nEnvironment({ folder, port, gateway }: Omit<N8nOptions, 'bin'>): Record<string, string> {
  return {
    // Vitest's own is `test`, in which its commands end without doing anything.
    NODE_ENV: 'production',
    N8N_USER_FOLDER: folder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_RUNNERS_ENABLED: 'false',
    N8N_BLOCK_ENV_ACCESS_IN_NODE: 'false',
    RAG_LADDER_GATEWAY_URL: gateway.url,
    RAG_LADDER_GATEWAY_KEY: gateway.key,
  }
}

export const n8nProgram = (bin: string): string => join(bin, 'n8n')

export const startN8n = async (options: N8nOptions): Promise<RunningPeer> =>
  startPeer(n8nProgram(options.bin), {
    args: () => ['start'],
    env: n8nEnvironment(options),
    healthPath: '/healthz/readiness',
    port: options.port,
  })

/** Makes the owner of a new n8n and keys of its public API, one for each list of scopes, as its pages do. */
export async function n8nApiKeys(
  url: string,
  scopes: Readonly<Record<string, readonly string[]>>,
): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json', 'browser-id': 'peer-test' }
  const send = async (path: string, body: object, more: Record<string, string> = {}): Promise<Response> => {
    const response = await fetch(`${url}/rest${path}`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${await response.text()}`)
    return response
  }
  const owner = { email: 'owner@example.org', firstName: 'Test', lastName: 'Owner', password: 'Long-enough-0' }
  const signedIn = await send('/owner/setup', owner)
  const cookie = signedIn.headers.getSetCookie().map((each) => each.split(';', 1)[0]!)
  const keys: Record<string, string> = {}
  for (const [label, of] of Object.entries(scopes)) {
    const made = await send('/api-keys', { label, scopes: of, expiresAt: null }, { cookie: cookie.join('; ') })
    keys[label] = ((await made.json()) as { data: { rawApiKey: string } }).data.rawApiKey
  }
  return keys
}
