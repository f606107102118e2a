import { afterEach, expect, it } from 'vitest'
import { nameButtonsInRemedies } from './remedy.ts'
import { callRemedy, isFinalCall, missingRemedy } from './model-remedies.ts'

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

it.each([
  [
    { status: 200, isPage: true, isTimeout: false },
    true,
    / check port and path; most services need \/v1 at the end\.$/,
  ],
  [{ status: 404, isPage: true, isTimeout: false }, true, / check port and path;/],
  [{ status: 502, isPage: true, isTimeout: false }, false, / Start the service at this address, or correct/],
  [
    { status: 404, isPage: false, isTimeout: false },
    true,
    / Correct the name of the model, or the address of the conn/,
  ],
  [{ status: 413, isPage: false, isTimeout: false }, true, / hand over less text/],
  [{ status: null, isPage: false, isTimeout: true }, false, / Raise the time limit per call of the connection/],
  [{ status: 504, isPage: false, isTimeout: true }, false, / Raise the time limit per call of the connection/],
  [{ status: 500, isPage: false, isTimeout: false }, false, /^$/],
])('a failed call has its action, and is asked once where a second call cannot help: %j', (call, isFinal, action) => {
  expect(isFinalCall(call)).toBe(isFinal)
  expect(callRemedy(call, 'connection')).toMatch(action)
})

it('another failure is tried again by the same run, or answered by a run with another model', () => {
  const reason = 'quay.md: chunk 401 of 403: the reply holds no JSON object'
  nameButtonsInRemedies()
  expect(missingRemedy(reason, 'graph_extract')).toBe(
    'resume the run, which tries again what failed, or choose another model for graph_extract and start a new run',
  )
})
