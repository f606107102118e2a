import { describe, expect, it } from 'vitest'
import { budgetEnd } from './budget-end.ts'

const server = { seconds: 1, chunks: 2, llm_calls: 1, cloud_calls: 0 }
const source = (document: string) => ({ title: document, document, snippet: '', score: null })
// Five tokens each: every word is one token, and so is the full stop.
const contexts = ['The light is old.', 'The guild was founded']
const sources = [source('lighthouse.txt'), source('guild.txt')]

describe('the end of the context budget', () => {
  it('is in the last context when the contexts fill the budget', () => {
    const server_metrics = { ...server, context_budget: 10 }
    expect(budgetEnd({ contexts, sources, server_metrics })).toEqual({ rank: 2, budget: 10, document: 'guild.txt' })
  })

  it('is nowhere when the contexts leave part of the budget, or when there is no budget', () => {
    expect(budgetEnd({ contexts, sources, server_metrics: { ...server, context_budget: 2000 } })).toBeNull()
    expect(budgetEnd({ contexts, sources, server_metrics: server })).toBeNull()
    expect(budgetEnd({ contexts, sources, server_metrics: null })).toBeNull()
    expect(budgetEnd({ contexts: [], sources: [], server_metrics: { ...server, context_budget: 2000 } })).toBeNull()
  })
})
