import { expect, it } from 'vitest'
import { decidedRun } from '../../../tests/helpers/decided-run.ts'
import { budgetNotes } from './budget-tables.ts'

/** The first note of a run in which vanilla, hybrid, graph and agentic handed over these amounts at a budget of 2,000 tokens. */
async function firstNote(...medians: number[]): Promise<string> {
  const run = await decidedRun({ vanilla: 24, hybrid: 24, graph: 24, agentic: 24 }, {})
  run.reproducibility!.runtime.context_budget = 2000
  for (const [at, approach] of run.approaches.entries())
    approach.context_tokens = { median: medians[at]!, mean: medians[at]!, n: 24, by: ['a tokenizer'] }
  return budgetNotes(run)[0]!
}

it('a hybrid with as much text is advised beside approaches that handed over more', async () => {
  const note = await firstNote(1400, 1400, 1900, 1900)
  expect(note).toMatch(/^graph-rag, agentic-rag handed over another amount than hybrid-rag.* add hybrid-rag\S* to /)
})

it('no hybrid is advised with more text than there probably is', async () => {
  expect(await firstNote(700, 700, 900, 700)).toBe(
    'graph-rag handed over more than hybrid-rag, so they do not compare with it. No hybrid can hand over as much: 700 tokens are probably all the text there is.',
  )
})
