// Finds answer, passages, tokens and failures in the reply of any service, by the paths of its mapping.
import type { ReplyMapping, MARKERS } from '../../contract/manifests/own-presets.ts'
import { isRecord, jsonIn } from '../json.ts'
import { serviceText } from '../known-secrets.ts'
import { MOST_TOKENS } from '../received-completion.ts'
import { answerOf, OwnApproachError, type OwnPassage, type OwnReply } from './own-reply.ts'

interface Found {
  values: unknown[]
  /** True where a field on the way is missing or null: an empty list has none of that. */
  isMissing: boolean
}

const STEP = /\[([^\]]*)\]|[^.[\]]+/g

/** All values at a path: `sources[].text` are the texts of all entries. */
export function valuesAt(value: unknown, path: string): Found {
  let values = [value]
  let isMissing = false
  for (const [step, inner] of path.matchAll(STEP)) {
    const next = values.flatMap((each) => (inner === undefined ? fieldOf(each, step) : entriesOf(each, inner)))
    const present = next.filter((each) => each !== undefined && each !== null)
    isMissing ||= present.length < next.length
    values = present
  }
  return { values, isMissing }
}

const fieldOf = (value: unknown, name: string): unknown[] => [
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined,
]

function entriesOf(value: unknown, inner: string): unknown[] {
  const [name = '', wanted] = inner.split('=')
  if (wanted !== undefined)
    return (Array.isArray(value) ? value : [value]).filter((each) => isRecord(each) && String(each[name]) === wanted)
  if (inner !== '') return [Array.isArray(value) ? value.at(Number(inner)) : undefined]
  if (Array.isArray(value)) return value
  // Some servers key their passages by id.
  return isRecord(value) ? Object.values(value) : [undefined]
}

/** The first of several paths at which something is. */
function firstAt(value: unknown, paths: string | readonly string[]): Found {
  const found = [paths].flat().map((path) => valuesAt(value, path))
  return found.find(({ values }) => values.length > 0) ?? found.find(({ isMissing }) => !isMissing) ?? found[0]!
}

/** A body that is JSON, or a stream of JSON: then `{ events: [...] }`, with `part` and `value` of lines such as `0:"text"`. Undefined for neither. */
export function replyBody(text: string): unknown {
  const whole = jsonIn(text.replace(/^\uFEFF/, ''))
  if (whole !== undefined) return whole
  const events = text.split(/\r\n|\n|\r/).flatMap((line) => {
    const [, part, rest] = /^(\d):(.*)$/.exec(line) ?? []
    if (part !== undefined) return { part, value: jsonIn(rest!) ?? rest }
    return jsonIn(line.replace(/^data: ?/, '')) ?? []
  })
  return events.length === 0 ? undefined : { events }
}

const isSet = (value: unknown): boolean =>
  !(value === false || value === 0 || value === '' || value === '0') &&
  !(typeof value === 'object' && value !== null && Object.keys(value).length === 0)

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : isRecord(value) && 'message' in value
      ? String(value['message'])
      : JSON.stringify(value)

/** Returns what a service reports as wrong in a reply of any status; null where nothing is. */
export function failureIn(body: unknown, { error }: Pick<ReplyMapping, 'error'>): string | null {
  const path = error.find((each) => valuesAt(body, each).values.some(isSet))
  if (path === undefined) return null
  const said = textOf(valuesAt(body, path).values.find(isSet))
  const more = ['message', 'error_msg']
    .flatMap((name) => valuesAt(body, name).values)
    .find((each) => typeof each === 'string')
  return serviceText(`${path}: ${said}${more === undefined || more === said ? '' : ` (${textOf(more)})`}`, 300)
}

