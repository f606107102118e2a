import { createServer } from 'node:http'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openDatabase } from '../../../../tests/helpers/database-address.ts'
import { guardedServer } from '../../../../tests/helpers/guarded-server.ts'
import { onEachDatabase } from '../../../../tests/helpers/platform-databases.ts'
import { storedChunk } from '../../../../tests/helpers/stored-chunk.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { USER_ID, userToken } from '../../../../tests/helpers/user-token.ts'
import { createEnvReader } from '../../../kit/env-reader.ts'
import { createLogger } from '../../../kit/logger.ts'
import { createClosingList, type ClosingList } from '../../jobs/closing-list.ts'
import type { Database } from '../../stores/database/database.ts'
import { chatCompletion } from '../../models/openai/chat-completion.ts'
import { ModelCallError, type ModelHost } from '../../models/model-host.ts'
import { registerTaskRoutes } from '../../jobs/routes.ts'
import { readTaskSettings } from '../../jobs/task-settings.ts'
import { TaskStore } from '../../jobs/task-store.ts'
import { openSqliteVectorStore } from '../../stores/vector-store/sqlite-vector-store.ts'
import type { VectorStore } from '../../stores/vector-store/vector-store.ts'
import { openResearch } from './research-part.ts'
import { RESEARCH } from './run-research.ts'
import { webSearch } from './sources.ts'
import { listenLocally } from '../../../../tests/helpers/local-server.ts'

const OTHER_ID = USER_ID.replace('5', '6')
const logger = createLogger('test', 'silent')
const TEXTS: Record<string, string> = {
  walls: 'The harbour wall is three metres high.',
  lamps: 'The lamp burns oil from the mill.',
}
const WORDS = ['wall', 'high', 'lamp', 'oil', 'mill']
const vectorOf = (text: string) =>
  new Float32Array([...WORDS.map((word) => (text.toLowerCase().includes(word) ? 1 : 0)), 0.01])
const overlap = (query: string, text: string) =>
  WORDS.filter((word) => query.toLowerCase().includes(word) && text.toLowerCase().includes(word)).length

