import { describe, expect, it } from 'vitest'
import { chooseTier, isFastRun, isFullTier, leaveTestsToCi } from './test-tier.ts'

describe('the tier of the tests', () => {
  it('is the full one in CI and after --full, and the fast one elsewhere', () => {
    expect(isFullTier({})).toBe(false)
    expect(isFullTier({ CI: 'false' })).toBe(false)
    expect(isFullTier({ CI: 'true' })).toBe(true)
    const env = {}
    expect(chooseTier(['--full', '--install'], env)).toEqual(['--install'])
    expect(isFullTier(env)).toBe(true)
  })

  it('leaves tests to CI only where all were asked for in the fast one', () => {
    const env = {}
    expect(isFastRun(env)).toBe(false)
    leaveTestsToCi(env)
    expect(isFastRun(env)).toBe(true)
    expect(isFastRun({ ...env, CI: 'true' })).toBe(false)
    const full = {}
    chooseTier(['--full'], full)
    leaveTestsToCi(full)
    expect(isFastRun(full)).toBe(false)
  })
})
