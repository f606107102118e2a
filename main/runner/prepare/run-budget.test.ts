import { expect, it, onTestFinished } from 'vitest'
import { ALIASES, fixtureRow, wideDataset } from '../../../tests/helpers/report-rows.ts'
import { nameButtonsInRemedies } from '../../evidence/typed-command.ts'
import { RunBudget } from './run-budget.ts'

const row = fixtureRow(wideDataset('wide', 'Wide', 1), ALIASES.vanilla, 0)
const prices = { version: 1, currency: 'EUR', models: {} } as never

it('a spent budget is raised by a command that keeps the stored answers, and in New run in the panel', () => {
  const free = { ...row, status: 'error' as const }
  const add = (): void => new RunBudget(0, prices).add(free)
  expect(add).toThrow(
    /the answers of this run have cost .*Raise it with --budget, then start the run again with --no-cold-reset/,
  )
  nameButtonsInRemedies()
  onTestFinished(() => nameButtonsInRemedies(false))
  expect(add).toThrow(/Raise the budget in New run, then start the run of this name again\.$/)
})

it('an answer of unknown cost stops the run with what to do', () => {
  const silent = { ...row, metrics: { ...row.metrics, operational: { ...row.metrics.operational, server: null } } }
  expect(() => new RunBudget(1, prices).add(silent)).toThrow(
    /every stored answer is kept\. Set the missing price .*, or leave out --budget, then start the run again with --no-cold-reset\.$/,
  )
})
