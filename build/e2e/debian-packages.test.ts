import { describe, expect, it } from 'vitest'
import { mayInstallPackages } from './debian-packages.ts'

describe('mayInstallPackages', () => {
  it('refuses on a machine that is not CI, even as root on Debian', () => {
    expect(mayInstallPackages({}, ['node', 'build/test.ts'], true)).toBe(false)
    expect(mayInstallPackages({ CI: 'false' }, [], true)).toBe(false)
  })

  it('permits it in CI and where --install was given', () => {
    expect(mayInstallPackages({ CI: 'true' }, [], true)).toBe(true)
    expect(mayInstallPackages({}, ['node', 'build/test.ts', '--install'], true)).toBe(true)
  })

  it('refuses where the system cannot install packages', () => {
    expect(mayInstallPackages({ CI: 'true' }, ['--install'], false)).toBe(false)
  })
})
