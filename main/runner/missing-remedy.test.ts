import { afterEach, expect, it } from 'vitest'
import { nameButtonsInRemedies } from '../evidence/typed-command.ts'
import { missingRemedy } from './missing-remedy.ts'

afterEach(() => nameButtonsInRemedies(false))

it.each([
  [
    "the upstream refused the platform's credentials (HTTP 401): Incorrect API key provided",
    'correct the key of the service, then',
  ],
  ['the upstream refused the request (HTTP 402): Insufficient credits', 'add credit at the service, then'],
  ['limiting requests (HTTP 429): You exceeded your current quota', 'add credit at the service, then'],
])('what a service refuses is not repaired by another model: %s', (reason, remedy) => {
  expect(missingRemedy(reason, 'graph_extract')).toBe(`${remedy} start the run again with --no-cold-reset`)
  nameButtonsInRemedies()
  expect(missingRemedy(reason, 'graph_extract')).toBe(`${remedy} resume the run`)
})

it('another failure is tried again by the same run, or answered by a run with another model', () => {
  const reason = 'quay.md: chunk 401 of 403: the reply holds no JSON object'
  nameButtonsInRemedies()
  expect(missingRemedy(reason, 'graph_extract')).toBe(
    'resume the run, which tries again what failed, or choose another model for graph_extract and start a new run',
  )
})
