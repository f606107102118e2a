import { expect, it } from 'vitest'
import type { ModelSetView } from '../../../contract/control/experiment.ts'
import { DeclaredSet, ModelRole, roleTask } from '../../../contract/manifests/models.ts'
import { EMPTY_DRAFT, RULES, setOf, sourcesOf, suggestedName } from './set-draft.ts'

const builtin: ModelSetView = {
  name: 'builtin',
  description: '',
  is_default: true,
  own: false,
  roles: Object.fromEntries(
    ModelRole.options.map((role) => [
      role,
      { backend: 'builtin', model: `rules-${roleTask(role)}`, cloud: false, known: [] },
    ]),
  ),
}
const connection = {
  name: 'lab',
  kind: 'anthropic',
  address: '',
  key: 'none',
  key_env: null,
  key_set: true,
  cloud: true,
  own: true,
  declared: { kind: 'anthropic', api_key_env: null },
} as const

it('a draft with one model for all roles is a set of that default, with rules for embeddings and reranking', () => {
  const set = setOf({ ...EMPTY_DRAFT, text: { source: 'connection:lab', model: ' tiny ' } }, [builtin])
  expect(set).toEqual({
    default: { connection: 'lab', model: 'tiny' },
    roles: {
      embed: { backend: 'builtin', model: 'rules-embedding' },
      rerank: { backend: 'builtin', model: 'rules-rerank' },
      evaluator_embed: { backend: 'builtin', model: 'rules-embedding' },
    },
  })
  expect(DeclaredSet.safeParse(set).success).toBe(true)
})

it('a role with a model of its own is written beside the default, and rules in place of a model for every role', () => {
  const text = { source: 'gguf', model: 'models/a.gguf' } as const
  const set = setOf({ ...EMPTY_DRAFT, text, roles: { evaluator: RULES, agentic: { ...text } } }, [builtin])
  expect(set?.default).toEqual({ backend: 'gguf', model: 'models/a.gguf' })
  expect(Object.keys(set?.roles ?? {})).toEqual(['embed', 'rerank', 'evaluator', 'evaluator_embed'])
  const rules = setOf({ ...EMPTY_DRAFT, text: RULES }, [builtin])
  expect(Object.keys(rules?.roles ?? {})).toEqual(ModelRole.options)
})

it('a draft without a model is no set', () => {
  expect(setOf(EMPTY_DRAFT, [builtin])).toBeNull()
  expect(setOf({ ...EMPTY_DRAFT, text: { source: 'connection:lab', model: '' } }, [builtin])).toBeNull()
  const embedding = { source: 'onnx', model: '' } as const
  expect(setOf({ ...EMPTY_DRAFT, text: RULES, embedding }, [builtin])).toBeNull()
})

it('a service without embeddings is not offered for them', () => {
  expect(sourcesOf('generation', [connection])).toEqual(['connection:lab', 'builtin', 'onnx', 'gguf'])
  expect(sourcesOf('embedding', [connection])).toEqual(['builtin', 'onnx', 'gguf'])
  expect(sourcesOf('rerank', [connection])).toEqual(['builtin', 'onnx'])
})

it('a set is named after its model, without what names cannot hold, and never like another set', () => {
  const named = (model: string, ...taken: string[]) =>
    suggestedName(
      { source: 'connection:lab', model },
      taken.map((name) => ({ name })),
    )
  expect(named('qwen3:4b')).toBe('qwen3-4b')
  expect(named('models/Qwen3-4B-Q4_K_M.gguf')).toBe('Qwen3-4B-Q4_K_M')
  expect(named('C:\\models\\tiny.gguf')).toBe('tiny')
  expect(named('openai/gpt-5 mini', 'gpt-5-mini', 'gpt-5-mini-2')).toBe('gpt-5-mini-3')
  expect(named('…')).toBe('')
})
