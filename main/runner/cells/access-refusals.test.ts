import { expect, it } from 'vitest'
import { failedRow, sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { AccessRefusals } from './access-refusals.ts'

const refused = (httpStatus: number | null) => failedRow({ httpStatus })

function added(rows: readonly ReturnType<typeof refused>[]): number {
  const refusals = new AccessRefusals('http://user:secret@127.0.0.1:4000/v1')
  for (const [index, row] of rows.entries())
    try {
      refusals.add(row)
    } catch (error) {
      expect((error as Error).message).toMatch(
        /http:\/\/127\.0\.0\.1:4000\/v1\/chat\/completions answered 10 calls in a row with HTTP 40[13]: .*MATRIX_GATEWAY_API_KEY/,
      )
      expect((error as Error).message).not.toContain('secret')
      return index + 1
    }
  return -1
}

const times = (count: number, status: number | null) => Array.from({ length: count }, () => refused(status))

it('ten refusals in a row with one status end the run', () => {
  expect(added(times(12, 401))).toBe(10)
  expect(added(times(12, 403))).toBe(10)
})

it('an answer, another status or another failure in between starts the count again', () => {
  expect(added([...times(9, 401), sampleRow(), ...times(9, 401)])).toBe(-1)
  expect(added([...times(9, 401), ...times(9, 403), ...times(9, 500), ...times(10, 403)])).toBe(37)
  expect(added([...times(30, 500), ...times(30, 404), ...times(30, null)])).toBe(-1)
})
