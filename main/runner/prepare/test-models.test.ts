import { expect, it } from 'vitest'
import type { ProbedWork } from '../../../contract/control/models.ts'
import { withRemedy, type Service } from './test-models.ts'

const probe: ModelProbeOf = { probe: 'models', roles: [], status: 'passed', model: null, latency_ms: 1 }
type ModelProbeOf = Pick<ProbedWork, 'probe' | 'roles' | 'status' | 'model' | 'latency_ms'>
const listed = { probe: { ...probe, finding: null, error: null, remedy: null }, models: ['m'], isUnreachable: false }
const service: Service = { kind: 'compatible', keyName: 'X_KEY', key: 'k', listed }
const work = (changes: Partial<ProbedWork>): ProbedWork => ({
  ...probe,
  probe: 'chat',
  roles: ['light_gen'],
  status: 'failed',
  model: 'm',
  finding: null,
  error: 'x',
  code: null,
  http_status: null,
  wait_ms: null,
  ...changes,
})
const remedy = (changes: Partial<ProbedWork>) => withRemedy(work(changes), service).remedy

it('a test names the right action for a web page, a missing payment and a limit of requests', () => {
  const page = 'http://127.0.0.1:1/chat/completions answered with a web page (HTTP 200): Router'
  expect(remedy({ code: 'invalid_response', http_status: 200, error: page })).toBe(
    'The address is that of another program or of a page: check port and path; most services need /v1 at the end.',
  )
  expect(remedy({ code: 'unauthorized', http_status: 402 })).toBe(
    'The account of this key has no credit: add some at the service, or choose a model of another service.',
  )
  expect(remedy({ status: 'limited', code: 'rate_limited', http_status: 429, wait_ms: 40_000 })).toBe(
    'The service limits its requests: wait 40.0 s, then test again.',
  )
  expect(remedy({ status: 'limited', code: 'rate_limited', http_status: 429 })).toMatch(/wait, or check the account/)
  expect(remedy({ status: 'limited', error: null })).toBeNull()
})
