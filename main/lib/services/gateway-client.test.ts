import { WRONG_ADDRESS } from '../../../core/model-remedies.ts'
import { expect, it, onTestFinished } from 'vitest'
import { hang, json } from '../../../tests/helpers/fault-server.ts'
import { apiUrl, chatUrl, createGatewayClient } from './gateway-client.ts'
import { testFaultServer } from '../../../tests/helpers/test-server.ts'

it.each([
  ['http://judges', 'http://judges/v1/chat/completions'],
  ['http://judges/v1/', 'http://judges/v1/chat/completions'],
  ['http://judges/v1?tenant=a', 'http://judges/v1/chat/completions?tenant=a'],
  ['http://judges?tenant=a', 'http://judges/v1/chat/completions?tenant=a'],
  ['http://judges/x/chat/completions?api-version=1', 'http://judges/x/chat/completions?api-version=1'],
  ['http://judges/v1/chat/completions', 'http://judges/v1/chat/completions'],
])('chatUrl keeps the query of %s after the path', (base, url) => expect(chatUrl(base)).toBe(url))

it('apiUrl joins the query of the base with the query of the path', () => {
  expect(apiUrl('http://gw/v1?tenant=a', '/api/rag/ingestions?async_job=true')).toBe(
    'http://gw/api/rag/ingestions?async_job=true&tenant=a',
  )
})

it('a gateway that limits its calls and then lets one hang limits its calls: the time limit is no timeout of the model', async () => {
  const server = await testFaultServer()
  const client = createGatewayClient({ url: server.url, apiKey: null })
  onTestFinished(() => client.close())
  const limit = json({ error: { message: 'Rate limit reached.' } }, 429, { 'retry-after': '0' })
  server.script(limit, hang, json({}), hang)
  const advice =
    'ask for fewer answers at once, wait and try the failed answers again, or choose a larger plan of the service'
  expect(await client.chat({}, 500)).toMatchObject({ type: 'rate_limited', message: `Rate limit reached; ${advice}` })
  expect(await client.chat({}, 500)).toMatchObject({
    type: 'rate_limited',
    status: null,
    message: `Rate limit reached; ${advice}; no complete answer within the time limit`,
  })
  expect(await client.chat({}, 500)).toMatchObject({ ok: true })
  expect(await client.chat({}, 500)).toMatchObject({ type: 'timeout' })
})

it('an answer that is a web page is named with the address that gave it, without credentials', async () => {
  const server = await testFaultServer()
  const client = createGatewayClient({ url: server.url.replace('//', '//user:secret@'), apiKey: null })
  onTestFinished(() => client.close())
  server.script((response) => void response.end('<html>Router'))
  expect(await client.chat({}, 5000)).toMatchObject({
    type: 'invalid_response',
    message: `${server.url}/v1/chat/completions answered HTTP 200 with a web page instead of JSON: <html>Router. ${WRONG_ADDRESS}`,
    isFinal: true,
  })
})

it('a failure that would come again is named as such, with what to do about the gateway', async () => {
  const server = await testFaultServer()
  const client = createGatewayClient({ url: server.url, apiKey: null })
  onTestFinished(() => client.close())
  server.script(
    json({ error: { message: 'no model' } }, 502, { 'x-should-retry': 'false' }),
    json({ error: { message: 'down' } }, 502),
    json({ detail: 'Not Found' }, 404),
  )
  expect(await client.chat({}, 5000)).toMatchObject({ message: 'HTTP 502: no model', isFinal: true })
  expect(await client.chat({}, 5000)).toMatchObject({ message: 'HTTP 502: down', isFinal: false })
  expect(await client.chat({}, 5000)).toMatchObject({
    message: 'HTTP 404: Not Found. Correct the name of the model, or the address of the gateway.',
  })
})

it.each([
  ['is waited for', { error: { message: 'slow down' } }, { 'retry-after': '2' }, { isLimit: true, retryAfterMs: 2000 }],
  [
    'that means a credit that is used up is not',
    { error: { message: 'You exceeded your current quota' } },
    { 'retry-after': '1' },
    { type: 'access_refused', isLimit: false, retryAfterMs: null },
  ],
  [
    'that asks for an hour is not, and names the hour',
    { error: { message: 'daily limit' } },
    { 'retry-after': '3600' },
    {
      isLimit: false,
      retryAfterMs: null,
      message: 'daily limit; the service asks to be called again in 1 h 0 min',
    },
  ],
])('a refusal for too many calls: %s', async (_name, body, headers, expected) => {
  const server = await testFaultServer()
  const client = createGatewayClient({ url: server.url, apiKey: null })
  onTestFinished(() => client.close())
  server.script(json(body, 429, headers))
  expect(await client.chat({}, 5000)).toMatchObject({ type: 'rate_limited', status: 429, ...expected })
})
