import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { testConnection, type ConnectionTest, type TestedConnection } from './test-connection.ts'

type Answer = { status?: number; json?: unknown; text?: string; headers?: Record<string, string> } | 'never'
type Routes = Partial<Record<'models' | 'chat' | 'structured' | 'embedding', Answer>>

const LIST = { json: { object: 'list', data: [{ id: 'tiny' }, { id: 'tiny-embed' }] } }
const reply = (content: string) => ({ json: { choices: [{ message: { content } }], usage: { completion_tokens: 3 } } })
const GOOD: Required<Routes> = {
  models: LIST,
  chat: reply('ready'),
  structured: reply('{"city": "Paris"}'),
  embedding: { json: { data: [{ embedding: [0.1, 0.2, 0.3] }] } },
}

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

interface Seen {
  route: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
}

/** A small model service; each route can be given another answer. */
async function serve(routes: Routes = {}): Promise<{ baseUrl: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = Buffer.concat((await request.toArray()) as Buffer[]).toString()
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
    const route = request.url ?? ''
    seen.push({ route, headers: request.headers, body })
    const name = route.endsWith('/models')
      ? 'models'
      : route.endsWith('/embeddings')
        ? 'embedding'
        : 'response_format' in body
          ? 'structured'
          : 'chat'
    const answer = routes[name] ?? GOOD[name]
    if (answer === 'never') return
    response.writeHead(answer.status ?? 200, answer.headers ?? {})
    response.end(answer.text ?? JSON.stringify(answer.json))
  }
  const server = createServer((request, response) => void answerTo(request, response))
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen }
}

const run = (baseUrl: string, changes: Partial<ConnectionTest> = {}): Promise<TestedConnection> =>
  testConnection({
    kind: 'compatible',
    baseUrl,
    key: null,
    keyName: null,
    model: null,
    embeddingModel: null,
    timeoutMs: 5000,
    ...changes,
  })

const probe = ({ probes }: TestedConnection, name: string) => probes.find((each) => each.probe === name)

