import { describe, expect, it } from 'vitest'
import type { RunChange } from '../../../contract/control/comparison.ts'
import { changeVerdict } from './change.ts'

type Test = 'better' | 'worse' | 'equivalent' | 'open' | 'not_tested'

const change = (model: string, from: number, to: number, test: Test, n = 24): RunChange => {
  const value = to - from
  const half = test === 'equivalent' ? 0.04 : test === 'open' ? 0.4 : 0.1
  const interval = test === 'not_tested' ? null : { low: value - half, high: value + half }
  return {
    model,
    other: 'before',
    from,
    to,
    difference: value,
    pair: {
      a: 'now',
      b: 'before',
      difference: {
        value,
        n,
        clusters: interval === null ? 3 : 12,
        effective_clusters: 12,
        se: interval === null ? null : half / 2,
        interval,
        no_interval: interval === null ? 'too_few_clusters' : null,
      },
      p: 0.2,
      p_adjusted: 0.5,
      decision: test === 'better' || test === 'worse' ? test : 'undecided',
      wins: value > 0 ? n : 0,
      ties: value === 0 ? n : 0,
      losses: value < 0 ? n : 0,
      smallest_detectable: null,
      equivalence: {
        margin: 0.1,
        low: value - half,
        high: value + half,
        p: 0.01,
        p_adjusted: 0.01,
        equivalent: test === 'equivalent',
      },
    },
  }
}

const words = (...changes: RunChange[]): string => {
  const { headline, why } = changeVerdict('facts_found', changes)
  return `${headline}. ${why}`
}

describe('changeVerdict', () => {
  it('says nothing about significance of a fall on three questions, and names the fall', () => {
    const text = words(
      change('graph-rag', 1, 0, 'not_tested', 3),
      change('agentic-rag', 1, 0, 'not_tested', 3),
      change('hybrid-rag', 1, 1, 'not_tested', 3),
    )
    expect(text).toBe(
      'Too few questions to test: 3 shared questions. A test needs 8 independent groups of questions. Not tested: graph-rag fell from 1.00 to 0.00, agentic-rag fell from 1.00 to 0.00.',
    )
  })

  it('names what is worse and better, and counts what was tested without either', () => {
    expect(words(change('graph-rag', 0.8, 0.4, 'worse'), change('hybrid-rag', 0.5, 0.52, 'equivalent'))).toBe(
      'graph-rag is worse. On 24 shared questions, corrected over 2 tested approaches: graph-rag fell from 0.80 to 0.40; 1 equivalent within 10 points.',
    )
    expect(words(change('graph-rag', 0.8, 0.4, 'worse'), change('hybrid-rag', 0.2, 0.7, 'better'))).toMatch(
      /^1 approach is worse, 1 better\. /,
    )
  })

  it('calls a tested difference without a decision open', () => {
    expect(words(change('graph-rag', 0.5, 0.45, 'open'))).toBe(
      'No approach is better or worse: 1 open. On 24 shared questions, corrected over 1 tested approach: 1 open.',
    )
  })

  it('reports equal scores as such, whatever their test', () => {
    expect(words(change('graph-rag', 1, 1, 'open', 11), change('hybrid-rag', 1, 1, 'not_tested', 11))).toBe(
      'Every score is the same in both runs. 2 approaches on 11 shared questions; a difference on other questions is not excluded.',
    )
  })

  it('does not compare runs without a common question', () => {
    expect(words()).toBe('The runs share no scored question. Compare runs of the same dataset.')
  })
})
