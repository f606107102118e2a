import { describe, expect, it } from 'vitest'
import { chooseTier, isFullTier } from './test-tier.ts'

describe('the tier of the tests', () => {
  it('is the full one in CI and after --full, and the fast one elsewhere', () => {
    expect(isFullTier({})).toBe(false)
    expect(isFullTier({ CI: 'false' })).toBe(false)
    expect(isFullTier({ CI: 'true' })).toBe(true)
    const env = {}
    expect(chooseTier(['--full', '--install'], env)).toEqual(['--install'])
    expect(isFullTier(env)).toBe(true)
  })
})
