import { describe, expect, it } from 'vitest'
import { decidedRun as runOf } from '../../../tests/helpers/decided-run.ts'
import { modelCaution } from './findings.ts'

describe('modelCaution', () => {
  it('the caution names built-in rules used as language models and as judges', async () => {
    const run = await runOf({ vanilla: 12, hybrid: 12 })
    expect(modelCaution([run])).toMatch(/^Every model of this run is a built-in rule, not a language model\./)
    const mixed = structuredClone(run)
    mixed.reproducibility!.runtime.models!.roles['light_gen'] = { backend: 'openai', model: 'm' }
    expect(modelCaution([mixed])).toBe('In this run a built-in rule, not a model, embeds.')
    const real = structuredClone(mixed)
    real.reproducibility!.runtime.models!.roles['embed'] = { backend: 'openai', model: 'm' }
    expect(modelCaution([real])).toBeNull()
    // The usual set of a real model: rules rerank, which says nothing about the answers.
    const reranking = structuredClone(real)
    reranking.reproducibility!.runtime.models!.roles['rerank'] = { backend: 'builtin', model: 'lexical-reranker' }
    expect(modelCaution([reranking])).toBe('In this run a built-in rule, not a model, reranks.')
    const section = { status: 'pending' as const, judges: ['builtin-lexical-support', 'a'] }
    expect(modelCaution([{ ...real, judge_panel: section }])).toBe(
      'In this run a built-in rule, not a model, judges answers.',
    )
    expect(modelCaution([{ ...run, judge_panel: section }])).toContain('; so are the judges.')
  })
})
