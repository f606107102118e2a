import { expect, it } from 'vitest'
import type { ModelProbe, ModelTest } from '../contract/control/models.ts'
import { isUsedUp, withoutCredit } from './used-up-credit.ts'

const probe = (status: ModelProbe['status'], error: string | null): ModelProbe => ({
  probe: 'chat',
  roles: ['light_gen'],
  status,
  model: 'm',
  latency_ms: 10,
  finding: null,
  error,
  remedy: null,
})
const test = (...probes: ModelProbe[]): ModelTest => ({
  works: true,
  problems: [],
  probes,
  models: [],
  broken: [],
  records: [],
})

it.each([
  ['You exceeded your current quota, please check your plan and billing details.', true],
  ['{"code":"insufficient_quota"}', true],
  ['Insufficient credits. Add more in your account.', true],
  ['Insufficient Balance', true],
  ['Your credit balance is too low to access the API.', true],
  ['Rate limit reached for requests per minute', false],
  ['Unknown field: credit', false],
])('%j means a used-up credit: %s', (text, expected) => {
  expect(isUsedUp(text)).toBe(expected)
})

it('a test that a used-up credit ended has failed, and says what to do instead of trying again', () => {
  const message = 'the upstream is limiting requests (HTTP 429): You exceeded your current quota'
  const found = withoutCredit(test(probe('limited', message), probe('limited', null), probe('passed', null)))
  expect(found.works).toBe(false)
  expect(found.probes.map(({ status }) => status)).toEqual(['failed', 'skipped', 'passed'])
  expect(found.probes[0]!.remedy).toBe(
    'The credit at the service is used up: add some there, or choose a model of another service.',
  )
})

it('a service that only limits its requests is to be tested again', () => {
  const limited = test(probe('limited', 'HTTP 429: slow down'), probe('limited', null))
  expect(withoutCredit(limited)).toBe(limited)
})
