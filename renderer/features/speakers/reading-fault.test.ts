import { expect, test } from 'vitest'
import { ServiceCallError } from '../../data/service-call.ts'
import { isOfTheRecording } from './reading-fault.ts'

test('a recording is sent again where nothing was said against it', () => {
  const failed = (status: number): Error => new ServiceCallError(status, 'refused')
  expect([400, 404, 413, 415, 422].map((status) => isOfTheRecording(failed(status)))).not.toContain(false)
  expect([408, 429, 500, 503, 504].map((status) => isOfTheRecording(failed(status)))).not.toContain(true)
  expect(isOfTheRecording(new TypeError('Failed to fetch'))).toBe(false)
})
