import { expect, it } from 'vitest'
import type { ModelTest } from '../../contract/control/models.ts'
import { useModelTests } from './model-tests.ts'

it('the last test of a connection is kept until the connection changes', () => {
  const test: ModelTest = { works: true, problems: [], probes: [], models: [], broken: [], records: [] }
  const { keep, forget } = useModelTests.getState()
  keep('one', test)
  keep('two', test)
  expect(useModelTests.getState()).toMatchObject({ tests: { one: test, two: test }, last: 'two' })
  forget('two')
  expect(useModelTests.getState().tests).toEqual({ one: test })
  expect(useModelTests.getState().last).toBeNull()
})
