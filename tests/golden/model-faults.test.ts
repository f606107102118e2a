import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FAULT_TABLE, MODEL_FAULTS } from '../faults/model-faults.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

it('the documented table of model services that misbehave has every fault, with what its run must do', () => {
  const table = readFileSync(join(PROJECT_ROOT, FAULT_TABLE.file), 'utf8').split(FAULT_TABLE.mark)[1] ?? ''
  const rows = table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => line.slice(2, -2).split(/ (?<!\\)\| /))
  expect(rows.map(([name, about, , , , action]) => [name, about, action])).toEqual(
    Object.entries(MODEL_FAULTS).map(([name, { about, action }]) => [name, about, action]),
  )
  for (const [name, , answered, exitCode, said] of rows) {
    const { cells } = MODEL_FAULTS[name!]!
    if (cells === 'all') expect([name, answered, exitCode]).toEqual([name, '16 of 16', '0'])
    else expect([name, ['3', '5'].includes(exitCode!), said === '–']).toEqual([name, true, false])
    if (cells === 'none') expect([name, answered]).toEqual([name, '0 of 16'])
  }
})
