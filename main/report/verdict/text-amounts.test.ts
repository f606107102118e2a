import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { decidedRun } from '../../../tests/helpers/decided-run.ts'
import { verdictsOf } from './verdict.ts'

/** A run of an approach that finds most, renamed to `full-context`, beside three others, with these median tokens. */
async function withFullContext(
  hits: { full: number; vanilla: number; hybrid: number; other: number },
  tokens: { full: number | null; vanilla: number; hybrid: number; other: number },
): Promise<Aggregate> {
  const run = await decidedRun({
    graph: hits.full,
    vanilla: hits.vanilla,
    hybrid: hits.hybrid,
    hybridFast: hits.other,
  })
  const medians: Record<string, number | null> = {
    'full-context': tokens.full,
    'vanilla-rag': tokens.vanilla,
    'hybrid-rag': tokens.hybrid,
    'hybrid-rag-fast': tokens.other,
  }
  const renamed = JSON.parse(JSON.stringify(run).replaceAll('graph-rag', 'full-context')) as Aggregate
  for (const approach of renamed.approaches) {
    const median = medians[approach.model] ?? null
    approach.context_tokens = median === null ? null : { median, mean: median, n: 24, by: ['a tokenizer'] }
  }
  return renamed
}

const verdictOf = (run: Aggregate) => verdictsOf([run])[0]!

describe('full-context', () => {
  it('that finds most with all the text leads with other amounts of text, and is no winner', async () => {
    const run = await withFullContext(
      { full: 24, vanilla: 2, hybrid: 5, other: 6 },
      { full: 40_000, vanilla: 1900, hybrid: 1950, other: 2000 },
    )
    const { kind, headline, notes } = verdictOf(run)
    expect(kind).toBe('unlike_text')
    expect(headline).toBe('full-context leads, but not at like amounts of text')
    expect(notes.join(' ')).toContain('No hybrid of like amount shows that full-context would lead with equal text.')
  })

  it('wins where a hybrid that handed over as much found less', async () => {
    const run = await withFullContext(
      { full: 24, vanilla: 2, hybrid: 5, other: 6 },
      { full: 2050, vanilla: 1900, hybrid: 1950, other: 2000 },
    )
    expect(verdictOf(run)).toMatchObject({ kind: 'winner', top: ['full-context'] })
  })

  it('of any score never wins, alone or tied, over approaches that handed over less text', async () => {
    const hits = fc.integer({ min: 0, max: 24 })
    const few = fc.integer({ min: 200, max: 2000 })
    await fc.assert(
      fc.asyncProperty(
        fc.record({ full: hits, vanilla: hits, hybrid: hits, other: hits }),
        fc.record({ full: fc.integer({ min: 3000, max: 900_000 }), vanilla: few, hybrid: few, other: few }),
        async (found, tokens) => {
          const { kind, top, worse } = verdictOf(await withFullContext(found, tokens))
          if ((kind === 'winner' || kind === 'tied') && worse.length > 0) expect(top).not.toEqual(['full-context'])
        },
      ),
      { numRuns: 40 },
    )
  })
})
