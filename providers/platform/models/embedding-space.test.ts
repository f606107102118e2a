import { describe, expect, it } from 'vitest'
import { MODEL_BACKENDS } from '../../../contract/index.ts'
import { embeddingSpaceOf } from './embedding-space.ts'

const onnx = (more: object = {}): string =>
  embeddingSpaceOf(MODEL_BACKENDS.onnx.settings.parse({ backend: 'onnx', model: 'minilm', task: 'embedding', ...more }))
const openai = (defaults: object): string =>
  embeddingSpaceOf(
    MODEL_BACKENDS.openai.settings.parse({ backend: 'openai', model: 'small', base_url: 'http://127.0.0.1', defaults }),
  )

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
    expect(onnx()).toBe('minilm (q8)')
  })

  it('takes the request defaults of a service in any order, without the number of dimensions', () => {
    expect(openai({ dimensions: 768 })).toBe('small')
    expect(openai({ b: 1, a: 'x' })).toBe(openai({ a: 'x', b: 1 }))
    expect(openai({ input_type: 'query' })).not.toBe(openai({}))
  })
})
