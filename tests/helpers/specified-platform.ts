import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenLocally } from './local-server.ts'

/** Describes what a part of the platform was asked, in order: `POST /v1/chat/completions`. */
export interface SpecifiedPlatform {
  gateway: string
  platform: string
  evaluator: string
  asked: { gateway: string[]; platform: string[]; evaluator: string[] }
  /** May be changed while it runs. */
  options: SpecifiedPlatformOptions
  close(): Promise<void>
}

export interface SpecifiedPlatformOptions {
  /** Aliases that `GET /v1/models` lists. */
  aliases: readonly string[]
  /** Bearer credential of each part; a part without one asks for none. */
  keys?: Partial<Record<Part, string>>
  /** Aliases that a call would not work with, and why; listed as such by the platform's own extension of the list. */
  unavailable?: Readonly<Record<string, string>>
  /** Aliases whose first call for each question fails with HTTP 503. */
  flaky?: readonly string[]
  /** Awaited before a chat request is answered. */
  hold?: Promise<unknown>
  /** Aliases whose calls fail with HTTP 400. */
  broken?: readonly string[]
  /** States when they become unavailable; from the start unless given. */
  unavailableAfter?: 'ingestion'
}

type Part = 'gateway' | 'platform' | 'evaluator'
type Reply = [status: number, body: unknown]
type Routes = Record<string, (body: Record<string, unknown>) => Reply>

const chat = ({ model }: Record<string, unknown>): Reply => {
  const answer = `Answer of ${String(model)}: the keeper was Edith Marlowe.`
  return [
    200,
    {
      choices: [{ message: { content: answer } }],
      rag_extension: {
        schema_version: 1,
        answer,
        sources: model === 'graph-rag' ? [] : [{ title: 'a.md', snippet: 'Edith Marlowe kept the light.', score: 1 }],
        metrics: { seconds: 0.1, chunks: 1, llm_calls: 1, cloud_calls: 0 },
      },
    },
  ]
}

const JOB = { id: 'job-1', profile: 'smoke', revision: 'r1', content_digest: 'd1', status: 'completed', phases: [] }

const evaluate = ({ records, metrics }: Record<string, unknown>): Reply => {
  if (!Array.isArray(records)) return [422, { detail: 'records is required' }]
  const scores = Object.fromEntries((metrics as string[]).map((metric) => [metric, 0.5]))
  return [200, { evaluator_model: 'e', embeddings_model: 'v', results: [{ scores }] }]
}

function entryOf(id: string, { unavailable = {}, unavailableAfter }: SpecifiedPlatformOptions, isIngested: boolean) {
  const reason = unavailable[id]
  if (reason === undefined || (unavailableAfter === 'ingestion' && !isIngested)) return { id }
  return { id, rag_ladder: { available: false, reason } }
}

/** Only what the specification promises, each part at an address of its own; every other route answers 404. */
function chatOf(options: SpecifiedPlatformOptions, body: Record<string, unknown>, called: Set<string>): Reply {
  const { broken = [], flaky = [] } = options
  const model = String(body['model'])
  const call = JSON.stringify([model, body['messages']])
  const isFirst = !called.has(call)
  called.add(call)
  if (broken.includes(model)) return [400, { error: { message: 'broken' } }]
  return isFirst && flaky.includes(model) ? [503, { error: { message: 'busy' } }] : chat(body)
}

const routesOf = (
  options: SpecifiedPlatformOptions,
  isIngested: () => boolean,
  called = new Set<string>(),
): Record<Part, Routes> => ({
  gateway: {
    'GET /v1/models': () => [200, { data: options.aliases.map((id) => entryOf(id, options, isIngested())) }],
    'POST /v1/chat/completions': (body) => chatOf(options, body, called),
  },
  platform: {
    'GET /health': () => [200, { status: 'healthy', version: '9.9.9' }],
    'GET /rag/health': () => [200, { status: 'ok' }],
    'POST /api/rag/ingestions': () => [202, { ingestion_id: 'job-1', status: 'completed' }],
    'GET /api/rag/ingestions/job-1': () => [200, JOB],
  },
  evaluator: { 'POST /api/rag/evaluate': evaluate },
})

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = ''
  for await (const part of request as AsyncIterable<Buffer>) text += part.toString()
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}

/** A platform that has the specified routes and nothing of ours: gateway, platform and evaluator on three ports. */
export async function startSpecifiedPlatform(options: SpecifiedPlatformOptions): Promise<SpecifiedPlatform> {
  const asked: SpecifiedPlatform['asked'] = { gateway: [], platform: [], evaluator: [] }
  const routes = routesOf(options, () => asked.platform.includes('POST /api/rag/ingestions'))
  const serve = async (part: Part, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const route = `${request.method!} ${request.url!.split('?')[0]!}`
    asked[part].push(route)
    const body = await read(request)
    const key = options.keys?.[part]
    if (route.includes('chat')) await options.hold
    const [status, answer]: Reply =
      key !== undefined && request.headers.authorization !== `Bearer ${key}`
        ? [401, { detail: 'credential required' }]
        : (routes[part][route]?.(body) ?? [404, { detail: 'Not Found' }])
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }
  const servers = (['gateway', 'platform', 'evaluator'] as const).map((part) =>
    createServer((request, response) => void serve(part, request, response)),
  )
  const listening = await Promise.all(servers.map(listenLocally))
  const [gateway, platform, evaluator] = listening.map(({ url }) => url)
  return {
    gateway: gateway!,
    platform: platform!,
    evaluator: evaluator!,
    asked,
    options,
    async close() {
      await Promise.all(listening.map((server) => server.close()))
    },
  }
}
