import { afterEach, describe, expect, it } from 'vitest'
import {
  forgetSecrets,
  holdsSecret,
  MAX_SERVICE_TEXT,
  rememberSecrets,
  rememberSecretsOf,
  serviceText,
  valueWithoutSecrets,
  withoutSecrets,
} from './known-secrets.ts'

const SECRET = 'sk-live/Ab+9~"x\\y?z=='
const base64 = (text: string): string => Buffer.from(text).toString('base64')

afterEach(forgetSecrets)

describe('withoutSecrets', () => {
  it.each([
    ['plain', SECRET],
    ['after Bearer', `Bearer ${SECRET}`],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['URL-encoded in lower case', encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())],
    ['inside JSON', JSON.stringify({ message: SECRET })],
    ['inside JSON with escaped slashes', JSON.stringify({ message: SECRET }).replaceAll('/', '\\/')],
    ['base64', base64(SECRET)],
    ['base64url', Buffer.from(SECRET).toString('base64url')],
    ['base64 after a user name of one byte', base64(`u:${SECRET}`)],
    ['base64 after a user name of four bytes', base64(`user:${SECRET}`)],
    ['base64 between other bytes', base64(`Bearer ${SECRET}, retry later`)],
  ])('removes a secret that is %s', (_form, text) => {
    rememberSecrets(SECRET)
    const clean = withoutSecrets(`before ${text} after`)
    expect(clean).toMatch(/^before .*\[secret removed\].* after$/)
    expect(clean).not.toContain('Ab+9')
    expect(clean).not.toContain(base64(SECRET).slice(2, -4))
  })

  it('leaves other texts, and placeholders that people set as keys, unchanged', () => {
    rememberSecrets('ollama', 'abc', '123456', null, '', SECRET)
    const text = 'ollama answered 123456 abc: token limit reached'
    expect(withoutSecrets(text)).toBe(text)
    expect(holdsSecret(text)).toBe(false)
  })

  it('removes a short credential after Bearer only', () => {
    rememberSecrets('abc')
    expect(withoutSecrets('Bearer abc, Bearer abcd, abc')).toBe('[secret removed], Bearer abcd, abc')
  })

  it('removes the longer of two secrets of which one begins like the other', () => {
    rememberSecrets('secret-one', 'secret-one-and-more')
    expect(withoutSecrets('secret-one-and-more')).toBe('[secret removed]')
  })

  it('finds the variables of an environment that are named like credentials', () => {
    rememberSecretsOf({
      OPENAI_API_KEY: 'key-of-openai',
      GH_PAT: 'pat-of-github',
      HOME: '/home/person',
      GOOGLE_APPLICATION_CREDENTIALS: '/home/person/key.json',
      PATH: '/usr/bin',
    })
    expect(withoutSecrets('key-of-openai pat-of-github /home/person /usr/bin')).toBe(
      '[secret removed] [secret removed] /home/person /usr/bin',
    )
  })
})

it('valueWithoutSecrets replaces in the texts of a value and keeps its form', () => {
  rememberSecrets(SECRET)
  expect(valueWithoutSecrets({ a: [SECRET, 1, null], b: { c: 'x' } })).toEqual({
    a: ['[secret removed]', 1, null],
    b: { c: 'x' },
  })
  const clean = { a: 1 }
  expect(valueWithoutSecrets(clean)).toBe(clean)
})

it('serviceText cuts the text of a service, and never inside a secret', () => {
  rememberSecrets(SECRET)
  const text = serviceText('x'.repeat(MAX_SERVICE_TEXT - 5) + SECRET + 'y'.repeat(15_000_000))
  expect(text).toHaveLength(MAX_SERVICE_TEXT + 1)
  expect(text.endsWith('[secr…')).toBe(true)
})
