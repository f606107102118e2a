import { describe, expect, it } from 'vitest'
import { compareContexts, moveText, rankedContexts } from './evidence-diff.ts'

const source = (document: string, chunk: number) => ({
  title: document,
  snippet: '',
  score: 0.5,
  document,
  chunk_index: chunk,
})

describe('compareContexts', () => {
  it('marks what is the same, what moved and what is only here', () => {
    const here = rankedContexts({
      contexts: ['a', 'b', 'c'],
      sources: [source('x.md', 1), source('x.md', 2), source('y.md', 0)],
    })
    const there = rankedContexts({
      contexts: ['c ', 'a', 'other cut'],
      sources: [source('z.md', 9), source('x.md', 1), source('x.md', 2)],
    })
    expect(compareContexts(here, there).map(moveText)).toEqual(['↑1 from 2', '↑1 from 3', '↓2 from 1'])
    expect(compareContexts(here, []).map(moveText)).toEqual(['only here', 'only here', 'only here'])
  })
})
