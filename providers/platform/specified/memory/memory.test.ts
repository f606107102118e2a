import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../../tests/helpers/database-address.ts'
import { guardedServer } from '../../../../tests/helpers/guarded-server.ts'
import { onEachDatabase } from '../../../../tests/helpers/platform-databases.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { USER_ID, userToken } from '../../../../tests/helpers/user-token.ts'
import type { Database } from '../../stores/database/database.ts'
import { registerTaskRoutes } from '../../jobs/routes.ts'
import { TaskStore } from '../../jobs/task-store.ts'
import { TaskWorker } from '../../jobs/task-worker.ts'
import { openSqliteVectorStore } from '../../stores/vector-store/sqlite-vector-store.ts'
import type { VectorStore } from '../../stores/vector-store/vector-store.ts'
import { CONSOLIDATION, consolidation, statementsOf } from './consolidate.ts'
import { MemoryIndex } from './memory-index.ts'
import { MemoryStore } from './memory-store.ts'
import { registerMemoryRoutes } from './routes.ts'

const OTHER_ID = USER_ID.replace('5', '6')
/** One dimension per word: texts that share words are near. */
const WORDS = ['rye', 'bread', 'lamp', 'oil', 'boat', 'like', 'daughter', 'ada']
const vectorOf = (text: string): Float32Array =>
  new Float32Array([...WORDS.map((word) => (text.toLowerCase().includes(word) ? 1 : 0)), 0.01])

