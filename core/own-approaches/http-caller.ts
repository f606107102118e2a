// Asks a service over HTTP as its plan says: one request for one question.
import { randomUUID } from 'node:crypto'
import { httpPlan, variablesIn, type HttpApproach } from '../../contract/manifests/own-approaches.ts'
import { isAccessRefused } from '../http/access-refused.ts'
import { createHttpClient, HttpFault } from '../http/http-client.ts'
import { saidBy } from '../http/said.ts'
import { rememberSecrets } from '../known-secrets.ts'
import { OwnApproachError, type OwnCaller, type OwnQuestion, type OwnReply } from './own-reply.ts'
import { failureIn, mappedReply, replyBody } from './reply.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface HttpCaller extends OwnCaller {
  /** Body of the last reply, to choose paths in; undefined before the first. */
  lastBody(): unknown
}

export function openHttpCaller(approach: HttpApproach, env: Environment): HttpCaller {
  const plan = httpPlan(approach)
  const client = createHttpClient()
  const timeoutMs = approach.timeout_s * 1000
  let last: unknown

  async function ask({ question, budget, signal, settings, k: asked }: OwnQuestion): Promise<OwnReply> {
    const k = 'k' in approach ? (asked ?? approach.k) : null
    const values: Record<string, Filled> = {
      ...approach.settings,
      ...settings,
      question,
      budget,
      k,
      uuid: randomUUID(),
    }
    const url = filled(plan.url, values, encodeURIComponent) as string
    const sent = { json: filled(plan.body, values) as object, headers: headersOf(plan.headers, env), timeoutMs, signal }
    const reply = await client.send(url, { ...sent, headers: { accept: '*/*', ...sent.headers } })
    last = replyBody(reply.text)
    const isRefused = !reply.isOk && isAccessRefused(reply.status, reply.text)
    if (reply.status === 429 && !isRefused) {
      const asked = reply.headers['retry-after']
      const retryAfter = typeof asked === 'string' ? asked : null
      throw new OwnApproachError('rate_limited', `the service limits its calls: ${saidBy(reply).text}`, { retryAfter })
    }
    if (!reply.isOk)
      throw new OwnApproachError(
        isRefused ? 'access_refused' : 'failed',
        `HTTP ${reply.status}: ${failureIn(last, plan.reply) ?? saidBy(reply).text}`,
      )
    if (last === undefined) throw new OwnApproachError('failed', `the reply is not JSON: ${saidBy(reply).text}`)
    return mappedReply(last, plan.reply)
  }

  return {
    lastBody: () => last,
    ask: (question) =>
      ask(question).catch((cause: unknown) => {
        if (!(cause instanceof HttpFault)) throw cause
        throw new OwnApproachError(cause.fault === 'timeout' ? 'timeout' : 'failed', cause.message, { cause })
      }),
    close: () => client.close(),
  }
}

type Filled = string | number | boolean | null

/** Fills `{{name}}` in; a text that is nothing else becomes the value itself, whatever its type. */
function filled(
  value: unknown,
  values: Readonly<Record<string, Filled>>,
  inText: (text: string) => string = String,
): unknown {
  if (typeof value === 'string') {
    const [, whole] = /^\{\{([A-Za-z0-9_.-]+)\}\}$/.exec(value) ?? []
    if (whole !== undefined) return values[whole] ?? null
    return value.replace(/\{\{([A-Za-z0-9_.-]+)\}\}/g, (_, name: string) => inText(String(values[name] ?? '')))
  }
  if (Array.isArray(value)) return value.map((each) => filled(each, values, inText))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, values, inText)]))
}

function headersOf(headers: Readonly<Record<string, string>>, env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => {
      const unset = variablesIn(text).find((variable) => (env[variable] ?? '') === '')
      if (unset !== undefined)
        throw new OwnApproachError(
          'failed',
          `the header ${name} needs ${unset}, which is not set: set it in the environment`,
        )
      const value = text.replace(/\$\{([^}]*)\}/g, (_, variable: string) => env[variable]!)
      rememberSecrets(...variablesIn(text).map((variable) => env[variable]!))
      return [name.toLowerCase(), value]
    }),
  )
}
