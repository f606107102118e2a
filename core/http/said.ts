import { jsonIn, isRecord } from '../json.ts'
import { serviceText } from '../known-secrets.ts'
import type { HttpAnswer } from './http-client.ts'

/** States what a service says is wrong, without credentials, and the field of the request that it names. */
export interface Said {
  text: string
  param: string | null
}

/** The sentence in an answer that is no success, in the form of any known service; else the start of its text. */
export function saidBy({ status, headers, text }: Pick<HttpAnswer, 'status' | 'headers' | 'text'>, limit = 300): Said {
  const location = headers['location']
  if (status < 300 || status > 399 || typeof location !== 'string') return saidIn(text, limit)
  return {
    text: `it redirects to ${serviceText(location, limit)}, which is not followed: use that address`,
    param: null,
  }
}

/** True for a web page: another program is at the address, or a proxy before the service. */
export const isPage = (text: string): boolean => /^\s*</.test(text)

/** Most that is shown of a body in an unknown form, such as the page of a proxy. */
const RAW_CHARS = 200

/** The sentence in an error body. */
export function saidIn(body: string, limit = 300): Said {
  // Gemini answers with a list of errors, Cloudflare with one beside its result.
  const whole = jsonIn(body)
  const json: unknown = Array.isArray(whole) ? whole[0] : whole
  const { error, errors, message: said, detail: listed } = isRecord(json) ? json : {}
  const first = Array.isArray(errors) && isRecord(errors[0]) ? errors[0]['message'] : undefined
  const message = said ?? first
  const detail = isRecord(message) ? message['detail'] : listed
  const nested = isRecord(error) ? error : {}
  const param = typeof nested['param'] === 'string' ? nested['param'] : null
  // Proxies answer with HTML, whose start is all that can be reported.
  const plain = typeof error === 'string' ? error : undefined
  const found = nested['message'] ?? plain ?? (typeof message === 'string' ? message : (detail ?? message))
  if (found === undefined) return { text: serviceText(body.trim(), Math.min(limit, RAW_CHARS)), param }
  return { text: serviceText(typeof found === 'string' ? found.trim() : listedFaults(found), limit), param }
}

/** Returns what FastAPI and Mistral list as wrong, each with its place. */
function listedFaults(found: unknown): string {
  const faults = Array.isArray(found) ? found.map((each: unknown) => (isRecord(each) ? each : {})) : []
  if (faults.length === 0 || faults.some(({ msg }) => typeof msg !== 'string')) return JSON.stringify(found)
  return faults.map(({ msg, loc }) => `${String(msg)}${Array.isArray(loc) ? ` (${loc.join('.')})` : ''}`).join('; ')
}
