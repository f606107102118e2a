import { describe, expect, it } from 'vitest'
import { decidedRun as runOf } from '../../tests/helpers/decided-run.ts'
import { modelCaution } from './findings.ts'

describe('modelCaution', () => {
  it('the caution names built-in rules used as language models and as judges', async () => {
    const run = await runOf({ vanilla: 12, hybrid: 12 })
    expect(modelCaution([run])).toMatch(/^Every model of this run is a built-in rule, not a language model\./)
    const mixed = structuredClone(run)
    mixed.reproducibility!.runtime.models!.roles['light_gen'] = { backend: 'openai', model: 'm' }
    expect(modelCaution([mixed])).toMatch(/^Built-in rules, not language models, are used for embed\./)
    const real = structuredClone(mixed)
    real.reproducibility!.runtime.models!.roles['embed'] = { backend: 'openai', model: 'm' }
    expect(modelCaution([real])).toBeNull()
    const section = { status: 'pending' as const, judges: ['builtin-lexical-support', 'a'] }
    expect(modelCaution([{ ...real, judge_panel: section }])).toMatch(/^The judges are built-in rules/)
    expect(modelCaution([{ ...run, judge_panel: section }])).toContain('; so are the judges.')
  })
})
