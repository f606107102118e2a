import { describe, expect, it, onTestFinished } from 'vitest'
import { startModelService, type ModelService, type ModelServiceAnswer } from '../../../tests/helpers/model-service.ts'
import { listServiceModels, remedyOf, type AskedService, type ListedModels } from './list-service-models.ts'

const LIST = { json: { object: 'list', data: [{ id: 'tiny' }, { id: 'tiny-embed' }] } }

async function serve(answer: ModelServiceAnswer = LIST): Promise<{ baseUrl: string; service: ModelService }> {
  const service = await startModelService(() => answer)
  onTestFinished(() => service.close())
  return { baseUrl: `${service.url}/v1`, service }
}

const list = (baseUrl: string, changes: Partial<AskedService> = {}): Promise<ListedModels> =>
  listServiceModels({ kind: 'compatible', baseUrl, key: null, keyName: null, timeoutMs: 5000, ...changes })

describe('the models of a service', () => {
  it('are listed with its key, and asked for each time', async () => {
    const { baseUrl, service } = await serve()
    for (let call = 0; call < 2; call += 1)
      expect(await list(baseUrl, { key: 'k-123456', keyName: 'X_API_KEY' })).toMatchObject({
        models: ['tiny', 'tiny-embed'],
        probe: { probe: 'models', status: 'passed', finding: '2 models' },
      })
    expect(service.calls.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer k-123456'))
  })

  it('of Anthropic are asked for with the headers of its own interface', async () => {
    const { baseUrl, service } = await serve()
    await list(baseUrl, { kind: 'anthropic', key: 'k-123456' })
    expect(service.calls[0]?.headers).toMatchObject({ 'x-api-key': 'k-123456', 'anthropic-version': '2023-06-01' })
  })

  it('are unreachable at a port where nothing listens', async () => {
    const { baseUrl, service } = await serve()
    await service.close()
    expect(await list(baseUrl, { kind: 'ollama' })).toMatchObject({
      isUnreachable: true,
      probe: {
        status: 'failed',
        error: `nothing listens at ${baseUrl}/models`,
        remedy: 'Start Ollama, or correct the address and its port.',
      },
    })
  })

  it('are not waited for beyond the deadline', async () => {
    const { baseUrl } = await serve({ raw: () => undefined })
    const { probe, isUnreachable } = await list(baseUrl, { timeoutMs: 60 })
    expect([probe.error, isUnreachable]).toEqual([`GET ${baseUrl}/models did not answer within 0.06 s`, true])
  })

  it('are no web page', async () => {
    const { baseUrl } = await serve({ raw: (response) => response.end('<!doctype html><title>Router</title>') })
    const { error, remedy } = (await list(baseUrl)).probe
    expect(error).toContain('answered with a web page: <!doctype html>')
    expect(remedy).toContain('check port and path')
  })

  it('are no JSON without a list', async () => {
    const { baseUrl } = await serve({ json: { models: [] } })
    expect((await list(baseUrl)).probe.error).toBe(`${baseUrl}/models answered JSON without a list "data"`)
  })

  it('are asked for at no other address', async () => {
    const other = await serve()
    const { baseUrl } = await serve({ status: 307, headers: { location: `${other.baseUrl}/models` }, json: {} })
    const { probe } = await list(baseUrl, { key: 'k-123456' })
    expect(probe.remedy).toBe(`The service is at another address: ${other.baseUrl}/models. Use that one.`)
    expect(other.service.calls).toEqual([])
  })
})

describe('what to do about a refusal', () => {
  it.each([
    [
      null,
      null,
      'The service needs a key: store one (rag-ladder models key set NAME, or Store key on the page Models), or name the variable that holds it.',
    ],
    ['X_API_KEY', null, 'Set X_API_KEY to a key of this service.'],
    ['X_API_KEY', 'wrong-key', 'Check the key in X_API_KEY and what it is allowed to use.'],
  ])('is named for 401 with the variable %s and the key %s', async (keyName, key, remedy) => {
    const { baseUrl } = await serve({ status: 401, json: { error: { message: 'no auth' } } })
    const { probe } = await list(baseUrl, { keyName, key })
    expect(probe).toMatchObject({ error: `GET ${baseUrl}/models answered 401: no auth`, remedy })
  })

  it('is the command that fetches a model which Ollama does not have', () => {
    const service = { kind: 'ollama' as const, key: null, keyName: null }
    expect(remedyOf(service, { status: 404, headers: {} }, 'big', 'model "big" not found')).toBe(
      'Fetch it with: ollama pull big',
    )
  })
})
