import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenLocally } from './local-server.ts'

// A Weaviate server as far as the vector store uses it: schema, aliases, batches, objects and three GraphQL searches. It checks names, keys and
// queries as Weaviate does, and computes BM25, cosine distance and fusion by itself.

interface Stored {
  id: string
  properties: Record<string, string | number>
  vector?: number[]
}

/** Describes what requests hold: of a class, of a batch, of an alias, of a query. */
interface Body extends Record<string, unknown> {
  class: string
  alias: string
  objects: (Stored & { class: string })[]
  query: string
}

interface Class {
  definition: Record<string, unknown>
  objects: Map<string, Stored>
}

type Value = string | number | Value[] | { [name: string]: Value }

export interface FakeWeaviate {
  url: string
  /** Names of all classes. */
  classes(): string[]
  /** The next batch stores all but its first object, with status 200, as Weaviate does. */
  refuseOneObject(reason: string): void
  close(): Promise<void>
}

export async function startFakeWeaviate(options: { version?: string; apiKey?: string } = {}): Promise<FakeWeaviate> {
  const { version = '1.33.0', apiKey } = options
  const hasAliases = Number(version.split('.')[1]) >= 32
  const classes = new Map<string, Class>()
  const aliases = new Map<string, string>()
  let refusal: string | null = null

  const error = (status: number, message: string) => ({ status, body: { error: [{ message }] } })
  const classOf = (name: string): Class | undefined => classes.get(aliases.get(name) ?? name)

  function answer(
    method: string,
    path: string,
    query: URLSearchParams,
    body: Body,
  ): { status: number; body?: unknown } {
    const [kind, name] = path.split('/').slice(2)
    switch (`${method} ${kind}`) {
      case 'GET meta':
        return { status: 200, body: { version } }
      case 'GET .well-known':
        return { status: 200 }
      case 'GET schema': {
        const all = [...classes.values()].map(({ definition }) => definition)
        if (name === undefined) return { status: 200, body: { classes: all } }
        const found = classes.get(name)
        return found === undefined ? { status: 404 } : { status: 200, body: found.definition }
      }
      case 'POST schema':
        if (!/^[A-Z]\w*$/.test(body.class)) return error(422, `'${body.class}' is not a valid class name`)
        if (classes.has(body.class)) return error(422, `class name ${body.class} already exists`)
        classes.set(body.class, { definition: body, objects: new Map() })
        return { status: 200, body }
      case 'DELETE schema':
        classes.delete(name!)
        return { status: 200 }
      case 'POST batch':
        return {
          status: 200,
          body: body.objects.map((object) => {
            const message = refusal ?? vectorProblem(classes.get(object.class)!, object)
            refusal = null
            if (message !== null) return { ...object, result: { status: 'FAILED', errors: { error: [{ message }] } } }
            classes.get(object.class)!.objects.set(object.id, object)
            return { ...object, result: { status: 'SUCCESS' } }
          }),
        }
      case 'GET objects': {
        const sorted = [...classes.get(query.get('class')!)!.objects.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
        const from = sorted.findIndex(({ id }) => id > (query.get('after') ?? ''))
        const page = from < 0 ? [] : sorted.slice(from, from + Number(query.get('limit')))
        const withVectors = query.get('include') === 'vector'
        return {
          status: 200,
          body: { objects: page.map(({ vector, ...object }) => (withVectors ? { ...object, vector } : object)) },
        }
      }
      case 'POST graphql':
        try {
          return { status: 200, body: { data: evaluate(body.query, classOf) } }
        } catch (cause) {
          return { status: 200, body: { data: null, errors: [{ message: (cause as Error).message }] } }
        }
    }
    // A route that the server does not have.
    if (kind !== 'aliases' || !hasAliases)
      return { status: 404, body: { code: 404, message: `path ${path} was not found` } }
    if (method === 'GET' && name === undefined)
      return { status: 200, body: { aliases: [...aliases].map(([alias, target]) => ({ alias, class: target })) } }
    if (method === 'POST') {
      if (!classes.has(body.class)) return error(422, `class ${body.class} does not exist`)
      if (aliases.has(body.alias)) return error(422, `alias ${body.alias} already exists`)
      aliases.set(body.alias, body.class)
      return { status: 200, body }
    }
    if (!aliases.has(name!)) return error(404, `alias ${name} not found`)
    if (method === 'PUT') {
      if (!classes.has(body.class)) return error(422, `class ${body.class} does not exist`)
      aliases.set(name!, body.class)
    }
    if (method === 'DELETE') aliases.delete(name!)
    return method === 'DELETE' ? { status: 204 } : { status: 200, body: { alias: name, class: aliases.get(name!) } }
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, 'http://fake')
    const text = await bodyOf(request)
    const isAllowed = apiKey === undefined || request.headers.authorization === `Bearer ${apiKey}`
    const { status, body } = isAllowed
      ? answer(request.method!, pathname, searchParams, JSON.parse(text === '' ? '{}' : text) as Body)
      : { status: 401, body: { code: 401, message: 'anonymous access not enabled, please provide an auth scheme' } }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? '' : JSON.stringify(body))
  }
  const server = createServer((request, response) => void respond(request, response))
  return {
    ...(await listenLocally(server)),
    classes: () => [...classes.keys()],
    refuseOneObject: (reason) => void (refusal = reason),
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += String(part)
  return text
}

/** All vectors of a class have the length of the first. */
function vectorProblem({ objects }: Class, { vector }: Stored): string | null {
  const before = [...objects.values()].find((object) => object.vector !== undefined)?.vector
  if (vector === undefined || before === undefined || before.length === vector.length) return null
  return `vector lengths don't match: new node has ${vector.length} dimensions, existing nodes have ${before.length}`
}

