import { expect, it } from 'vitest'
import { ALIASES, fixtureRow, wideDataset } from '../../../tests/helpers/report-rows.ts'
import { cellFinished } from './build-row.ts'

it('the event of a failed cell has the message of its row on one line, without control characters', () => {
  const message = `HTTP 500: model\u001b[31m\n  crashed ${'x'.repeat(400)}`
  const error = { type: 'http_error', message } as const
  const row = fixtureRow(wideDataset('wide', 'Wide', 1), ALIASES.vanilla, 0)
  expect(cellFinished(row, false)).toMatchObject({ error_type: null, error_message: null })
  const { error_message: shown } = cellFinished({ ...row, status: 'error', error }, false)
  expect(shown).toMatch(/^HTTP 500: model crashed x+$/)
  expect(shown!.length).toBeLessThanOrEqual(610)
})

it('the event of a failed cell keeps what to do, which ends its message, whatever a service says', () => {
  const action = 'Start the service with a larger context, or hand over less text.'
  const message = `HTTP 400: the model call for role light_gen failed: ${'said '.repeat(300)}. ${action}`
  const error = { type: 'http_error', message } as const
  const row = fixtureRow(wideDataset('wide', 'Wide', 1), ALIASES.vanilla, 0)
  const { error_message: shown } = cellFinished({ ...row, status: 'error', error }, false)
  expect(shown).toMatch(/^HTTP 400: the model call for role light_gen failed: said .* … /)
  expect(shown!.endsWith(action)).toBe(true)
  expect(shown!.length).toBeLessThanOrEqual(610)
})
