import { expect, it } from 'vitest'
import { addressOfLink } from './pasted-link.ts'

const TOKEN = 'Zq3-9xkD_0aBcDeFgHiJkLmNoPqRsTuVwXyZ012345'

it('a pasted link and its token alone open the same address of this host', () => {
  expect(addressOfLink(` http://127.0.0.1:4317/open?token=${TOKEN}\n`)).toBe(`/open?token=${TOKEN}`)
  expect(addressOfLink(TOKEN)).toBe(`/open?token=${TOKEN}`)
})

it.each(['', 'hello', 'http://127.0.0.1:4317/', 'javascript:alert(1)', 'http://x/open?token=a b', `${TOKEN}/..`])(
  'other text opens nothing: %j',
  (text) => expect(addressOfLink(text)).toBeNull(),
)
