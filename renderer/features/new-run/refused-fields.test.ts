import { describe, expect, it } from 'vitest'
import { refusedFields } from './refused-fields.ts'

const refusal = (code: string, problems: unknown) => ({
  data: { code, message: 'the input is not valid', retryable: false, details: { problems } },
})
const problems = [{ path: 'run_id', message: 'letters, digits, "_", "-" and "." only' }]

describe('a plan that the engine refuses', () => {
  it('names the fields of an invalid request', () => {
    expect(refusedFields(refusal('input_invalid', problems))).toEqual(problems)
  })

  it.each([
    ['another failure', refusal('manifest_invalid', problems)],
    ['details of another form', refusal('input_invalid', 'run_id')],
    ['no answer', new Error('fetch failed')],
  ])('has no field to name after %s', (_what, error) => {
    expect(refusedFields(error)).toEqual([])
  })
})
