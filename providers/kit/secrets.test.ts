import { describe, expect, it } from 'vitest'
import { bearerMatches, bearerToken, secretsEqual } from './secrets.ts'

describe('bearer tokens', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer   abc', 'abc'],
    ['Bearer abc ', 'abc'],
    ['Bearer', null],
    ['Bearer a b', null],
    ['Basic abc', null],
    [undefined, null],
  ])('%j carries %j', (header, token) => {
    expect(bearerToken(header)).toBe(token)
  })

  it('matches only the exact token', () => {
    expect(bearerMatches('Bearer s3cret', 's3cret')).toBe(true)
    for (const header of ['Bearer s3cre', 'Bearer s3crets', 'Bearer S3CRET', undefined]) {
      expect(bearerMatches(header, 's3cret')).toBe(false)
    }
  })

  it('compares secrets of any length', () => {
    expect(secretsEqual('', '')).toBe(true)
    expect(secretsEqual('ключ', 'ключ')).toBe(true)
    expect(secretsEqual('a', 'a'.repeat(1000))).toBe(false)
  })
})
