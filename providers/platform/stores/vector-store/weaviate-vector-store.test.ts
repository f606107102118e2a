import { describe, expect, it, onTestFinished } from 'vitest'
import { startFakeWeaviate } from '../../../../tests/helpers/fake-weaviate.ts'
import { storedChunk } from '../../../../tests/helpers/stored-chunk.ts'
import { openWeaviateVectorStore } from './weaviate-vector-store.ts'

// These tests are for what only this store has to do; vector-store.test.ts tests what every store does.

async function start(options: Parameters<typeof startFakeWeaviate>[0] = {}, key: string | null = null) {
  const server = await startFakeWeaviate(options)
  const store = openWeaviateVectorStore(server.url, key)
  onTestFinished(() => server.close())
  onTestFinished(() => store.close())
  return { server, store }
}

const CHUNK = storedChunk('a.md', 'a')
const SOURCE = { dimensions: 2, contentDigest: 'd', embeddingModel: 'm' }
const VECTOR = new Float32Array([1, 0])
const replace = (store: ReturnType<typeof openWeaviateVectorStore>, name = 'RagBase_my-docs') =>
  store.replace(name, SOURCE, [CHUNK], [VECTOR])

describe('the Weaviate store', () => {
  it('leaves one class for a collection, whatever was replaced or failed before', async () => {
    const { server, store } = await start()
    await replace(store)
    const [first] = server.classes()
    expect(first).toMatch(/^RagBase_my_docs_[0-9a-f]{12}$/)
    server.refuseOneObject('store is read-only due to disk usage')
    await expect(replace(store)).rejects.toThrow('Weaviate did not store a chunk: store is read-only due to disk usage')
    expect(server.classes()).toEqual([first])
    await replace(store)
    expect(server.classes()).toHaveLength(1)
    expect(server.classes()).not.toContain(first)
  })

  it('reads a collection that another process replaced meanwhile', async () => {
    const { server, store } = await start()
    await replace(store)
    const other = openWeaviateVectorStore(server.url, null)
    onTestFinished(() => other.close())
    expect(await other.dense('RagBase_my-docs', VECTOR, 3)).toHaveLength(1)
    await replace(store)
    expect(await other.dense('RagBase_my-docs', VECTOR, 3)).toHaveLength(1)
  })

  it('refuses the name of another collection whose alias would be the same', async () => {
    const { store } = await start()
    await replace(store)
    await expect(store.info('RagBase_my.docs')).rejects.toThrow('which is not the collection RagBase_my.docs')
  })

  it.each([
    [
      'a server without aliases',
      { version: '1.31.4' },
      'Weaviate 1.31.4 has no aliases of collections. Use version 1.32',
    ],
    [
      'a missing key',
      { apiKey: 'right' },
      'HTTP 401: anonymous access not enabled, please provide an auth scheme. Set VECTOR_STORE_API_KEY',
    ],
  ])('names %s with what to do', async (_what, options, message) => {
    const { store } = await start(options)
    await expect(store.list()).rejects.toThrow(message)
    await expect(store.info('RagBase_smoke')).rejects.toThrow(message)
  })

  it('names a server that cannot be reached', async () => {
    const server = await startFakeWeaviate()
    await server.close()
    const store = openWeaviateVectorStore(server.url, null)
    onTestFinished(() => store.close())
    await expect(store.list()).rejects.toThrow(`Weaviate at ${server.url} cannot be used: GET /v1/aliases`)
  })
})
