import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tinyModelHost } from '../../../../tests/helpers/fake-builtin-models.ts'
import { startFakeTei } from '../../../../tests/helpers/fake-tei.ts'
import { TeiError } from '../../../../contract/http/rerank.ts'
import { createLogger } from '../../../kit/logger.ts'
import { closeGracefully, createHttpServer, listen } from '../../../kit/server.ts'
import { createTeiBackend } from '../tei-backend.ts'
import { registerRerankerRoutes } from './server.ts'

// These tests ask for what our client needs of TEI, of the routes of this platform, of a fake with the quirks of TEI, and of real servers where they are named. A
// real server has one model, so one that embeds and one that reranks are named apart.

interface Server {
  url: string
  close(): Promise<void>
}

async function embedded(): Promise<Server> {
  const app = createHttpServer({ logger: createLogger('test', 'silent') })
  registerRerankerRoutes(app, tinyModelHost(), '1.2.3')
  const { url } = await listen(app, '127.0.0.1', 0)
  return { url, close: () => closeGracefully(app, 0) }
}
const real = (url: string) => async (): Promise<Server> => ({ url, close: async () => undefined })

const { RAG_LADDER_TEI_EMBED_URL: embedUrl = '', RAG_LADDER_TEI_RERANK_URL: rerankUrl = '' } = process.env
const own = [['the platform', embedded] as const, ['a fake of TEI', startFakeTei] as const]
const embedders = [...own, ...(embedUrl === '' ? [] : [['a real TEI', real(embedUrl)] as const])]
const rerankers = [...own, ...(rerankUrl === '' ? [] : [['a real TEI', real(rerankUrl)] as const])]

const TEXTS = Array.from({ length: 43 }, (_, index) => `text ${'a'.repeat(index)}`)
const LONG = 'word '.repeat(9000)

const backendAt = (role: 'embed' | 'rerank', url: string, prefixes: { query_prefix?: string } = {}) =>
  createTeiBackend(
    role,
    { backend: 'tei', model: 'm', base_url: url, api_key_env: null, timeout_s: 60, ...prefixes },
    null,
  )

/** Returns what a server answers, without our client. */
async function asked(url: string, path: string, body: object): Promise<{ status: number; body: unknown }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: await response.json() }
}

describe.each(embedders)('embeddings of %s', (_name, start) => {
  let server: Server
  beforeAll(async () => void (server = await start()))
  afterAll(() => server.close())

  it('are unit vectors of one dimension in the order of the texts, over any number of batches', async () => {
    const backend = backendAt('embed', server.url)
    const vectors = await backend.embed!(TEXTS, 'document')
    expect(vectors).toHaveLength(TEXTS.length)
    expect(new Set(vectors.map(({ length }) => length)).size).toBe(1)
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    const [last] = await backend.embed!(TEXTS.slice(-1), 'document')
    expect(Math.max(...last!.map((value, index) => Math.abs(value - vectors.at(-1)![index]!)))).toBeLessThan(1e-3)
    await backend.close()
  })

  it('cut a text that is too long, and put the prefix of its side in front of a text', async () => {
    const backend = backendAt('embed', server.url, { query_prefix: 'query: ' })
    expect(await backend.embed!([LONG], 'document')).toHaveLength(1)
    const [asQuery, asDocument] = [await backend.embed!(['a'], 'query'), await backend.embed!(['query: a'], 'document')]
    expect(asQuery).toEqual(asDocument)
    await backend.close()
  })

  it('refuse a batch of 33 and an empty one with an error of TEI', async () => {
    const many = await asked(server.url, '/embed', { inputs: Array.from({ length: 33 }, () => 'a') })
    expect([413, 422]).toContain(many.status)
    expect(TeiError.safeParse(many.body).success).toBe(true)
    const none = await asked(server.url, '/embed', { inputs: [] })
    expect([none.status, TeiError.safeParse(none.body).success]).toEqual([400, true])
  })
})

describe.each(rerankers)('ranks of %s', (_name, start) => {
  let server: Server
  beforeAll(async () => void (server = await start()))
  afterAll(() => server.close())

  it('are a score for each text in their order, the one that answers highest', async () => {
    const backend = backendAt('rerank', server.url)
    const texts = [...TEXTS, 'Paris is the capital of France', LONG]
    const scores = await backend.rerank!('capital of France', texts)
    expect(scores).toHaveLength(texts.length)
    expect(scores.indexOf(Math.max(...scores))).toBe(TEXTS.length)
    await backend.close()
  })

  it('are probabilities unless raw scores are asked for', async () => {
    const { body } = await asked(server.url, '/rerank', { query: 'a', texts: ['a', 'b'] })
    for (const { score } of body as { score: number }[]) expect(score > 0 && score < 1).toBe(true)
  })
})