const SIGNS: Record<(typeof MARKERS)[number], RegExp> = {
  id: /\s?\[ID:\s?\d+\]/g,
  doc: /\s?\[doc\d+\]/g,
  number: /\s?\[\d+(?:,\s?\d+)*\]/g,
  references: /\n+(?:#{1,6} |\*\*)?References:?(?:\*\*)?:?[ \t]*\n[\s\S]*$/i,
}

const withoutMarkers = (answer: string, markers: ReplyMapping['markers']): string =>
  markers.reduce((text, marker) => text.replace(SIGNS[marker], ''), answer).trim()

/** The reply of a service by its mapping. Throws `OwnApproachError` with the path at which something is wrong. */
export function mappedReply(body: unknown, mapping: ReplyMapping): OwnReply {
  const failure = failureIn(body, mapping)
  const { nothing_found: nothing } = mapping
  if (failure !== null && nothing !== null && mapping.answer === null && failure.includes(nothing))
    return { answer: null, contexts: [], usage: null }
  if (failure !== null) throw new OwnApproachError('failed', `the service reports a failure in its reply, ${failure}`)
  const { usage } = mapping
  const count = (path: string | undefined): number | null => {
    const [value] = path === undefined ? [] : valuesAt(body, path).values
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : null
  }
  const [prompt, completion] = [count(usage?.prompt), count(usage?.completion)]
  return {
    ...(mapping.answer === null ? { answer: null } : answerIn(body, mapping.answer, mapping)),
    contexts: passagesIn(body, mapping.contexts),
    usage: prompt === null || completion === null ? null : { prompt, completion },
  }
}

function answerIn(
  body: unknown,
  paths: string | readonly string[],
  mapping: ReplyMapping,
): ReturnType<typeof answerOf> {
  const texts = [paths].flat().map((path) => valuesAt(body, path).values.filter((each) => typeof each === 'string'))
  const raw = (texts.find((found) => found.length > 0) ?? []).join('')
  if (raw === '') throw new OwnApproachError('failed', `the reply has no text at ${[paths].flat().join(', ')}`)
  const { error_prefix: prefix } = mapping
  if (prefix !== null && raw.startsWith(prefix))
    throw new OwnApproachError('failed', `the answer is a failure: ${serviceText(raw, 300)}`)
  const found = answerOf(raw)
  return { ...found, answer: withoutMarkers(found.answer, mapping.markers) }
}

function passagesIn(body: unknown, contexts: ReplyMapping['contexts']): OwnPassage[] | null {
  if (contexts === null) return null
  const { values: entries, isMissing } = firstAt(body, contexts.list)
  if (entries.length === 0 && isMissing) {
    if (contexts.missing === 'none') return []
    throw new OwnApproachError(
      'failed',
      `the reply has no passages at ${[contexts.list].flat().join(', ')}: ask the service for them (body), correct the path, or set reply.contexts.missing to none if that means that nothing was found`,
    )
  }
  const found = entries.flatMap((entry) => {
    const texts = firstAt(entry, contexts.text).values
    const paired = (paths: string | readonly string[] | undefined): unknown[] => {
      const values = paths === undefined ? [] : firstAt(entry, paths).values
      return values.length === texts.length ? values : texts.map(() => values[0])
    }
    const [titles, documents, scores] = [contexts.title, contexts.document, contexts.score].map(paired)
    return texts.flatMap((text, at) =>
      typeof text === 'string' && text.trim() !== ''
        ? { text, ...named(titles![at], documents![at]), score: typeof scores![at] === 'number' ? scores![at] : null }
        : [],
    )
  })
  if (entries.length > 0 && found.length === 0)
    throw new OwnApproachError(
      'failed',
      `the passages at ${[contexts.list].flat().join(', ')} have no text at ${[contexts.text].flat().join(', ')}: ask the service for it (body), or correct the path`,
    )
  // A passage that two parts of an answer cite is one passage.
  return [...new Map(found.map((each) => [`${each.document}\n${each.text}`, each])).values()]
}

function named(title: unknown, document: unknown): { title: string; document: string | null } {
  const id = typeof document === 'string' || typeof document === 'number' ? String(document) : null
  return { title: typeof title === 'string' && title !== '' ? title : (id ?? 'passage'), document: id }
}
