// Some services repeat the request's credential in an error body, and the text of a service is kept in evidence, events and logs. So every
// credential that this process holds is registered here once, and every text from a service passes `withoutSecrets` before it is stored,
// emitted or printed. The registry belongs to the process: a secret that the process knows is a secret for each of its runs.
import { isCredentialName } from './credential-names.ts'

/** Replaces a credential. */
const REMOVED_SECRET = '[secret removed]'

/** Texts of services longer than this are cut before they are stored. */
export const MAX_SERVICE_TEXT = 2000

/** Shorter values would also match ordinary words; they are recognized only after `Bearer`. */
const MIN_LENGTH = 6

/** Values that people set where a service asks for any key at all. */
const PLACEHOLDERS =
  /^(?:\d{1,11}|ollama|lm-studio|not-needed|no-key|dummy|dummy-key|empty|placeholder|unused|nothing|anything|changeme|default|secret|password|bearer|string|api-key|api_key|localhost|openai|litellm)$/i

/** A file that holds a credential is none itself. */
const PATH = /^(?:[A-Za-z]:)?(?:[/\\][\w .-]+)+$/

const known = new Set<string>()
/** Those of them that this program made for its own processes. */
const made = new Set<string>()
let pattern: RegExp | null = null

/** Registers credentials; null and empty ones are ignored. */
export function rememberSecrets(...secrets: readonly (string | null | undefined)[]): void {
  for (const secret of secrets) {
    if (secret === null || secret === undefined || secret.trim() === '' || known.has(secret)) continue
    known.add(secret)
    pattern = null
  }
}

/** Registers credentials that this program made for its own processes: they open nothing elsewhere. Empty ones are ignored. */
export function rememberMadeSecrets(...secrets: readonly string[]): void {
  rememberSecrets(...secrets)
  for (const secret of secrets) made.add(secret)
}

/** Every registered credential that a person or a service gave. */
export const givenSecrets = (): string[] => [...known].filter((secret) => !made.has(secret))

/** Registers the values of the variables that are named like credentials, such as `OPENAI_API_KEY`. */
export function rememberSecretsOf(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(env))
    if (isCredentialName(name) && !PATH.test(value ?? '')) rememberSecrets(value)
}

/** The text with each known credential replaced, whether it is plain, after `Bearer`, URL-encoded, in JSON or in base64. */
export function withoutSecrets(text: string): string {
  if (known.size === 0) return text
  pattern ??= patternOf(known)
  return text.replace(pattern, REMOVED_SECRET)
}

/** Returns true when the text holds a known credential in one of these forms. */
export function holdsSecret(text: string): boolean {
  return withoutSecrets(text) !== text
}

/** A JSON value with each known credential in its texts replaced; the same object where there is none. */
export function valueWithoutSecrets<Value>(value: Value): Value {
  if (known.size === 0) return value
  const text = JSON.stringify(value)
  const clean = withoutSecrets(text)
  return clean === text ? value : (JSON.parse(clean) as Value)
}

/** The text of a service, as it may be stored: without credentials, and not longer than `limit` characters. */
export function serviceText(text: string, limit = MAX_SERVICE_TEXT): string {
  // Cut roughly first: the replacement must not scan megabytes, and a credential must not be halved by the final cut.
  const clean = withoutSecrets(text.slice(0, limit * 4)).toWellFormed()
  return clean.length <= limit ? clean : `${clean.slice(0, limit).toWellFormed()}…`
}

function patternOf(secrets: Iterable<string>): RegExp {
  const forms = new Set<string>()
  for (const secret of secrets) {
    const isPlain = secret.length >= MIN_LENGTH && !PLACEHOLDERS.test(secret)
    forms.add(escaped(`Bearer ${secret}`) + (isPlain ? '' : '(?![A-Za-z0-9])'))
    if (!isPlain) continue
    const encoded = encodeURIComponent(secret.toWellFormed())
    const inJson = JSON.stringify(secret).slice(1, -1)
    for (const form of [
      secret,
      encoded,
      encoded.replace(/%../g, (code) => code.toLowerCase()),
      inJson,
      inJson.replaceAll('/', '\\/'),
    ])
      forms.add(escaped(form))
    for (const form of base64Forms(secret)) forms.add(escaped(form))
  }
  // The longest first, so that no part of a longer form is left over.
  return new RegExp([...forms].toSorted((a, b) => b.length - a.length).join('|'), 'g')
}

const escaped = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The text as bytes of UTF-8. */
const bytesOf = (text: string): number[] =>
  [...encodeURIComponent(text.toWellFormed()).matchAll(/%(..)|[^%]/g)].map(([char, code]) =>
    code === undefined ? char.charCodeAt(0) : Number.parseInt(code, 16),
  )

/** Six bits give a character; the last ones are filled up with zeros. */
function base64Url(bytes: readonly number[]): string {
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,6}/g) ?? []).map((six) => ALPHABET[Number.parseInt(six.padEnd(6, '0'), 2)]).join('')
}

/**
 * The characters that a secret gives inside any base64 text, such as `Basic base64("user:" + secret)`: one form for each of the three ways
 * in which its bytes can fall on groups of six bits, without the characters at the ends that neighbours share.
 */
function base64Forms(secret: string): string[] {
  const bytes = bytesOf(secret)
  return [0, 1, 2].flatMap((offset) => {
    const text = base64Url([...Array<number>(offset).fill(0), ...bytes])
    const from = Math.ceil((offset * 8) / 6)
    const core = text.slice(from, Math.floor(((offset + bytes.length) * 8) / 6))
    // Six bytes of a secret give eight characters; fewer would match by chance.
    return core.length < 7 ? [] : [core, core.replaceAll('-', '+').replaceAll('_', '/')]
  })
}

/** Forgets every secret; for tests. */
export function forgetSecrets(): void {
  known.clear()
  made.clear()
  pattern = null
}
