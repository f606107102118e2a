import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  embeddingSpaceOf,
  MODEL_BACKENDS,
  modelNameOf,
  unsuitable,
  type Backend,
  type ModelChoice,
} from './model-backends.ts'
import { roleTask, type ModelRole } from './models.ts'

const ROOT = join(import.meta.dirname, '../..')
const AREAS = ['bin', 'charts', 'contract', 'core', 'main', 'preload', 'providers', 'renderer']
const BACKENDS = Object.keys(MODEL_BACKENDS) as Backend[]

const model = (backend: Backend, rest: object = {}): ModelChoice =>
  MODEL_BACKENDS[backend].settings.parse({ backend, model: 'm', ...rest })

describe('model backends', () => {
  it('every descriptor declares the settings of its own backend', () => {
    expect(BACKENDS.map((backend) => MODEL_BACKENDS[backend].settings.shape.backend.value)).toEqual(BACKENDS)
  })

  it('a model serves the roles whose work its backend, or its task, can do', () => {
    const onnx = (task: string): ModelChoice => model('onnx', { task })
    const openai = model('openai', { base_url: 'http://x' })
    const tei = model('tei', { base_url: 'http://x' })
    const builtin = model('builtin')
    const why = (role: ModelRole, choice: ModelChoice): string | null => unsuitable(roleTask(role), choice)
    expect(why('embed', onnx('embedding'))).toBeNull()
    expect(why('evaluator_embed', onnx('generation'))).toBe('the role needs the task embedding, not generation')
    expect(why('light_gen', onnx('rerank'))).toBe('the role needs the task generation, not rerank')
    expect(why('rerank', onnx('rerank'))).toBeNull()
    expect(why('rerank', openai)).toMatch(/^the openai backend cannot rerank; use builtin, .*\btei\b/)
    expect(why('rerank', tei)).toBeNull()
    expect(why('embed', tei)).toBeNull()
    expect(why('light_gen', tei)).toMatch(/^the tei backend cannot generate text; use builtin, .*\bopenai\b/)
    expect(why('rerank', builtin)).toBeNull()
  })

  it('no product file other than the descriptors and the table of openers lists or compares backends', () => {
    const files = globSync(`{${AREAS.join(',')}}/**/*.{ts,tsx,mjs}`, { cwd: ROOT, exclude: ['**/node_modules/**'] })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => !/\.test\.tsx?$/.test(file))
    expect(files.length).toBeGreaterThan(300)
    const compared = new RegExp(
      `(?:choice|model)s?\\??\\.backend\\s*[!=]==\\s*'|backend\\s*[!=]==\\s*'(?:${BACKENDS.join('|')})'`,
    )
    const listing = files.filter((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      const named = BACKENDS.filter(
        (backend) => text.includes(`'${backend}'`) || new RegExp(`^ +${backend}: `, 'm').test(text),
      )
      return named.length > 1 || compared.test(text)
    })
    expect(listing.sort()).toEqual([
      'contract/manifests/model-backends.ts',
      // The error bodies of OpenAI's and TEI's protocols, which this platform answers in too.
      'providers/kit/error-family.ts',
      'providers/kit/http-error.ts',
      'providers/platform/models/backends.ts',
    ])
  })
})

const onnx = (more: object = {}): string =>
  embeddingSpaceOf(model('onnx', { model: 'minilm', task: 'embedding', ...more }))
const openai = (defaults: object): string =>
  embeddingSpaceOf(model('openai', { model: 'small', base_url: 'http://127.0.0.1', defaults }))

it.each(Object.entries(MODEL_BACKENDS))('every setting of the backend %s has an effect', (_, { settings, effects }) => {
  const { backend: _backend, model: _model, ...shape } = settings.shape
  expect(Object.keys(effects).toSorted()).toEqual(Object.keys(shape).toSorted())
})

describe('embeddingSpaceOf', () => {
  it('is the name alone of a built-in model, whose stored collections stay valid', () => {
    expect(embeddingSpaceOf({ backend: 'builtin', model: 'hashed-768' })).toBe('hashed-768')
  })

  it.each([
    { dtype: 'fp32' },
    { query_prefix: 'query: ' },
    { document_prefix: 'passage: ' },
    { pooling: 'cls' },
    { max_tokens: 128 },
  ])('differs where %j does', (setting) => {
    expect(onnx(setting)).not.toBe(onnx())
  })

  it('ignores settings of an onnx model that leave its vectors as they are', () => {
    expect(onnx({ max_new_tokens: 64 })).toBe(onnx())
    expect(onnx()).toBe('minilm (dtype "q8")')
  })

  it('takes the request defaults of a service in any order, without the number of dimensions', () => {
    expect(openai({ dimensions: 768 })).toBe('small')
    expect(openai({ b: 1, a: 'x' })).toBe(openai({ a: 'x', b: 1 }))
    expect(openai({ input_type: 'query' })).not.toBe(openai({}))
  })
})

it.each([
  ['onnx', 'Xenova/ms-marco', 'Xenova/ms-marco'],
  ['onnx', '/home/me/models/minilm/', 'minilm'],
  ['onnx', 'C:\\models\\minilm', 'minilm'],
  ['gguf', '/home/me/Qwen3.gguf', 'Qwen3'],
  ['openai', '/models/qwen', '/models/qwen'],
] as const)('modelNameOf of the %s model %s is %s', (backend, name, expected) => {
  const more = { model: name, task: 'embedding', base_url: 'http://127.0.0.1' }
  const known = MODEL_BACKENDS[backend].settings.keyof().options as readonly string[]
  const settings = Object.fromEntries(Object.entries(more).filter(([key]) => known.includes(key)))
  expect(modelNameOf(model(backend, settings))).toBe(expected)
})
