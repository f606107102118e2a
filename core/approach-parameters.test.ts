import { describe, expect, it } from 'vitest'
import { PARAMETER_WORDS, parameterFields } from './approach-parameters.ts'
import { BaseApproach } from '../contract/approaches.ts'
import { ADJUSTABLE_APPROACHES, OwnFlavorsFile } from '../contract/manifests/flavors.ts'
import { describeIssues } from './issues.ts'

describe('parameters that a person can set', () => {
  it('are known for every approach, with words, a kind and a range', () => {
    expect(BaseApproach.options.filter((base) => !ADJUSTABLE_APPROACHES.includes(base))).toEqual([
      'workflow-adaptive-rag',
      'hyde-rag',
      'multi-query-rag',
      'raptor-rag',
      'no-retrieval',
      'full-context',
      'own-approach',
    ])
    const all = ADJUSTABLE_APPROACHES.flatMap((base) => parameterFields(base))
    expect(new Set(all.map(({ name }) => name))).toEqual(new Set(Object.keys(PARAMETER_WORDS)))
    for (const { label, about, kind, range, options } of all) {
      expect(label).not.toBe('')
      expect(about).toMatch(/\.$/)
      expect(range !== null).toBe(kind === 'integer' || kind === 'share' || kind === 'text')
      expect(options.length > 0).toBe(kind === 'choice')
    }
  })

  it('have the ranges of the table of approaches', () => {
    expect(parameterFields('workflow-adaptive-rag')).toEqual([])
    expect(parameterFields('hybrid-rag').map(({ name, kind, range }) => [name, kind, range])).toEqual([
      ['retrieve_k', 'integer', [1, 200]],
      ['top_n', 'integer', [1, 200]],
      ['alpha', 'share', [0, 1]],
      ['rerank', 'switch', null],
      ['instructions', 'text', [1, 2000]],
      ['answer_prompt', 'text', [1, 8000]],
    ])
    expect(parameterFields('graph-rag')[0]).toMatchObject({
      name: 'mode',
      kind: 'choice',
      options: ['local', 'global', 'hybrid', 'naive', 'mix'],
    })
  })

  it('are checked where the file of own flavors is read, with the place of each problem', () => {
    const problems = (flavors: unknown): string[] => {
      const parsed = OwnFlavorsFile.safeParse({ version: 1, flavors })
      return parsed.success ? [] : describeIssues(parsed.error)
    }
    const parameters = { retrieve_k: 20, top_n: 10, alpha: 0.5, rerank: true }
    expect(problems({ 'hybrid-k10': { base: 'hybrid-rag', parameters } })).toEqual([])
    expect(problems({ x: { base: 'hybrid-rag', parameters: { ...parameters, alpha: 2, k: 5 } } })).toEqual([
      expect.stringContaining('flavors.x.parameters.alpha: '),
      'flavors.x.parameters.k: unknown field',
    ])
    expect(problems({ x: { base: 'workflow-adaptive-rag', parameters: {} } })).toEqual([
      expect.stringContaining('flavors.x.base: '),
    ])
  })
})