onEachDatabase('research', (kind) => {
  let folder: string
  let database: Database
  let vectors: VectorStore
  let app: FastifyInstance
  let closing: ClosingList
  let mine: string
  let others: string
  /** The reply of the model to a role; rejects as a model does. */
  let reply: (role: string, prompt: string, signal: AbortSignal | undefined) => Promise<string>
  const models = {
    embed: async (_role: string, texts: string[]) => texts.map(vectorOf),
    embeddingSpace: () => 'test-model',
    isBuiltin: () => false,
    chat: async (role: string, request: { messages: { content: string }[] }, signal?: AbortSignal) => {
      const text = await reply(role, request.messages.map(({ content }) => content).join('\n'), signal)
      return chatCompletion('test', text, { promptTokens: 1, completionTokens: 1 })
    },
  } as unknown as ModelHost

  /** A platform process over the files of this test. */
  async function start(env: Record<string, string> = {}, searxngUrl: string | null = null): Promise<void> {
    closing = createClosingList()
    const store = tasks()
    app = guardedServer({
      BACKEND_WORKFLOW_API_TOKEN: 'workflow-token',
      BACKEND_CHATUI_API_TOKEN: 'chatui-token',
    }).app
    registerTaskRoutes(app, store, [RESEARCH])
    await openResearch({
      app,
      tasks: store,
      settings: { maxConcurrent: Number(env['most'] ?? '2'), leaseMs: 60_000, searxngUrl },
      taskSettings: readTaskSettings(createEnvReader({})),
      models,
      corpora: {
        collections: ['Rag_walls', 'Rag_lamps', 'Rag_absent'],
        store: vectors,
        rerank: async (query, texts) => texts.map((text) => overlap(query, text)),
      },
      logger,
      closing,
    })
  }
  const tasks = () => new TaskStore(database, { secret: 'a-signing-secret', visibilityTimeoutMs: 100_000 })

  beforeEach(async () => {
    folder = await temporaryFolder('research')
    database = await openDatabase(await kind.fresh())
    vectors = openSqliteVectorStore(join(folder, 'vectors.sqlite'))
    for (const [name, text] of Object.entries(TEXTS)) {
      const source = { dimensions: 6, contentDigest: name, embeddingModel: 'test-model' }
      await vectors.replace(
        `Rag_${name}`,
        source,
        [{ ...storedChunk(`${name}.md`, text), title: name }],
        [vectorOf(text)],
      )
    }
    reply = async (role, prompt) => {
      if (role === 'agentic') return 'Plan: {"queries": ["which oil does the lamp burn", "how high is the wall?"]}'
      return prompt.includes('<question>\nwhich oil') || prompt.includes('<question>which oil')
        ? 'It burns oil from the mill.'
        : 'The wall is three metres high.'
    }
    mine = await userToken()
    others = await userToken({ sub: OTHER_ID })
  })
  afterEach(async () => {
    await closing.closeAll()
    await app.close()
    await vectors.close()
    await database.close()
  })

  async function ask(method: 'GET' | 'POST', url: string, payload?: object, token = mine) {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json<Record<string, unknown>>() }
  }
  const begin = (payload: object = { query: 'How high is the wall?' }, token = mine) =>
    ask('POST', '/research/start', payload, token)
  const idOf = ({ body }: { body: Record<string, unknown> }) => String(body['session_id'])
  const stateOf = async (id: string) => (await ask('GET', `/research/${id}/status`)).body['status']
  const reached = (id: string, status: string) =>
    vi.waitFor(async () => expect(await stateOf(id)).toBe(status), { timeout: 10_000 })
  const untilAborted = async (_role: string, _prompt: string, signal: AbortSignal | undefined): Promise<string> =>
    new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error)))

  describe('a research session', () => {
    it('plans, searches every ingested corpus, and answers with numbered sources and a log', async () => {
      await start()
      const started = await begin()
      expect(started).toMatchObject({ status: 200, body: { status: 'pending', data: { user_id: USER_ID } } })
      const id = idOf(started)
      await reached(id, 'done')
      const { body } = await ask('GET', `/research/${id}/result`)
      expect(body).toMatchObject({
        session_id: id,
        status: 'done',
        result: {
          answer: 'The wall is three metres high.',
          is_answered: true,
          findings: [
            { query: 'How high is the wall?', answer: 'The wall is three metres high.', sources: [1, 2] },
            { query: 'which oil does the lamp burn', answer: 'It burns oil from the mill.', sources: [2, 1] },
          ],
          sources: [
            { number: 1, text: TEXTS['walls'], document: { collection: 'Rag_walls', name: 'walls.md', start_char: 0 } },
            { number: 2, text: TEXTS['lamps'], document: { collection: 'Rag_lamps' } },
          ],
        },
      })
      const { report } = body['result'] as { report: string }
      expect(report).toContain('The wall is three metres high. [1][2]')
      expect(report).toContain('1. walls (walls.md)')
      const { logs } = (await ask('GET', `/research/${id}/logs`)).body as { logs: { message: string }[] }
      expect(logs.map(({ message }) => message)).toEqual([
        'Plan: 2 queries',
        'Loop 1 of 2: 2 passages for “How high is the wall?”, 2 of them new',
        'Loop 2 of 2: 2 passages for “which oil does the lamp burn”, 0 of them new',
        'Writing from 2 passages',
      ])
    })

    it('searches at most max_loops times, and searches keywords when the plan cannot be read', async () => {
      await start()
      const asked: string[] = []
      reply = async (role) => {
        asked.push(role)
        if (role === 'graph_keyword') return '{"low_level": ["oil"], "high_level": ["mill"]}'
        return role === 'agentic' ? 'I would search the harbour.' : 'It burns oil.'
      }
      const one = idOf(await begin({ query: 'Which lamp?', max_loops: 1 }))
      await reached(one, 'done')
      expect(asked).toEqual(['light_gen'])
      const two = idOf(await begin({ query: 'Which lamp?', max_loops: 2 }))
      await reached(two, 'done')
      const { logs } = (await ask('GET', `/research/${two}/logs`)).body as { logs: { message: string }[] }
      expect(logs.map(({ message }) => message).join('\n')).toMatch(/plan cannot be read[\s\S]*“oil mill”/)
    })

    it('reports that nothing answers the question instead of citing a finding', async () => {
      await start()
      reply = async () => 'The passages do not answer this question.'
      const id = idOf(await begin({ query: 'Who?', max_loops: 1 }))
      await reached(id, 'done')
      const { body } = await ask('GET', `/research/${id}/result`)
      expect(body['result']).toMatchObject({ is_answered: false, findings: [] })
    })

    it('answers from the first half of the passages where they are too long for the model, and names those', async () => {
      await start()
      reply = async (_role, prompt) => {
        if (Object.values(TEXTS).every((text) => prompt.includes(text)))
          throw new ModelCallError('context_length_exceeded', 'light_gen', 'too long')
        return 'The wall is three metres high.'
      }
      const id = idOf(await begin({ query: 'How high is the wall?', max_loops: 1 }))
      await reached(id, 'done')
      const { body } = await ask('GET', `/research/${id}/result`)
      expect(body['result']).toMatchObject({
        answer: 'The wall is three metres high.',
        findings: [{ sources: [1] }],
        sources: [{ number: 1, text: TEXTS['walls'] }],
        report: expect.stringContaining('The wall is three metres high. [1]\n'),
      })
    })

    it('fails with a message that names the role and no address, and has no result then', async () => {
      await start()
      reply = async () => {
        throw new ModelCallError('unauthorized', 'light_gen', 'http://secret.test refused', { status: 401 })
      }
      const id = idOf(await begin({ query: 'Who?', max_loops: 1 }))
      await reached(id, 'failed')
      const { status, body } = await ask('GET', `/research/${id}/result`)
      expect(status).toBe(409)
      expect(body['detail']).toMatch(/it is failed: .*role light_gen/)
      expect(JSON.stringify(body)).not.toContain('secret.test')
    })

    it('stops on request, which is refused once it has ended', async () => {
      await start()
      reply = untilAborted
      const id = idOf(await begin())
      await reached(id, 'running')
      expect((await ask('GET', `/research/${id}/result`)).status).toBe(409)
      expect(await ask('POST', `/research/${id}/cancel`)).toMatchObject({
        status: 202,
        body: { status: 'cancel_requested' },
      })
      await reached(id, 'cancelled')
      expect((await ask('POST', `/research/${id}/cancel`)).status).toBe(409)
    })

    it('goes on after a restart', async () => {
      await start()
      const answering = reply
      reply = untilAborted
      const id = idOf(await begin())
      await reached(id, 'running')
      await closing.closeAll()
      await app.close()
      reply = answering
      await start()
      await reached(id, 'done')
    })

    it('has failed when no process cared for it for the lease, and not before', async () => {
      const stored = tasks()
      const payload = { query: 'x', max_loops: 1, search_api: null }
      const add = async (ageMs: number) => {
        const { id } = await stored.add({ kind: RESEARCH, subject: USER_ID, payload })
        await database.run('UPDATE tasks SET heartbeat_ms = ? WHERE id = ?', [Date.now() - ageMs, id])
        return id
      }
      const [old, young] = [await add(60_000), await add(50_000)]
      await start()
      expect(await stateOf(old)).toBe('failed')
      await reached(young, 'done')
      expect((await ask('GET', `/research/${old}/status`)).body['error']).toBe('abandoned: no process ran it for 60 s')
    })
  })

  describe('the limit of open sessions', () => {
    it('refuses one too many before its body is read, and has room again after an end', async () => {
      await start({ most: '1' })
      reply = untilAborted
      const id = idOf(await begin())
      const headers = { authorization: `Bearer ${mine}`, 'content-type': 'application/json' }
      const refused = await app.inject({ method: 'POST', url: '/research/start', headers, payload: '{"query": ' })
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1'])
      expect((await app.inject({ method: 'POST', url: '/research/start', payload: {} })).statusCode).toBe(401)
      await reached(id, 'running')
      await ask('POST', `/research/${id}/cancel`)
      await reached(id, 'cancelled')
      await vi.waitFor(async () => expect((await begin()).status).toBe(200), { timeout: 10_000 })
    })

    it('keeps no place for callers who leave before their body has arrived', async () => {
      await start({ most: '1' })
      const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
      for (let call = 0; call < 3; call += 1) {
        const socket = connect(Number(port), '127.0.0.1')
        const head = ['POST /research/start HTTP/1.1', 'host: 127.0.0.1', `authorization: Bearer ${mine}`]
        socket.write([...head, 'content-type: application/json', 'content-length: 100', '', '{"query":'].join('\r\n'))
        // The request is being read by the time that its caller leaves.
        await new Promise((resolve) => setTimeout(resolve, 50))
        socket.destroy()
        await once(socket, 'close')
      }
      await vi.waitFor(async () => expect((await begin()).status).toBe(200), { timeout: 10_000 })
    })

    it('counts no request that started nothing', async () => {
      await start({ most: '1' })
      for (const payload of [{}, { query: 'x', user_id: 'root' }, { query: 'x', search_api: 'duckduckgo' }])
        expect((await begin(payload)).status).toBeLessThan(429)
      expect((await begin()).status).toBe(200)
    })
  })

  describe('ownership', () => {
    it('hides sessions of another user, on every route and as a job', async () => {
      await start()
      const id = idOf(await begin())
      for (const [method, url] of [
        ['GET', `/research/${id}/status`],
        ['GET', `/research/${id}/result`],
        ['GET', `/research/${id}/logs`],
        ['POST', `/research/${id}/cancel`],
        ['GET', `/jobs/${id}`],
      ] as const)
        expect([url, (await ask(method, url, undefined, others)).status]).toEqual([url, 404])
      expect((await ask('GET', '/research/sessions', undefined, others)).body).toEqual({ sessions: [] })
      expect((await ask('GET', `/research/sessions?user_id=${USER_ID}`, undefined, others)).status).toBe(403)
      expect((await ask('GET', `/jobs/${id}`, undefined, 'chatui-token')).status).toBe(404)
      expect((await ask('GET', `/research/${id}/status`, undefined, 'chatui-token')).status).toBe(403)
      expect((await ask('GET', '/research/sessions')).body).toMatchObject({ sessions: [{ session_id: id }] })
      expect((await ask('GET', `/research/${id}/status`, undefined, 'workflow-token')).status).toBe(200)
    })

    it('lets a service start one for a user, refuses an invalid id with 400 and another user with 403', async () => {
      await start()
      const named = await begin({ query: 'x', user_id: USER_ID.toUpperCase() }, 'workflow-token')
      expect(named.body['data']).toMatchObject({ user_id: USER_ID })
      expect((await begin({ query: 'x', user_id: 'root' }, 'workflow-token')).status).toBe(400)
      expect((await begin({ query: 'x', user_id: 'root' })).status).toBe(400)
      expect((await begin({ query: 'x', user_id: OTHER_ID })).status).toBe(403)
    })
  })

  it.each([
    [{ query: ' ' }, 422],
    [{ query: 'x', max_loops: 0 }, 422],
    [{ query: 'x', max_loops: 11 }, 422],
    [{ query: 'x', extra: 1 }, 422],
    [{ query: 'x', search_api: 'duckduckgo' }, 400],
    [{ query: 'x', search_api: 'searxng' }, 400],
  ])('a start with %j is refused with %i', async (payload, status) => {
    await start()
    expect((await begin(payload)).status).toBe(status)
  })

  it('a question has at most 4,000 characters', async () => {
    await start()
    expect((await begin({ query: 'x'.repeat(4001) })).status).toBe(422)
    expect((await begin({ query: 'x'.repeat(4000) })).status).toBe(200)
  })

  describe('the web search', () => {
    let answer: { status: number; body: string }
    let asked: string[]
    let url: string
    beforeEach(async () => {
      asked = []
      const page = { url: 'https://walls.test/high', title: 'High walls', content: 'A wall of seven metres.' }
      const local = { url: 'file:///etc/passwd', title: 'x', content: 'x' }
      answer = { status: 200, body: JSON.stringify({ results: [page, local, { ...page, content: '' }] }) }
      const server = createServer((request, response) => {
        asked.push(request.url!)
        response.writeHead(answer.status).end(answer.body)
      })
      const searxng = await listenLocally(server)
      onTestFinished(searxng.close)
      url = searxng.url
      await start({}, url)
    })

    it('adds what a SearXNG server returns for web pages to the sources', async () => {
      const id = idOf(await begin({ query: 'How high is a wall?', max_loops: 1, search_api: 'searxng' }))
      await reached(id, 'done')
      expect(asked).toEqual(['/search?q=How+high+is+a+wall%3F&format=json'])
      const { sources } = (await ask('GET', `/research/${id}/result`)).body['result'] as { sources: object[] }
      expect(sources.at(-1)).toEqual({
        number: 3,
        title: 'High walls',
        document: null,
        url: 'https://walls.test/high',
        text: 'A wall of seven metres.',
      })
      expect(sources).toHaveLength(3)
    })

    it.each([
      [403, '', 'enable "json"'],
      [200, '<html>', 'enable "json"'],
      [500, '', 'answered HTTP 500'],
    ])('reports an answer of HTTP %i with body %j', async (status, body, message) => {
      answer = { status, body }
      const web = webSearch(url)
      await expect(web.search('x', new AbortController().signal)).rejects.toThrow(message)
      await web.close()
    })
  })
})
