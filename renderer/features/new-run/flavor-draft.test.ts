import { expect, it } from 'vitest'
import type { AliasView } from '../../../contract/control/experiment.ts'
import { changedFields, suggestedName, withoutEmpty } from './flavor-draft.ts'

const parameters = { retrieve_k: 20, top_n: 5, alpha: 0.5, rerank: true }
const from: AliasView = {
  alias: 'hybrid-rag',
  own: false,
  base: 'hybrid-rag',
  flavor: null,
  experimental: false,
  evidence: 'answer_with_contexts',
  requires_reingest: false,
  parameters,
  settable: parameters,
  canonical: true,
  by_default: true,
}
const start = { from, changes: false }

it('names a flavor after what is different, and not after an empty text', () => {
  expect(suggestedName(start, parameters)).toBe('')
  expect(suggestedName(start, { ...parameters, instructions: '  ' })).toBe('')
  expect(suggestedName(start, { ...parameters, top_n: 10, alpha: 0.3 })).toBe('hybrid-rag-top-n-10-alpha-0.3')
  expect(suggestedName(start, { ...parameters, instructions: 'Answer in French.' })).toBe('hybrid-rag-instructions')
  expect(changedFields(start, { ...parameters, rerank: false }).map(({ name }) => name)).toEqual(['rerank'])
  expect(withoutEmpty({ ...parameters, instructions: ' ' })).toEqual(parameters)
})
