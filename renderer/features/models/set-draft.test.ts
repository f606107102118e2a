import { expect, it } from 'vitest'
import type { ModelSetView } from '../../../contract/control/experiment.ts'
import { DeclaredSet, ModelRole, roleTask, type DeclaredSetInput } from '../../../contract/manifests/models.ts'
import { draftOfSet, EMPTY_DRAFT, isUnchanged, RULES, setOf, sourcesOf, suggestedName } from './set-draft.ts'

const builtin: ModelSetView = {
  name: 'builtin',
  description: '',
  is_default: true,
  own: false,
  roles: Object.fromEntries(
    ModelRole.options.map((role) => [
      role,
      { backend: 'builtin', model: `rules-${roleTask(role)}`, cloud: false, known: [], learned_at: null },
    ]),
  ),
  declared: {
    description: '',
    roles: Object.fromEntries(
      ModelRole.options.map((role) => [role, { backend: 'builtin' as const, model: `rules-${roleTask(role)}` }]),
    ),
  },
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

const saved = (set: DeclaredSetInput): ModelSetView => ({
  ...builtin,
  name: 'mine',
  own: true,
  declared: DeclaredSet.parse(set),
})

it.each<[string, DeclaredSetInput]>([
  ['built-in rules', builtin.declared],
  [
    'one model of a connection',
    {
      description: 'Mine',
      default: { connection: 'lab', model: 'tiny', timeout_s: 30 },
      roles: {
        embed: { backend: 'gguf', model: 'models/embed.gguf', query_prefix: 'query: ' },
        rerank: { backend: 'builtin', model: 'rules-rerank' },
        evaluator_embed: { backend: 'gguf', model: 'models/embed.gguf', query_prefix: 'query: ' },
      },
    },
  ],
  [
    'models per role',
    {
      default: { backend: 'openai', model: 'large', base_url: 'http://127.0.0.1:1/v1' },
      roles: {
        embed: { backend: 'builtin', model: 'rules-embedding' },
        rerank: { backend: 'builtin', model: 'rules-rerank' },
        evaluator: { connection: 'lab', model: 'grader' },
        evaluator_embed: { backend: 'builtin', model: 'other-rules' },
      },
    },
  ],
])('a saved set with %s is edited with all its settings, also those that the form does not show', (_what, declared) => {
  const set = saved(declared)
  const sets = [builtin, set]
  const draft = draftOfSet(set, sets)
  expect(draft.name).toBe('mine')
  expect(isUnchanged(draft, sets)).toBe(true)
  expect(DeclaredSet.parse(setOf(draft, sets))).toEqual(set.declared)
})

it('an edited model keeps the settings of its source, and another source has none of them', () => {
  const set = saved({
    ...builtin.declared,
    default: { connection: 'lab', model: 'tiny', timeout_s: 30 },
    roles: {
      embed: { backend: 'builtin', model: 'rules-embedding' },
      rerank: { backend: 'builtin', model: 'rules-rerank' },
      evaluator_embed: { backend: 'builtin', model: 'rules-embedding' },
    },
  })
  const sets = [builtin, set]
  const draft = draftOfSet(set, sets)
  expect(draft.isPerRole).toBe(false)
  const renamed = { ...draft, text: { ...draft.text!, model: 'larger' } }
  expect(setOf(renamed, sets)?.default).toEqual({ connection: 'lab', model: 'larger', timeout_s: 30 })
  expect(isUnchanged(renamed, sets)).toBe(false)
  const moved = { ...draft, text: { source: 'gguf', model: 'a.gguf' } as const }
  expect(setOf(moved, sets)?.default).toEqual({ backend: 'gguf', model: 'a.gguf' })
})

it('a service without embeddings is not offered for them', () => {
  expect(sourcesOf('generation', [connection])).toEqual(['connection:lab', 'builtin', 'onnx', 'gguf'])
  expect(sourcesOf('embedding', [connection])).toEqual(['builtin', 'onnx', 'gguf'])
  expect(sourcesOf('rerank', [connection])).toEqual(['builtin', 'onnx'])
  // What only a file can declare stays chosen.
  expect(sourcesOf('rerank', [connection], 'tei')).toEqual(['builtin', 'onnx', 'tei'])
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
