import { describe, expect, it } from 'vitest'
import { ModelList } from '../../../contract/http/chat.ts'
import { startGateway } from '../../../tests/helpers/gateway-fixture.ts'
import { requireKnownAliases, type AliasBackend } from './alias-backend.ts'

describe('listings', () => {
  it('name every alias with its availability, and on request every role and every model once', async () => {
    const { url } = await startGateway()
    const list = async (query = '') => ModelList.parse(await (await fetch(`${url}/v1/models${query}`)).json())
    expect((await list()).data.map(({ id }) => id)).toEqual(['vanilla-rag', 'graph-rag'])
    const { object, data } = await list('?all=true')
    expect(object).toBe('list')
    expect(data.slice(0, 2).map((entry) => ({ ...entry, created: 0 }))).toEqual([
      { id: 'vanilla-rag', object: 'model', created: 0, owned_by: 'p', rag_ladder: { available: true, reason: null } },
      {
        id: 'graph-rag',
        object: 'model',
        created: 0,
        owned_by: 'p',
        rag_ladder: { available: false, reason: 'comes later' },
      },
    ])
    const ids = data.map((entry) => entry.id)
    expect(ids).toHaveLength(new Set(ids).size)
    expect(ids).toEqual(expect.arrayContaining(['embed', 'rerank', 'light_gen', 'tiny-rerank']))
  })

  it.each(['vanilla-rag', 'light_gen', 'tiny-rerank'])('show the model %s by its id', async (id) => {
    const { url } = await startGateway()
    const answer = await fetch(`${url}/v1/models/${id}`)
    expect([answer.status, await answer.json()]).toMatchObject([200, { id, object: 'model' }])
  })

  it('refuse an unknown model id as the API does', async () => {
    const { url } = await startGateway()
    const answer = await fetch(`${url}/v1/models/none/of-these`)
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { error: { code: 'model_not_found', param: 'model', type: 'not_found_error' } },
    ])
  })

  it.each([
    ['POST', '/v1/responses'],
    ['POST', '/v1/completions'],
    ['GET', '/v1/files'],
    ['GET', '/v1/chat/completions'],
  ])('answer %s %s, which does not exist, in the form of the API', async (method, path) => {
    const { url } = await startGateway()
    const answer = await fetch(url + path, { method })
    expect([answer.status, await answer.json()]).toEqual([
      404,
      {
        error: {
          message: expect.stringContaining(`There is no route ${method} ${path} here`),
          type: 'invalid_request_error',
          param: null,
          code: 'unknown_url',
        },
      },
    ])
  })

  it('report liveliness and readiness as LiteLLM does', async () => {
    const { url } = await startGateway()
    expect(await (await fetch(`${url}/health/liveliness`)).json()).toBe("I'm alive!")
    expect(await (await fetch(`${url}/health/readiness`)).json()).toMatchObject({ status: 'healthy' })
  })

  it('refuse the start when the plugin does not know a declared alias', async () => {
    const backend = {
      availability: (alias: string) => (alias === 'a' ? { available: true, reason: null } : null),
    } as AliasBackend
    await expect(requireKnownAliases(['a'], backend)).resolves.toBeUndefined()
    await expect(requireKnownAliases(['a', 'b', 'c'], backend)).rejects.toThrow('declared aliases: b, c')
  })
})
