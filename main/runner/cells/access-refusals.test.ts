import { expect, it } from 'vitest'
import { failedRow, sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { AccessRefusals } from './access-refusals.ts'

const KEY = "the model call for role light_gen failed: the upstream refused the platform's credentials (HTTP 401): no"
const refused = (httpStatus: number | null, model = 'a') => failedRow({ httpStatus, model })
const byModel = (model: string, message = `HTTP 502: ${KEY}`) => {
  const row = failedRow({ httpStatus: 502, model })
  return { ...row, error: { type: 'access_refused' as const, message } }
}

function added(rows: readonly ReturnType<typeof sampleRow>[]): AccessRefusals {
  const refusals = new AccessRefusals('http://user:secret@127.0.0.1:4000/v1')
  for (const row of rows) refusals.add(row)
  return refusals
}

it('three refusals in a row by the gateway stop the approach, with its address and without its password', () => {
  for (const status of [401, 402, 403]) {
    expect(added([refused(status), refused(status)]).error()).toBeNull()
    const refusals = added([refused(status), refused(status), refused(status)])
    expect(refusals.error()?.message).toContain(
      `a: http://127.0.0.1:4000/v1/chat/completions answered 3 calls in a row with HTTP ${status}: `,
    )
    expect(refusals.error()?.message).toContain(
      'Correct MATRIX_GATEWAY_API_KEY, then start the run again with --no-cold-reset',
    )
    expect(refusals.error()?.message).not.toContain('secret')
    expect([refusals.isStopped('a'), refusals.isStopped('b')]).toEqual([true, false])
  }
})

it('an answer, another status or another failure in between starts the count again', () => {
  const [one, other, failed] = [refused(401), refused(403), refused(500)]
  const answer = sampleRow({ model: 'a' })
  for (const between of [answer, other, failed]) expect(added([one, one, between, one, one]).error()).toBeNull()
  expect(added([failed, failed, failed, refused(404), refused(404), refused(404)]).error()).toBeNull()
})

it('three refusals by one model stop every approach that gets them, and those of other models go on', () => {
  const other = byModel('c', `HTTP 502: ${KEY.replace('light_gen', 'agentic')}`)
  const refusals = added([
    byModel('a'),
    sampleRow({ model: 'd' }),
    byModel('b'),
    other,
    byModel('a', `HTTP 502: ${KEY} 2`),
  ])
  expect(['a', 'b', 'c', 'd'].map((model) => refusals.isStopped(model))).toEqual([true, true, false, false])
  expect(refusals.error()?.message).toContain(`a, b: 3 calls in a row were refused: ${KEY}`)
  expect(refusals.error()?.message).toContain('Correct the key or the account at the service')
  refusals.add(byModel('d'))
  expect(refusals.isStopped('d')).toBe(true)
})
