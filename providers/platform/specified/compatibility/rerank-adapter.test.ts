import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { tinyModelHost } from '../../../../tests/helpers/fake-builtin-models.ts'
import { hang, json, resetMidBody, text } from '../../../../tests/helpers/fault-server.ts'
import type { Behaviour, FaultServer } from '../../../../tests/helpers/fault-server.ts'
import { testFaultServer, testServer } from '../../../../tests/helpers/test-server.ts'
import { listen } from '../../../kit/server.ts'
import { ModelCallError } from '../../models/model-host.ts'
import { httpReranker, modelReranker, rerankInBatches, rerankPool, type Reranker } from '../../models/tei/reranker.ts'
import { registerRerankAdapter } from './rerank-adapter.ts'

let upstream: FaultServer
beforeEach(async () => {
  upstream = await testFaultServer()
})

async function start(
  reranker: Reranker & { close?(): Promise<void> } = httpReranker(upstream.url, 'upstream-key'),
  timeoutMs = 30_000,
) {
  const app = testServer()
  registerRerankAdapter(app, { reranker, timeoutMs })
  const { url, port } = await listen(app, '127.0.0.1', 0)
  onTestFinished(() => reranker.close?.())
  const post = async (body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/graph-engine/rerank`, { method: 'POST', headers, body: JSON.stringify(body) })
    return [answer.status, (await answer.json()) as Record<string, unknown>] as const
  }
  return { post, port }
}

const documents = (count: number) => Array.from({ length: count }, (_, index) => `document ${index}`)
const textsOf = (body: string) => (JSON.parse(body) as { texts: string[] }).texts

/** Scores each text by the number in it, worst first, as a reranker that sorts the other way round would. */
const byNumber: Behaviour = (response, request, body) => {
  const scored = textsOf(body).map((value, index) => ({ index, score: Number(value.split(' ')[1]) / 1000 }))
  json(scored)(response, request, body)
}

describe('batches', () => {
  it('splits 43 documents into 32 and 11 and puts their indexes back', async () => {
    upstream.script(byNumber)
    const { post } = await start()
    const [status, { results }] = await post({ query: 'q', documents: documents(43) })
    expect(status).toBe(200)
    expect(upstream.requests.map(({ body }) => textsOf(body).length)).toEqual([32, 11])
    expect(upstream.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/rerank', 'Bearer upstream-key'],
      ['/rerank', 'Bearer upstream-key'],
    ])
    expect(Object.keys(JSON.parse(upstream.requests[0]!.body) as object)).toEqual(['query', 'texts'])
    expect(results).toEqual(
      Array.from({ length: 43 }, (_, rank) => ({
        index: 42 - rank,
        relevance_score: (42 - rank) / 1000,
        document: null,
      })),
    )
  })

  it('orders equal scores by index, and cuts to top_n only after all batches', async () => {
    upstream.script(json(documents(32).map((_, index) => ({ index, score: 0.5 }))), json([{ index: 0, score: 0.9 }]))
    const { post } = await start()
    const asked = { query: 'q', documents: documents(33), top_n: 3, return_documents: true, model: 'any', unknown: 1 }
    expect(await post(asked)).toEqual([
      200,
      {
        results: [
          { index: 32, relevance_score: 0.9, document: { text: 'document 32' } },
          { index: 0, relevance_score: 0.5, document: { text: 'document 0' } },
          { index: 1, relevance_score: 0.5, document: { text: 'document 1' } },
        ],
      },
    ])
  })

  it('sends no request for no documents', async () => {
    const { post } = await start()
    expect(await post({ query: 'q', documents: [] })).toEqual([200, { results: [] }])
    expect(upstream.requests).toEqual([])
  })

  it('gives each text its own score whatever the sizes and the order of the answers', async () => {
    const shuffling: Reranker = {
      rank: async (_query, texts) =>
        texts
          .map((value, index) => ({ index, score: Number(value) }))
          .sort((a, b) => ((a.score * 7919) % 101) - ((b.score * 7919) % 101)),
    }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -1000, max: 1000 }), { maxLength: 150 }), async (values) => {
        const scores = await rerankInBatches(shuffling, 'q', values.map(String), new AbortController().signal)
        expect(scores).toEqual(values)
      }),
    )
  })
})

describe('a bad batch fails the whole request', () => {
  const good = json(documents(32).map((_, index) => ({ index, score: 0.5 })))
  const two = (first: unknown, second: unknown) => JSON.stringify([first, second])
  const fine = { index: 0, score: 0.5 }
  const faults: [string, Behaviour][] = [
    ['no JSON', text('<html>bad gateway</html>')],
    ['no list', json({ results: [] })],
    ['null', json('null')],
    ['too few results', json([fine])],
    ['too many results', json([fine, { index: 1, score: 1 }, { index: 1, score: 1 }])],
    ['an index twice', json([fine, fine])],
    ['an index out of range', json([fine, { index: 2, score: 1 }])],
    ['a negative index', json([fine, { index: -1, score: 1 }])],
    ['a fractional index', json([fine, { index: 0.5, score: 1 }])],
    ['an index as text', json([fine, { index: '1', score: 1 }])],
    ['a boolean index', json([fine, { index: true, score: 1 }])],
    ['no index', json([fine, { score: 1 }])],
    ['an entry that is null', json([fine, null])],
    ['a boolean score', json([fine, { index: 1, score: true }])],
    ['a score as text', json([fine, { index: 1, score: '0.5' }])],
    ['a null score', json([fine, { index: 1, score: null }])],
    ['an infinite score', json(two(fine, { index: 1, score: 'X' }).replace('"X"', '1e999'))],
    ['a score that is NaN', json(two(fine, { index: 1, score: 'X' }).replace('"X"', 'NaN'))],
    ['HTTP 400', json({ error: 'no', error_type: 'Validation' }, 400)],
    ['HTTP 413', json({ error: 'batch', error_type: 'Validation' }, 413)],
    ['HTTP 424', json({ error: 'inference', error_type: 'Backend' }, 424)],
    ['HTTP 429', json({ error: 'busy', error_type: 'Overloaded' }, 429)],
    ['HTTP 500 with a good body', json([fine, { index: 1, score: 1 }], 500)],
    ['a redirect', json('', 302, { location: 'http://127.0.0.1:1/' })],
    ['a reset in the middle of the body', resetMidBody],
    ['2 MB', text(Buffer.alloc(2 * 1024 * 1024, ' '))],
  ]

  it.each(faults)('%s: 502 after one call each', async (_what, fault) => {
    upstream.script(good, fault)
    const { post } = await start()
    const [status, body] = await post({ query: 'q', documents: documents(34) })
    expect([status, Object.keys(body), typeof body['detail']]).toEqual([502, ['detail'], 'string'])
    expect(upstream.requests).toHaveLength(2)
  })

  it('does not go on after the first one', async () => {
    upstream.script(json({ error: 'no' }, 500))
    const { post } = await start()
    expect((await post({ query: 'q', documents: documents(100) }))[0]).toBe(502)
    expect(upstream.requests).toHaveLength(1)
  })

  it.each([
    [401, {}, 'model_access_refused'],
    [402, {}, 'model_access_refused'],
    [429, { error: { message: 'Your credit balance is too low' } }, 'model_access_refused'],
    [429, { error: { message: 'Too many requests' } }, 'rate_limited'],
  ])('keeps what HTTP %i with %j means', async (status, body, code) => {
    upstream.script(json(body, status))
    const reranker = httpReranker(upstream.url, null)
    onTestFinished(() => reranker.close())
    await expect(rerankInBatches(reranker, 'q', ['a'])).rejects.toMatchObject({ status: 502, code })
  })

  it('reveals nothing of the upstream’s message', async () => {
    upstream.script(json({ error: 'password of the vector node' }, 500))
    const { post } = await start()
    expect(JSON.stringify(await post({ query: 'q', documents: ['a'] }))).not.toContain('password')
  })
})

describe('time and reach', () => {
  it('has one deadline for all batches: 504, and the call under way is dropped', async () => {
    const dropped = Promise.withResolvers<null>()
    const drip: Behaviour = (response, request, body) => {
      response.once('close', () => dropped.resolve(null))
      hang(response, request, body)
    }
    upstream.script(byNumber, drip)
    const { post } = await start(httpReranker(upstream.url, null), 150)
    expect(await post({ query: 'q', documents: documents(40) })).toEqual([504, { detail: 'Reranking timed out' }])
    await dropped.promise
    expect(upstream.requests).toHaveLength(2)
  })

  it('answers 503 when the upstream is unreachable', async () => {
    const { url } = upstream
    await upstream.close()
    const { post } = await start(httpReranker(url, null))
    expect(await post({ query: 'q', documents: ['a'] })).toEqual([503, { detail: 'The reranker cannot be reached' }])
  })

  it('drops the upstream call when the caller leaves', async () => {
    const arrived = Promise.withResolvers<{ closed: Promise<unknown> }>()
    upstream.script((response) => {
      arrived.resolve({ closed: once(response, 'close') })
    })
    const { port } = await start()
    const body = JSON.stringify({ query: 'q', documents: ['a'] })
    const socket = connect(port, '127.0.0.1')
    const head = `POST /graph-engine/rerank HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
    socket.write(`${head}\r\n\r\n${body}`)
    const { closed } = await arrived.promise
    socket.destroy()
    await closed
  })
})

