import { describe, expect, it } from 'vitest'
import {
  ALIASES,
  comparedContext,
  fixtureRow,
  REQUESTED,
  streamOf,
  wideDataset,
} from '../../tests/helpers/report-rows.ts'
import type { Aggregate } from '../../contract/index.ts'
import { aggregateRun } from './aggregate-run.ts'
import { findings, modelCaution } from './findings.ts'

const dataset = wideDataset('wide', 'Wide', 1)

/** Approaches that name the required point in the first `hits` questions. */
function runOf(hits: Partial<Record<keyof typeof ALIASES, number>>): Promise<Aggregate> {
  const aliases = Object.keys(hits).map((name) => ALIASES[name as keyof typeof ALIASES])
  const rows = Object.values(hits).flatMap((count, place) =>
    dataset.questions.map((_, index) =>
      fixtureRow(dataset, aliases[place]!, index, { answer: index < count ? 'The answer.' : 'Nothing.' }),
    ),
  )
  return aggregateRun(streamOf(rows), {
    ...comparedContext(dataset),
    aliases,
    metrics: REQUESTED,
    judge: { state: 'disabled' },
  })
}

describe('findings', () => {
  it('findings name the highest approach, and say when nothing is decided', async () => {
    const [first, second] = findings(await runOf({ vanilla: 10, hybrid: 12, agentic: 11 }))
    expect(first).toMatch(/^Highest on points covered is hybrid-rag, 0\.50 \[0\.\d\d, 0\.\d\d\]\.$/)
    expect(second).toBe('None of the 3 pairs is decided: by these figures this run cannot tell the approaches apart.')
  })

  it('findings name the approaches that the highest beats', async () => {
    expect(findings(await runOf({ vanilla: 2, hybrid: 24, agentic: 22 }))[0]).toMatch(
      /^Highest on points covered is hybrid-rag, 1\.00.*; decidedly better than vanilla-rag; 2 of 3 pairs are decided\.$/,
    )
    expect(findings(await runOf({ vanilla: 2, hybrid: 24 }))[0]).toContain('decidedly better than every other approach')
  })

  it('equal approaches share the first rank, and without comparisons there are no findings', async () => {
    expect(findings(await runOf({ vanilla: 12, hybrid: 12, agentic: 11 }))[0]).toContain(
      'are vanilla-rag and hybrid-rag, 0.50',
    )
    expect(findings(await runOf({ vanilla: 12, hybrid: 12 }))[0]).toContain(
      'All approaches have the same points covered, 0.50',
    )
    expect(findings({ ...(await runOf({ vanilla: 12, hybrid: 12 })), comparisons: null })).toEqual([])
    expect(findings(await runOf({ vanilla: 12 }))).toEqual([])
  })
})

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
