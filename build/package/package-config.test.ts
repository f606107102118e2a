import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { packageConfig } from './package-config.ts'

const config = packageConfig({ electronDist: undefined, platform: 'darwin', arch: 'arm64' })

it('a signed macOS app may use the microphone', async () => {
  const { entitlements, entitlementsInherit } = config.mac as { entitlements: string; entitlementsInherit: string }
  for (const file of [entitlements, entitlementsInherit])
    expect(await readFile(file, 'utf8')).toMatch(/<key>com\.apple\.security\.device\.audio-input<\/key>\s*<true\/>/)
})

it('a package keeps licence texts and carries the notices of third parties', () => {
  const files = config.files as string[]
  const dropped = files.findIndex((pattern) => pattern.startsWith('!') && pattern.includes('markdown'))
  const kept = files.findIndex((pattern) => pattern.startsWith('**/{LICENSE'))
  expect(dropped).toBeGreaterThanOrEqual(0)
  expect(kept).toBeGreaterThan(dropped)
  expect(files).toContain('THIRD-PARTY-NOTICES.txt')
})