onEachDatabase('memory', (kind) => {
  let database: Database
  let vectors: VectorStore
  let app: FastifyInstance
  let worker: TaskWorker
  let store: MemoryStore
  let embed: ReturnType<typeof vi.fn<(texts: string[]) => Promise<Float32Array[]>>>
  let mine: string
  let others: string
  beforeEach(async () => {
    database = await openDatabase(await kind.fresh())
    vectors = openSqliteVectorStore(join(await temporaryFolder('memory'), 'vectors.sqlite'))
    store = new MemoryStore(database, { maxFacts: 4 })
    embed = vi.fn(async (texts: string[]) => texts.map(vectorOf))
    const index = new MemoryIndex({ store, vectors, embed, embeddingSpace: 'test-model' })
    const tasks = new TaskStore(database, { secret: 'a-signing-secret', visibilityTimeoutMs: 10_000 })
    worker = new TaskWorker({
      store: tasks,
      handlers: { [CONSOLIDATION]: consolidation({ store, index }) },
      settings: { concurrency: 1, prefetchMultiplier: 1, softLimitMs: 5000, hardLimitMs: 6000 },
    })
    app = guardedServer().app
    registerTaskRoutes(app, tasks)
    registerMemoryRoutes(app, {
      store,
      index,
      consolidate: (order) => tasks.add({ kind: CONSOLIDATION, subject: order.user_id, payload: order }),
    })
    mine = await userToken()
    others = await userToken({ sub: OTHER_ID })
  })
  afterEach(async () => {
    await worker.stop()
    await app.close()
    await vectors.close()
    await database.close()
  })

  interface Answer {
    status: number
    body: Record<string, unknown>
  }

  async function ask(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object, token = mine): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
    return { status: answer.statusCode, body: answer.body === '' ? {} : answer.json() }
  }
  const remember = (text: string, token = mine) => ask('POST', '/memory/facts', { text }, token)
  const idOf = ({ body }: Answer): string => String(body['id'])

  describe('facts', () => {
    it('are stored once per user, whatever their case and punctuation, and listed newest first', async () => {
      const first = await remember('I like rye bread.')
      expect(first).toMatchObject({ status: 201, body: { user_id: USER_ID, text: 'I like rye bread.' } })
      expect(await remember('i like  rye bread')).toEqual({ status: 200, body: first.body })
      await remember('My boat leaks.')
      expect((await remember('I like rye bread.', others)).status).toBe(201)
      expect((await ask('GET', '/memory/facts')).body).toMatchObject({
        total: 2,
        facts: [{ text: 'My boat leaks.' }, { text: 'I like rye bread.' }],
      })
    })

    it('are limited per user', async () => {
      for (const word of ['one', 'two', 'three', 'four']) expect((await remember(word)).status).toBe(201)
      expect((await remember('five')).status).toBe(409)
      expect((await remember('five', others)).status).toBe(201)
    })

    it('are found by meaning, among those of the user only', async () => {
      await remember('I like rye bread.')
      await remember('The lamp burns oil.')
      await remember('Rye bread, rye bread.', others)
      const { body } = await ask('POST', '/memory/search', { query: 'bread of rye', limit: 1 })
      expect(body['results']).toEqual([expect.objectContaining({ user_id: USER_ID, text: 'I like rye bread.' })])
      expect(
        (await ask('POST', '/memory/search', { query: 'oil' }, await userToken({ sub: OTHER_ID.replace('6', '7') })))
          .body,
      ).toEqual({ results: [] })
    })

    it('are embedded once, and a removed one is not found again', async () => {
      const removed = await remember('I like rye bread.')
      await remember('The lamp burns oil.')
      await ask('POST', '/memory/search', { query: 'rye' })
      await ask('POST', '/memory/search', { query: 'rye' })
      await remember('My boat leaks.')
      await ask('DELETE', `/memory/facts/${idOf(removed)}`)
      const { body } = await ask('POST', '/memory/search', { query: 'rye' })
      expect((body['results'] as { text: string }[]).map(({ text }) => text)).not.toContain('I like rye bread.')
      const embedded = embed.mock.calls.flatMap(([texts]) => texts).filter((text) => text !== 'rye')
      expect(embedded).toEqual(['I like rye bread.', 'The lamp burns oil.', 'My boat leaks.'])
    })
  })

  describe('ownership', () => {
    it('hides every record of another user and refuses to write for one', async () => {
      const fact = idOf(await remember('I like rye bread.'))
      const session = idOf(await ask('POST', '/memory/sessions', { title: 'Monday' }))
      const asOther = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
        (await ask(method, url, payload, others)).status
      const message = { role: 'user', content: 'x' }
      expect([
        await asOther('DELETE', `/memory/facts/${fact}`),
        await asOther('GET', `/memory/sessions/${session}`),
        await asOther('POST', `/memory/sessions/${session}/messages`, message),
        await asOther('DELETE', `/memory/sessions/${session}`),
        await asOther('POST', '/memory/consolidate', { session_id: session }),
      ]).toEqual([404, 404, 404, 404, 404])
      for (const [method, url, payload] of [
        ['GET', `/memory/facts?user_id=${USER_ID}`, undefined],
        ['GET', `/memory/sessions?user_id=${USER_ID}`, undefined],
        ['POST', '/memory/facts', { text: 'x', user_id: USER_ID }],
        ['POST', '/memory/search', { query: 'x', user_id: USER_ID }],
        ['POST', '/memory/sessions', { user_id: USER_ID }],
        ['POST', '/memory/consolidate', { user_id: USER_ID }],
      ] as const)
        expect([url, await asOther(method, url, payload)]).toEqual([url, 403])
      expect((await ask('GET', '/memory/facts')).body['total']).toBe(1)
      expect((await ask('GET', `/memory/sessions/${session}`)).body).toMatchObject({ messages: [] })
    })

    it('lets a service act for a user that it names by a UUID', async () => {
      const asOperator = (payload: object) => ask('POST', '/memory/facts', payload, 'operator-token')
      expect((await asOperator({ text: 'x' })).status).toBe(400)
      expect((await asOperator({ text: 'x', user_id: 'root' })).status).toBe(400)
      expect((await asOperator({ text: 'x', user_id: USER_ID.toUpperCase() })).body['user_id']).toBe(USER_ID)
      expect((await ask('GET', '/memory/facts')).body['total']).toBe(1)
    })
  })

  describe('consolidation', () => {
    async function say(session: string, ...texts: string[]): Promise<void> {
      for (const content of texts) await ask('POST', `/memory/sessions/${session}/messages`, { role: 'user', content })
    }
    async function consolidate(payload: object = {}) {
      const accepted = await ask('POST', '/memory/consolidate', payload)
      expect(accepted).toMatchObject({ status: 202, body: { status: 'pending' } })
      const url = `/jobs/${String(accepted.body['job_id'])}`
      worker.start()
      worker.wake()
      await vi.waitFor(async () => expect((await ask('GET', url)).body['ready']).toBe(true), { timeout: 15_000 })
      expect((await ask('GET', url, undefined, others)).status).toBe(404)
      return (await ask('GET', url)).body
    }

    it('stores what users write about themselves, once, with a log, and reads each message once', async () => {
      await remember('I like rye bread.')
      const session = idOf(await ask('POST', '/memory/sessions', {}))
      await say(
        session,
        'Hello! I like rye bread, too. My daughter is called Ada.',
        'Do I like oil? The lamp burns oil.',
      )
      await ask('POST', `/memory/sessions/${session}/messages`, { role: 'assistant', content: 'I am your assistant.' })
      expect(await consolidate({ session_id: session })).toMatchObject({
        status: 'SUCCESS',
        result: { messages: 2, added: 1, known: 1, refused: 0 },
        log: [{ message: '2 messages to read' }, { message: '2 statements, 1 of them known' }],
      })
      expect((await ask('GET', '/memory/facts')).body['facts']).toMatchObject([
        { text: 'My daughter is called Ada.', session_id: session },
        { text: 'I like rye bread.', session_id: null },
      ])
      expect(await consolidate()).toMatchObject({ result: { messages: 0, added: 0 } })
    })

    it('keeps the facts of a session that is deleted', async () => {
      const session = idOf(await ask('POST', '/memory/sessions', {}))
      await say(session, 'My boat has a lamp.')
      await consolidate()
      expect((await ask('DELETE', `/memory/sessions/${session}`)).status).toBe(204)
      expect((await ask('GET', '/memory/facts')).body['total']).toBe(1)
      expect(await database.all('SELECT seq FROM memory_messages')).toEqual([])
    })
  })

  it.each([
    ['I keep bees. They know me well.', ['I keep bees.', 'They know me well.']],
    ['Do I keep bees? “Should we?”', []],
    ['The mine in the US is deep.', []],
    ['I do.', []],
    ['Bread is good for people.', []],
  ])('the statements of %j are %j', (message, statements) => {
    expect(statementsOf(message)).toEqual(statements)
  })
})
