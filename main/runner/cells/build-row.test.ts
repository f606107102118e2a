import { expect, it } from 'vitest'
import { ALIASES, fixtureRow, wideDataset } from '../../../tests/helpers/report-rows.ts'
import { cellFinished } from './build-row.ts'

it('the event of a failed cell has the message of its row on one line, shortened, without control characters', () => {
  const message = `HTTP 500: model\u001b[31m\n  crashed ${'x'.repeat(500)}`
  const error = { type: 'http_error', message } as const
  const row = fixtureRow(wideDataset('wide', 'Wide', 1), ALIASES.vanilla, 0)
  expect(cellFinished(row, false)).toMatchObject({ error_type: null, error_message: null })
  const { error_message: shown } = cellFinished({ ...row, status: 'error', error }, false)
  expect(shown).toMatch(/^HTTP 500: model crashed x+…$/)
  expect(shown!.length).toBeLessThanOrEqual(201)
})