function evaluate(query: string, classOf: (name: string) => Class | undefined): unknown {
  const [, verb, name, rest] = /^\{ (Get|Aggregate) \{ (\w+)(.*)$/s.exec(query) ?? []
  if (verb === undefined) throw new Error(`Syntax Error: ${query.slice(0, 80)}`)
  const found = classOf(name!)
  if (found === undefined) throw new Error(`Cannot query field "${name!}" on type "GetObjectsObj"`)
  const objects = [...found.objects.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  const given = rest!.startsWith('(') ? parseArguments(rest!.slice(1)) : {}
  if (verb === 'Aggregate') {
    const { where } = given as { where?: { path: string[]; valueText: string } }
    const holds = ({ properties }: Stored): boolean =>
      where === undefined || tokens(properties[where.path[0]!] as string).includes(where.valueText.toLowerCase())
    return { Aggregate: { [name!]: [{ meta: { count: objects.filter(holds).length } }] } }
  }
  const hits = searched(objects, given as unknown as Search).slice(0, (given as unknown as Search).limit)
  return {
    Get: {
      [name!]: hits.map(({ object, score, distance }) => ({
        ...object.properties,
        _additional: { score: score === undefined ? '0' : String(score), distance: distance ?? null },
      })),
    },
  }
}

interface Search {
  limit: number
  nearVector?: { vector: number[] }
  bm25?: { query: string; properties: string[] }
  hybrid?: { query: string; alpha?: number; vector?: number[]; properties: string[]; fusionType?: string }
}

interface Hit {
  object: Stored
  score?: number
  distance?: number
}

function searched(objects: readonly Stored[], { nearVector, bm25, hybrid }: Search): Hit[] {
  if (nearVector !== undefined) return nearest(objects, nearVector.vector)
  if (bm25 !== undefined) return matches(objects, bm25.query, bm25.properties)
  if (hybrid === undefined) throw new Error('no search operator')
  const { alpha = 0.75, vector, query, properties, fusionType = 'relativeScoreFusion' } = hybrid
  if (alpha > 0 && vector === undefined) throw new Error('no vectorizer: a vector is required')
  const legs = [
    {
      weight: alpha,
      hits: alpha > 0 ? nearest(objects, vector!).map((hit) => ({ ...hit, score: 1 - hit.distance })) : [],
    },
    { weight: 1 - alpha, hits: alpha < 1 ? matches(objects, query, properties) : [] },
  ]
  const fused = new Map<Stored, number>()
  for (const { weight, hits } of legs) {
    const scores = hits.map(({ score }) => score!)
    const [low, high] = [Math.min(...scores), Math.max(...scores)]
    hits.forEach(({ object, score }, rank) => {
      const relative = high === low ? 1 : (score! - low) / (high - low)
      const share = fusionType === 'rankedFusion' ? 1 / (rank + 60) : relative
      fused.set(object, (fused.get(object) ?? 0) + weight * share)
    })
  }
  return [...fused].map(([object, score]) => ({ object, score })).sort((a, b) => b.score - a.score)
}

function nearest(objects: readonly Stored[], vector: readonly number[]): (Hit & { distance: number })[] {
  const length = (values: readonly number[]): number => Math.hypot(...values)
  return objects
    .filter((object) => object.vector !== undefined)
    .map((object) => {
      const dot = object.vector!.reduce((sum, value, index) => sum + value * vector[index]!, 0)
      return { object, distance: 1 - dot / (length(object.vector!) * length(vector)) }
    })
    .sort((a, b) => a.distance - b.distance)
}

const tokens = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

function matches(objects: readonly Stored[], query: string, properties: readonly string[]): Hit[] {
  if (query === '') throw new Error('bm25: query cannot be empty')
  const texts = objects.map((object) => properties.flatMap((name) => tokens(String(object.properties[name]))))
  const mean = texts.reduce((sum, text) => sum + text.length, 0) / texts.length
  const scoreOf = (text: string[]): number =>
    [...new Set(tokens(query))].reduce((sum, term) => {
      const holding = texts.filter((other) => other.includes(term)).length
      const count = text.filter((token) => token === term).length
      const idf = Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5))
      return sum + (idf * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * text.length) / mean))
    }, 0)
  return objects
    .map((object, index) => ({ object, score: scoreOf(texts[index]!) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
}

/** The arguments of a GraphQL field, from after their opening bracket. Throws for what is no GraphQL value. */
function parseArguments(text: string): Record<string, Value> {
  const parts = text.match(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\w+|[[\]{}():]/gi) ?? []
  let at = 0
  const take = (): string => parts[at++] ?? ''
  const fields = (end: string): Record<string, Value> => {
    const read: Record<string, Value> = {}
    for (let name = take(); name !== end; name = take()) {
      if (take() !== ':') throw new Error(`Syntax Error: Expected ":" after ${name}`)
      read[name] = value(take())
    }
    return read
  }
  const value = (part: string): Value => {
    if (part === '{') return fields('}')
    if (part === '[') {
      const list: Value[] = []
      for (let next = take(); next !== ']'; next = take()) list.push(value(next))
      return list
    }
    if (part.startsWith('"')) return JSON.parse(part) as string
    if (/^-?\d/.test(part)) return Number(part)
    if (/^\w+$/.test(part)) return part
    throw new Error(`Syntax Error: Unexpected ${part}`)
  }
  return fields(')')
}
