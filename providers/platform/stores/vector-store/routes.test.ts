import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { hashEmbedding } from '../../../../tests/helpers/hash-embedding.ts'
import { testServer } from '../../../../tests/helpers/test-server.ts'
import { registerSearchRoutes } from './routes.ts'
import { openSqliteVectorStore } from './sqlite-vector-store.ts'
import type { VectorStore } from './vector-store.ts'

let folder: string
let store: VectorStore
let app: FastifyInstance

beforeEach(async () => {
  folder = await temporaryFolder('search-routes')
  store = openSqliteVectorStore(join(folder, 'vectors.sqlite'))
  const texts = ['the pump shows E-4471', 'the lock was opened in 1904']
  const chunks = texts.map((content, chunkIndex) => ({
    document: 'a.md',
    title: 'A',
    chunkIndex,
    startChar: chunkIndex * 100,
    endChar: chunkIndex * 100 + content.length,
    content,
    indexText: content,
  }))
  const source = { dimensions: 768, contentDigest: 'x', embeddingModel: 'hash' }
  await store.replace(
    'RagBase_test',
    source,
    chunks,
    texts.map((text) => hashEmbedding(text)),
  )
  app = testServer()
  registerSearchRoutes(app, { store, embedQuery: async (text) => hashEmbedding(text) })
})
afterEach(() => store.close())

const search = (payload: object) => app.inject({ method: 'POST', url: '/api/rag/search', payload })

it('finds the best chunk first, with both legs’ scores', async () => {
  const reply = await search({ collection: 'RagBase_test', query: 'what does E-4471 mean', limit: 1 })
  expect(reply.statusCode).toBe(200)
  expect(reply.json().hits).toMatchObject([{ document: 'a.md', chunk_index: 0, content: 'the pump shows E-4471' }])
  expect(reply.json().hits[0].keyword_score).toBeGreaterThan(0)
})

it('reports what is wrong with a request', async () => {
  expect((await search({ collection: 'RagBase_none', query: 'x' })).json()).toEqual({
    detail: "unknown collection 'RagBase_none'",
  })
  expect((await search({ collection: 'RagBase_test', query: 'x', alpha: 2 })).statusCode).toBe(422)
})
