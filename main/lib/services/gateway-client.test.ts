import { describe, expect, it } from 'vitest'
import { apiUrl, chatUrl } from './gateway-client.ts'

describe('chatUrl', () => {
  it.each([
    ['http://judges', 'http://judges/v1/chat/completions'],
    ['http://judges/v1/', 'http://judges/v1/chat/completions'],
    ['http://judges/v1?tenant=a', 'http://judges/v1/chat/completions?tenant=a'],
    ['http://judges?tenant=a', 'http://judges/v1/chat/completions?tenant=a'],
    ['http://judges/x/chat/completions?api-version=1', 'http://judges/x/chat/completions?api-version=1'],
    ['http://judges/v1/chat/completions', 'http://judges/v1/chat/completions'],
  ])('keeps the query of %s after the path', (base, url) => expect(chatUrl(base)).toBe(url))
})

describe('apiUrl', () => {
  it('joins the query of the base with the query of the path', () => {
    expect(apiUrl('http://gw/v1?tenant=a', '/api/rag/ingestions?async_job=true')).toBe(
      'http://gw/api/rag/ingestions?async_job=true&tenant=a',
    )
  })
})
