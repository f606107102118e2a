import { expect, it } from 'vitest'
import type { ConnectionView, ModelTest } from '../../../contract/control/models.ts'
import { draftOfKind, foundModels, nameOfDraft } from './connection-draft.ts'
import { addressWords, connectionState, testOutcome } from './connection-state.ts'

const connection: ConnectionView = {
  name: 'ollama',
  kind: 'ollama',
  address: '${OLLAMA_URL:-http://127.0.0.1:11434}/v1',
  key: 'none',
  key_env: null,
  key_set: true,
  cloud: false,
  own: false,
  declared: { kind: 'ollama' },
}
const probe = (
  kind: 'chat' | 'embedding',
  status: 'passed' | 'failed',
  model: string,
): ModelTest['probes'][number] => ({
  probe: kind,
  roles: [],
  status,
  model,
  latency_ms: 1,
  finding: null,
  error: null,
  remedy: null,
})
const test = (works: boolean, probes: ModelTest['probes']): ModelTest => ({
  works,
  problems: [],
  probes,
  models: ['a-list', 'of-models'],
  broken: [],
  records: [],
})

it('a connection is named after host and port of its address, and never after one that is there', () => {
  const draft = { ...draftOfKind('compatible'), address: ' http://user@127.0.0.1:8000/v1 ' }
  expect(nameOfDraft(draft, [])).toBe('127.0.0.1-8000')
  expect(nameOfDraft(draft, ['127.0.0.1-8000', '127.0.0.1-8000-2'])).toBe('127.0.0.1-8000-3')
  expect(nameOfDraft({ ...draft, address: 'lab' }, [])).toBe('')
  expect(nameOfDraft({ ...draft, name: ' mine ' }, ['mine'])).toBe('mine')
})

it('a set gets the models that the test found to answer and to embed, and no embedding model that failed', () => {
  const found = test(true, [probe('chat', 'passed', 'chat-1'), probe('embedding', 'passed', 'embed-1')])
  const draft = draftOfKind('compatible')
  expect(foundModels('connection:lab', draft, found)).toEqual({
    text: { source: 'connection:lab', model: 'chat-1' },
    embedding: { source: 'connection:lab', model: 'embed-1' },
  })
  const without = test(true, [probe('chat', 'passed', 'chat-1'), probe('embedding', 'failed', 'embed-1')])
  expect(foundModels('connection:lab', draft, without).embedding).toBeNull()
  expect(foundModels('connection:lab', draft, undefined).text.model).toBe('')
  expect(foundModels('connection:lab', { model: ' own ', embeddingModel: '' }, found).text.model).toBe('own')
})

it('the next step of a connection is its key where one is missing, its models where it answers, else a test', () => {
  const services = [{ kind: 'ollama' as const, address: 'http://127.0.0.1:11434/v1', models: ['a'] }]
  const keyless = { ...connection, key: 'environment' as const, key_env: 'A_KEY', key_set: false }
  expect(connectionState(keyless, test(true, []), services)).toEqual({
    tone: 'bad',
    words: 'A_KEY is not set',
    next: 'key',
  })
  expect(connectionState(connection, undefined, services)).toMatchObject({ tone: 'good', next: 'models' })
  expect(connectionState(connection, undefined, [])).toEqual({ tone: 'idle', words: 'not tested', next: 'test' })
  expect(connectionState(connection, test(false, []), services)).toMatchObject({ tone: 'bad', next: 'test' })
})

it('a service that answers and fails at other work works in part', () => {
  const probe = (status: 'passed' | 'failed') => ({ status }) as ModelTest['probes'][number]
  expect(testOutcome(test(true, [probe('passed')]))).toEqual({ tone: 'good', words: 'works' })
  expect(testOutcome(test(true, [probe('passed'), probe('failed')]))).toEqual({
    tone: 'waiting',
    words: 'works in part: 1 of 2 tests failed',
  })
})

it('an address that begins with a variable is shown as it is used unless that is set', () => {
  expect(addressWords('${OLLAMA_URL:-http://127.0.0.1:11434}/v1')).toEqual({
    address: 'http://127.0.0.1:11434/v1',
    variables: ['OLLAMA_URL'],
  })
  expect(addressWords('https://a/v1')).toEqual({ address: 'https://a/v1', variables: [] })
})
