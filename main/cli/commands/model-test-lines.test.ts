import { expect, it } from 'vitest'
import type { ModelProbe, ModelTest } from '../../../contract/control/models.ts'
import { testLines } from './model-test-lines.ts'

const probe = (status: ModelProbe['status']): ModelProbe => ({
  probe: 'chat',
  roles: ['light_gen'],
  status,
  model: 'm',
  latency_ms: null,
  finding: null,
  error: status === 'limited' ? 'HTTP 429: slow down' : null,
  remedy: null,
})
const result: ModelTest = { works: true, problems: [], probes: [], models: [], broken: [], records: [] }

it('a service that limits its requests is to be tested again, and is not called broken', () => {
  const lines = testLines('set', { ...result, probes: [probe('limited')] })
  expect(lines[0]).toBe('set  not known yet: the service limits its requests, try again')
  expect(lines.join('\n')).not.toMatch(/does not work|Cannot work/)
  expect(testLines('set', { ...result, probes: [probe('passed')] })[0]).toBe('set  works')
})