describe('testConnection', () => {
  it('lists the models, and asks those that fit for a chat, an answer in JSON and an embedding', async () => {
    const { baseUrl, seen } = await serve()
    const tested = await run(baseUrl, { key: 'k-123456', keyName: 'X_API_KEY' })
    expect(tested.models).toEqual(['tiny', 'tiny-embed'])
    expect(tested.probes.map(({ probe: name, status, model }) => [name, status, model])).toEqual([
      ['models', 'passed', null],
      ['chat', 'passed', 'tiny'],
      ['structured', 'passed', 'tiny'],
      ['embedding', 'passed', 'tiny-embed'],
    ])
    expect(probe(tested, 'chat')?.finding).toMatch(/^[\d.]+ tokens\/s$/)
    expect(probe(tested, 'embedding')?.finding).toBe('3 dimensions')
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill('Bearer k-123456'))
  })

  it('asks each time: nothing of an earlier test is reused', async () => {
    const { baseUrl, seen } = await serve()
    await run(baseUrl)
    await run(baseUrl)
    expect(seen).toHaveLength(8)
  })

  it('names a port where nothing listens, and asks nothing more there', async () => {
    const { baseUrl } = await serve()
    await new Promise((done) => servers.pop()!.close(done))
    const { probes } = await run(baseUrl, { kind: 'ollama', model: 'm' })
    expect(probes).toMatchObject([
      {
        status: 'failed',
        error: `nothing listens at ${baseUrl}/models`,
        remedy: 'Start Ollama, or correct the address and its port.',
      },
    ])
  })

  it.each([
    [
      null,
      null,
      'The service needs a key: store one (rag-ladder models key set NAME, or Key on the page Models), or name the variable that holds it.',
    ],
    ['X_API_KEY', null, 'Set X_API_KEY to a key of this service.'],
    ['X_API_KEY', 'wrong-key', 'Check the key in X_API_KEY and what it is allowed to use.'],
  ])('names what to do about 401 with the variable %s and the key %s', async (keyName, key, remedy) => {
    const { baseUrl } = await serve({ models: { status: 401, json: { error: { message: 'no auth' } } } })
    const { probes } = await run(baseUrl, { keyName, key })
    expect(probes).toMatchObject([{ error: `GET ${baseUrl}/models answered 401: no auth`, remedy }])
  })

  it('names a model that the service does not have, with the command that fetches it', async () => {
    const missing = { status: 404, json: { error: { message: 'model "big" not found' } } }
    const { baseUrl } = await serve({ chat: missing, structured: missing })
    const tested = await run(baseUrl, { kind: 'ollama', model: 'big' })
    expect(probe(tested, 'chat')).toMatchObject({ status: 'failed', remedy: 'Fetch it with: ollama pull big' })
    expect(probe(tested, 'chat')?.error).toContain('answered 404: model "big" not found')
  })

  it('recognizes a web page in place of JSON', async () => {
    const { baseUrl } = await serve({ models: { text: '<!doctype html><title>Router</title>' } })
    const { error, remedy } = (await run(baseUrl)).probes[0]!
    expect(error).toContain('answered with a web page: <!doctype html>')
    expect(remedy).toContain('check port and path')
  })

  it('ends a request at its deadline', async () => {
    const { baseUrl } = await serve({ models: 'never' })
    const { error } = (await run(baseUrl, { timeoutMs: 60 })).probes[0]!
    expect(error).toBe(`GET ${baseUrl}/models did not answer within 0.06 s`)
  })

  it.each([
    ['no route for embeddings', { status: 404, text: 'Not Found' }, 'unsupported'],
    [
      'embeddings that are switched off',
      { status: 501, json: { error: { message: 'start it with --embeddings' } } },
      'unsupported',
    ],
    ['an unknown embedding model', { status: 404, json: { error: { message: 'model not found' } } }, 'failed'],
    ['an answer without vector', { json: { data: [] } }, 'failed'],
  ] as const)('reports %s', async (_title, embedding, status) => {
    const { baseUrl } = await serve({ embedding })
    expect(probe(await run(baseUrl), 'embedding')?.status).toBe(status)
  })

  it.each([
    ['refused', { status: 400, json: { error: { message: 'unknown field response_format' } } }],
    ['ignored', reply('The capital is Paris.')],
  ])(
    'reports a response_format that is %s as unsupported, and a chat that works as passed',
    async (_title, structured) => {
      const { baseUrl } = await serve({ structured })
      const tested = await run(baseUrl)
      expect([probe(tested, 'chat')?.status, probe(tested, 'structured')?.status]).toEqual(['passed', 'unsupported'])
    },
  )

  it('reports an answer without text, as a model gives that spends all tokens on reasoning', async () => {
    const { baseUrl } = await serve({ chat: reply('') })
    expect(probe(await run(baseUrl), 'chat')).toMatchObject({ status: 'failed' })
  })

  it('sends the key to no other address', async () => {
    const other = await serve()
    const { baseUrl } = await serve({
      models: { status: 307, text: '', headers: { location: `${other.baseUrl}/models` } },
    })
    const { probes } = await run(baseUrl, { key: 'k-123456' })
    expect(probes[0]?.remedy).toBe(`The service is at another address: ${other.baseUrl}/models. Use that one.`)
    expect(other.seen).toEqual([])
  })

  it('lists Anthropic models with the headers of its own interface, and asks it for no embedding', async () => {
    const { baseUrl, seen } = await serve()
    const tested = await run(baseUrl, { kind: 'anthropic', key: 'k-123456' })
    expect(seen[0]?.headers).toMatchObject({ 'x-api-key': 'k-123456', 'anthropic-version': '2023-06-01' })
    expect(seen[1]?.headers).not.toHaveProperty('x-api-key')
    expect(probe(tested, 'embedding')?.status).toBe('skipped')
  })
})