describe('requests', () => {
  it.each([
    [{ documents: ['a'] }],
    [{ query: '', documents: ['a'] }],
    [{ query: 'x'.repeat(8001), documents: ['a'] }],
    [{ query: 'q' }],
    [{ query: 'q', documents: 'a' }],
    [{ query: 'q', documents: [1] }],
    [{ query: 'q', documents: ['x'.repeat(32_001)] }],
    [{ query: 'q', documents: documents(513) }],
    [{ query: 'q', documents: ['a'], top_n: 0 }],
    [{ query: 'q', documents: ['a'], top_n: 513 }],
    [{ query: 'q', documents: ['a'], top_n: true }],
  ])('%j is refused with 422 and sends no request', async (body) => {
    const { post } = await start()
    expect((await post(body))[0]).toBe(422)
    expect(upstream.requests).toEqual([])
  })

  it('takes the largest request', async () => {
    upstream.script((response, request, body) => {
      json(textsOf(body).map((_, index) => ({ index, score: 0 })))(response, request, body)
    })
    const { post } = await start()
    const most = { query: 'x'.repeat(8000), documents: documents(512).map((d) => d.padEnd(30_000, '.')), top_n: 512 }
    const [status, { results }] = await post(most)
    expect([status, (results as unknown[]).length, upstream.requests.length]).toEqual([200, 512, 16])
  })
})

