import { describe, expect, it } from 'vitest'
import type { CanonicalRow, RowEvidence } from '../../contract/evidence/canonical-row.ts'
import { TOKEN_ESTIMATE } from '../../contract/evidence/context-budget.ts'
import { ALIASES, fixtureDataset, fixtureRow } from '../../tests/helpers/report-rows.ts'
import { contextTokens, handedOver } from './handed-over.ts'

const dataset = fixtureDataset('subset', 'Subset', 1)
const row = fixtureRow(dataset, ALIASES.hybrid, 0, { found: { contexts: 1, recall: 1 } })
const evidence = row.evidence!
const withEvidence = (more: Partial<RowEvidence>): CanonicalRow => ({ ...row, evidence: { ...evidence, ...more } })

describe('tokens handed over', () => {
  it('are what the platform reports, else an estimate of the texts that it sent', () => {
    expect(contextTokens(evidence, 'answer_with_contexts', 'full')).toEqual({
      context_tokens: 3,
      context_tokens_by: TOKEN_ESTIMATE,
    })
    for (const partly of ['snippet', 'mixed'] as const)
      expect(contextTokens(evidence, 'answer_with_contexts', partly).context_tokens).toBeNull()
    const reported = { ...evidence.server_metrics!, context_tokens: 1200, context_tokens_by: 'a tokenizer' }
    expect(contextTokens({ ...evidence, server_metrics: reported }, 'answer_with_contexts', 'full')).toEqual({
      context_tokens: 1200,
      context_tokens_by: 'a tokenizer',
    })
  })

  it('are those of the passages that an engine reports as used, unknown where it reports none, and 0 where nothing was found', () => {
    const graph = { ...evidence, contexts: [], sources: [] }
    const used = [{ title: 'a.md', snippet: 'one', score: null, text: 'one two' }]
    expect(contextTokens({ ...graph, used_passages: used }, 'answer_only', undefined).context_tokens).toBe(2)
    expect(contextTokens(graph, 'answer_only', undefined)).toEqual({ context_tokens: null, context_tokens_by: null })
    expect(contextTokens(graph, 'answer_with_contexts', undefined).context_tokens).toBe(0)
  })

  it('of rows of earlier versions are estimated from the stored texts and named so', () => {
    expect(handedOver(row)).toMatchObject({ tokens: 3, by: `${TOKEN_ESTIMATE}, of the stored texts` })
    expect(handedOver(withEvidence({ context_tokens: 7, context_tokens_by: 'x' }))).toMatchObject({
      tokens: 7,
      by: 'x',
    })
    expect(handedOver({ ...row, status: 'error', evidence: null })).toBeNull()
  })

  it('come with the curve that the row records, else with that of its texts', () => {
    const fact = { document: 'a.md', fact: 'the whole fact' }
    const question = { ...row.question, gold: [fact, { document: 'b.md', fact: 'another fact altogether' }] }
    expect(handedOver({ ...row, question })!.curve).toEqual([0.5, 0.5, 0.5, 0.5, 0.5])
    const retrieval = { ...row.metrics.retrieval, budget_curve: [0, 0, 0.25, 1, 1] }
    expect(handedOver({ ...row, metrics: { ...row.metrics, retrieval } })!.curve).toEqual([0, 0, 0.25, 1, 1])
  })
})
