import { afterEach, expect, it } from 'vitest'
import { messageOf } from '../../../core/json.ts'
import { nameButtonsInRemedies } from '../../evidence/typed-command.ts'
import { tuningWish } from './tuning-wish.ts'

/** Returns the problem of a metric, or of a project whose answers have their own budgets. */
function problemOf(metric: string, budget: number | 'none' = 1000): string {
  const evaluation = { run: { context_budget: budget }, metrics: {} }
  try {
    return JSON.stringify(
      tuningWish({ evaluation } as never, {} as never, { metric, name: null, answers: false } as never),
    )
  } catch (error) {
    return messageOf(error)
  }
}

afterEach(() => nameButtonsInRemedies(false))

it('an unknown metric is refused in sentences, with and without a name that is near', () => {
  expect(problemOf('zzzzzzzzzzzz')).toMatch(/--metric: zzzzzzzzzzzz cannot be tuned for\. Known: facts_found, /)
  expect(problemOf('facts_fond')).toMatch(/facts_fond cannot be tuned for, did you mean facts_found\? Known: /)
})

it('names fields in the panel, and options in a terminal', () => {
  expect(problemOf('token_f1')).toContain('--metric: token_f1 needs answers: add --answers')
  expect(problemOf('facts_found', 'none')).toContain('--context-budget: name a number')
  nameButtonsInRemedies()
  expect(problemOf('token_f1')).toContain('Metric: token_f1 needs answers: switch on Write answers')
  expect(problemOf('facts_found', 'none')).toContain('Context budget: name a number')
})