describe('the reranker of this process', () => {
  it('scores by the model of role rerank, in batches, as probabilities', async () => {
    const sizes: number[] = []
    const host = tinyModelHost({ scoreRelevance: (_query, value) => Number(value.split(' ')[1]) - 20 })
    const counted = {
      rerank: (query: string, texts: readonly string[], signal?: AbortSignal) => {
        sizes.push(texts.length)
        return host.rerank(query, texts, signal)
      },
    }
    const { post } = await start(modelReranker(counted))
    const [status, body] = await post({ query: 'q', documents: documents(43), top_n: 2 })
    expect([status, sizes]).toEqual([200, [32, 11]])
    expect(body['results']).toEqual([
      { index: 42, relevance_score: 1 / (1 + Math.exp(-22)), document: null },
      { index: 41, relevance_score: 1 / (1 + Math.exp(-21)), document: null },
    ])
  })

  it.each([
    ['timeout' as const, 504],
    ['unreachable' as const, 503],
    ['not_configured' as const, 503],
    ['upstream_error' as const, 502],
    ['rate_limited' as const, 502],
    ['invalid_response' as const, 502],
  ])('reports a model’s %s as %i', async (code, status) => {
    const rerank = () => Promise.reject(new ModelCallError(code, 'rerank', 'internal words'))
    const { post } = await start(modelReranker({ rerank }))
    const [answered, body] = await post({ query: 'q', documents: ['a'] })
    expect(answered).toBe(status)
    expect(JSON.stringify(body)).not.toContain('internal words')
  })

  it('takes the candidates of a search at once with what the search found; a service gets batches of texts', async () => {
    const pool = { candidates: documents(43).map((_, at) => ({ document: `${at}.md`, score: 1 })) }
    const asked: unknown[] = []
    const own = modelReranker({
      rerank: async (_query, texts, _signal, known) => {
        asked.push([texts.length, known])
        return texts.map(() => 0)
      },
    })
    expect(await rerankPool(own, 'q', documents(43), pool)).toHaveLength(43)
    expect(asked).toEqual([[43, pool]])
    const sizes: number[] = []
    const service = {
      rank: async (_query: string, texts: readonly string[]) => {
        sizes.push(texts.length)
        return texts.map((_, index) => ({ index, score: 0 }))
      },
    }
    expect(await rerankPool(service, 'q', documents(43), pool)).toHaveLength(43)
    expect(sizes).toEqual([32, 11])
  })

  it('refuses scores that are no numbers', async () => {
    const { post } = await start(modelReranker({ rerank: async () => [NaN] }))
    expect((await post({ query: 'q', documents: ['a'] }))[0]).toBe(502)
  })
})
