import { describe, expect, it } from 'vitest'
import { decidedRun } from '../../../tests/helpers/decided-run.ts'
import { verdictsOf } from './verdict.ts'

interface Amounts {
  budget?: number
  /** Median tokens of vanilla, hybrid and graph, and of as many others. */
  medians: readonly number[]
  /** Of vanilla, where questions got different amounts. */
  mean?: number
  /** Questions that graph finds all facts of, of 24. */
  found?: number
}

/** The verdict of approaches that find everything, but for graph. */
async function verdictOf({ budget, medians, mean, found = 24 }: Amounts) {
  const cell = (approach: string, index: number) => ({
    found: { contexts: 5, recall: approach === 'graph' && index >= found ? 0 : 1 },
  })
  const names = ['vanilla', 'hybrid', 'graph', 'agentic', 'adaptive'].slice(0, medians.length)
  const hits = Object.fromEntries(names.map((name) => [name, 24]))
  const run = await decidedRun(hits, { cell, primary: 'facts_found' })
  if (budget !== undefined) run.reproducibility!.runtime.context_budget = budget
  for (const [at, approach] of run.approaches.entries()) {
    const median = medians[at]!
    const ofAll = approach.model === 'vanilla-rag' ? (mean ?? median) : median
    approach.context_tokens = { median, mean: ofAll, n: 24, by: ['a tokenizer'] }
  }
  return verdictsOf([run])[0]!
}

describe('a collection that fits into the context budget', () => {
  it('is named as the cause that all approaches find everything, with what to do', async () => {
    const { kind, why, next } = await verdictOf({ budget: 2000, medians: [247, 247, 247] })
    expect(kind).toBe('ceiling')
    expect(why).toMatch(
      /All 3 approaches handed over the same 247 tokens to every question, less than the context budget of 2.000: probably all the text there is, so this run cannot separate them\.$/,
    )
    expect(next.kind).toBe('new_run')
    expect(next.text).toContain('a context budget well below 247 tokens, or add documents')
  })

  it('is not to be run with a context budget that the program refuses', async () => {
    const { next } = await verdictOf({ budget: 2000, medians: [130, 130, 130] })
    expect(next.text).toBe('To separate them, add documents.')
  })

  it('is a note where the approaches differ all the same', async () => {
    const { kind, notes } = await verdictOf({ budget: 2000, medians: [247, 247, 140], found: 2 })
    expect(kind).not.toBe('ceiling')
    expect(notes.find((note) => note.startsWith('2 of 3 approaches handed over the same 247 tokens'))).toMatch(
      /probably all the text there is\. At this budget retrieval is not tested: a smaller context budget, or more documents, would make approaches choose\.$/,
    )
  })

  it.each<[string, number[], string]>([
    ['most hand over less', [247, 247, 140, 120, 90], '2 of 5'],
    ['one adds what its graph says of the passages', [752, 752, 945, 752, 752], '4 of 5'],
  ])('is named where %s', async (_why, medians, those) => {
    const { why } = await verdictOf({ budget: 2000, medians })
    expect(why).toContain(`${those} approaches handed over the same ${medians[0]!} tokens to every question`)
  })

  it.each<[string, Amounts]>([
    ['the run has no budget', { medians: [247, 247, 247] }],
    ['the budget is nearly filled', { budget: 300, medians: [247, 247, 247] }],
    ['another approach nearly fills it', { budget: 2000, medians: [247, 247, 1900] }],
    ['no two approaches hand over the same', { budget: 2000, medians: [247, 190, 140] }],
    ['questions got different amounts', { budget: 2000, medians: [247, 247, 140], mean: 200 }],
  ])('is not supposed where %s', async (_why, amounts) => {
    const { why, next } = await verdictOf(amounts)
    expect(why).toContain('these questions cannot separate them')
    expect(next.kind).toBe('add_questions')
  })
})
