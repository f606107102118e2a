import { expect, it } from 'vitest'
import type { AliasView } from '../../../contract/control/experiment.ts'
import { parameterText } from './parameter-text.ts'

const hybrid: AliasView = {
  alias: 'hybrid-rag',
  own: false,
  base: 'hybrid-rag',
  flavor: null,
  experimental: false,
  evidence: 'answer_with_contexts',
  requires_reingest: false,
  parameters: { retrieve_k: 20, top_n: 5, alpha: 0.5, rerank: true },
  settable: { retrieve_k: 20, top_n: 5, alpha: 0.5, rerank: true },
  canonical: true,
  by_default: true,
}

it('an approach is described in the words of its editor, without a name of a parameter', () => {
  expect(parameterText(hybrid)).toBe(
    'chunks retrieved 20 · chunks handed over 5 · weight of the vectors 0.5 · reranker on',
  )
  expect(parameterText({ ...hybrid, parameters: { query_profile: 'graph-rag' }, settable: null })).toBe(
    'graph query graph-rag',
  )
})

it('a flavor names only what differs from its approach', () => {
  const flavor = { ...hybrid, alias: 'plain', flavor: 'plain', settable: { ...hybrid.settable, rerank: false } }
  expect(parameterText(flavor, hybrid)).toBe('reranker off')
  expect(parameterText({ ...flavor, settable: hybrid.settable }, hybrid)).toBe('same settings as its approach')
})
