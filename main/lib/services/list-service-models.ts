// Lists the models of a service, the first step of every test of a connection, and says what to do about a failure. The request has a deadline of
// its own, follows no redirect (a key must not leave its address) and is neither repeated nor cached.
import {
  connectionKind,
  connectionOfStoredKey,
  type ConnectionKind,
} from '../../../contract/manifests/model-connections.ts'
import type { ModelProbe } from '../../../contract/control/models.ts'
import { durationWords, plural } from '../../../contract/words.ts'
import { createHttpClient, HttpFault, type HttpAnswer } from '../../../core/http/http-client.ts'
import { askedPauseMs } from '../../../core/http/pauses.ts'
import { saidIn } from '../../../core/http/said.ts'
import { isRecord, messageOf } from '../../../core/json.ts'
import { serviceText } from '../../../core/known-secrets.ts'
import { WRONG_ADDRESS } from '../../../core/model-remedies.ts'
import { remedyFor } from '../../../core/remedy.ts'

/** A service and the key that it gets. */
export interface AskedService {
  kind: ConnectionKind
  baseUrl: string
  key: string | null
  /** Variable that holds the key, for the remedy. */
  keyName: string | null
  timeoutMs: number
  signal?: AbortSignal | undefined
}

export interface ListedModels {
  probe: ModelProbe
  /** Names of all models that the service lists. */
  models: string[]
  /** Every further request would fail in the same way. */
  isUnreachable: boolean
}

/** More than any of these answers has. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const SHOWN_CHARACTERS = 300

/** Asks a service for its models. Never rejects for what the service does. */
export async function listServiceModels(asked: AskedService): Promise<ListedModels> {
  const address = addressOf(asked)
  const { key, kind, signal, timeoutMs } = asked
  const client = createHttpClient(key === null ? {} : { authorization: `Bearer ${key}` })
  const headers = key === null ? undefined : connectionKind(kind).listHeaders?.(key)
  const started = performance.now()
  const probe = (found: Pick<ModelProbe, 'status' | 'finding' | 'error' | 'remedy'>): ModelProbe => ({
    probe: 'models',
    roles: [],
    model: null,
    latency_ms: Math.round(performance.now() - started),
    ...found,
  })
  const failed = (error: string, remedy: string, isUnreachable = false): ListedModels => ({
    probe: probe({ status: 'failed', finding: null, error, remedy }),
    models: [],
    isUnreachable,
  })
  try {
    const call = { signal, timeoutMs, limitBytes: MAX_ANSWER_BYTES }
    const answer = await client.send(address, { ...call, ...(headers === undefined ? {} : { headers }) })
    const { status, isOk, text, json } = answer
    if (!isOk) {
      const reason = saidIn(text).text
      const error = `GET ${address} answered ${status}${reason === '' ? '' : `: ${reason}`}`
      const refused = failed(error, remedyOf(asked, answer, null, reason))
      return status === 429 ? { ...refused, probe: { ...refused.probe, status: 'limited' } } : refused
    }
    if (json === undefined) {
      const what = /^\s*</.test(text) ? 'a web page' : 'no JSON'
      return failed(`GET ${address} answered with ${what}: ${serviceText(text.trim(), 80)}`, WRONG_ADDRESS)
    }
    const data = isRecord(json) ? json['data'] : undefined
    if (!Array.isArray(data))
      return failed(
        `${address} answered JSON without a list "data"`,
        'Check that the address is that of an OpenAI-compatible service, with its version path such as /v1.',
      )
    const models = data.flatMap((each: unknown) =>
      isRecord(each) && typeof each['id'] === 'string' ? [each['id']] : [],
    )
    const found = { status: 'passed', finding: plural(models.length, 'model'), error: null, remedy: null } as const
    return { probe: probe(found), models, isUnreachable: false }
  } catch (error) {
    const problem = unreached(asked, address, error)
    return failed(problem.error, problem.remedy, true)
  }
}

const addressOf = ({ baseUrl }: AskedService): string => `${baseUrl.replace(/\/+$/, '')}/models`

function unreached(
  { kind, timeoutMs }: AskedService,
  address: string,
  error: unknown,
): { error: string; remedy: string } {
  const { label } = connectionKind(kind)
  const { fault, code, reason } =
    error instanceof HttpFault ? error : { fault: null, code: null, reason: messageOf(error) }
  if (fault === 'timeout')
    return {
      error: `GET ${address} did not answer within ${timeoutMs / 1000} s`,
      remedy: `${label} may still be loading the model: test again${remedyFor({ panel: '', commandLine: ', or set a longer --timeout' })}.`,
    }
  if (code === 'ECONNREFUSED')
    return { error: `nothing listens at ${address}`, remedy: `Start ${label}, or correct the address and its port.` }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { error: `the host of ${address} is unknown`, remedy: 'Correct the address, or check the network.' }
  return {
    error: `GET ${address} failed: ${serviceText(reason, SHOWN_CHARACTERS)}`,
    remedy: `Check that ${label} is running and that the address begins with the right scheme, http or https.`,
  }
}

/** Returns what to do about a limit of requests; `waitMs` is the pause that the service asks for. */
export const remedyOfLimit = (waitMs: number | null): string =>
  waitMs === null
    ? 'The limit or the credit of this key is used up: wait, or check the account.'
    : `The service limits its requests: wait ${durationWords(waitMs)}, then test again.`

/** Returns what to do about a service that refused a request; `reason` is its own sentence. */
export function remedyOf(
  { keyName, key, kind }: Pick<AskedService, 'keyName' | 'key' | 'kind'>,
  { status, headers }: Pick<HttpAnswer, 'status' | 'headers'>,
  model: string | null,
  reason: string,
): string {
  if (status >= 300 && status < 400)
    return `The service is at another address: ${serviceText(String(headers['location'] ?? 'not named'), SHOWN_CHARACTERS)}. Use that one.`
  if (status === 401 || status === 403) {
    if (keyName === null)
      return `The service needs a key: store one (${remedyFor({ panel: '', commandLine: 'rag-ladder models key set NAME, or ' })}Store key on the page Models), or name the variable that holds it.`
    const connection = connectionOfStoredKey(keyName)
    if (connection !== null)
      return `Check the stored key of ${connection} and what it is allowed to use. Replace it on the page Models${remedyFor({ panel: '', commandLine: `, or: rag-ladder models key set ${connection}` })}`
    return key === null
      ? `Set ${keyName} to a key of this service.`
      : `Check the key in ${keyName} and what it is allowed to use.`
  }
  if (status === 404 && (model === null || !/model/i.test(reason)))
    return 'The address has no such route: check its path; most services need /v1 at the end.'
  if (status === 404)
    return kind === 'ollama'
      ? `Fetch it with: ollama pull ${model}`
      : `Use one of the models that the service lists instead of ${model}.`
  if (status === 402)
    return 'The account of this key has no credit: add some at the service, or choose a model of another service.'
  if (status === 429) return remedyOfLimit(askedPauseMs(headers))
  if (status >= 500) return 'The service itself failed: its own log names the cause.'
  return 'The service refuses the request: its message names the cause.'
}
