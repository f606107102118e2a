import { describe, expect, it } from 'vitest'
import { hashEmbeddings } from '../../../../tests/helpers/hash-embedding.ts'
import { testServer } from '../../../../tests/helpers/test-server.ts'
import { ChunkResponse } from '../../../../contract/http/chunk.ts'
import { registerChunkRoutes, type ChunkRoutesDeps } from './routes.ts'

async function post(body: object, deps: ChunkRoutesDeps = { embed: hashEmbeddings }) {
  const app = testServer()
  registerChunkRoutes(app, deps)
  const response = await app.inject({ method: 'POST', url: '/api/chunk', payload: body })
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() }
}

const text = 'The canal lock holds a boat. The gate opens. Green tea leaves are steamed. Black tea is left to oxidise.'

describe('POST /api/chunk', () => {
  it.each(['token', 'recursive', 'semantic'] as const)(
    'answers the %s strategy in the contract shape',
    async (strategy) => {
      const { status, body } = await post({ text, strategy, chunk_size: 40, overlap: 10 })
      expect(status).toBe(200)
      const response = ChunkResponse.parse(body)
      expect(response).toMatchObject({ strategy, chunk_size: 40, overlap: 10, chunk_count: response.chunks.length })
      expect(response.metadata).toMatchObject({ tokenizer: 'words', overlap: 10, overlap_applied: true })
      expect('semantic_threshold' in response.metadata).toBe(strategy === 'semantic')
      for (const chunk of response.chunks) expect(chunk.content).toBe(text.slice(chunk.start_char, chunk.end_char))
    },
  )

  it('uses the declared defaults', async () => {
    expect((await post({ text })).body).toMatchObject({
      strategy: 'recursive',
      chunk_size: 512,
      overlap: 64,
      chunk_count: 1,
    })
  })

  it.each([
    [{}, ['body', 'text']],
    [{ text: '' }, ['body', 'text']],
    [{ text, overlap: 512 }, ['body', 'overlap']],
    [{ text, chunk_size: 0 }, ['body', 'chunk_size']],
    [{ text, size: 3 }, ['body', 'size']],
  ])('422 for %j', async (body, loc) => {
    const response = await post(body)
    expect(response.status).toBe(422)
    expect(response.body.detail).toEqual(expect.arrayContaining([expect.objectContaining({ loc })]))
  })

  it('counts words for the tokenizer gpt2, and reports it', async () => {
    const [asked, words] = [await post({ text, tokenizer: 'gpt2' }), await post({ text, tokenizer: 'words' })]
    expect(asked.body.metadata).toMatchObject({ tokenizer: 'words', tokenizer_requested: 'gpt2' })
    expect([asked.status, asked.body.chunks]).toEqual([200, words.body.chunks])
  })

  it('400 for a tokenizer it does not have and for an overlap that multiplies the text', async () => {
    expect(await post({ text, tokenizer: 'gpt4' })).toEqual({
      status: 400,
      body: { detail: "unknown tokenizer 'gpt4' (available: words, characters)" },
    })
    expect((await post({ text: 'word '.repeat(100_000), chunk_size: 2048, overlap: 2047 })).status).toBe(400)
  })

  it('503 when the semantic strategy has no embedding model or that fails', async () => {
    const body = { text, strategy: 'semantic' }
    expect((await post(body, { embed: null })).status).toBe(503)
    expect(await post(body, { embed: () => Promise.reject(new Error('secret upstream text')) })).toEqual({
      status: 503,
      body: { detail: 'the embedding model failed' },
    })
  })
})
