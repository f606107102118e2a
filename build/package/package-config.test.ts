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

const macOf = (env: Record<string, string>) =>
  packageConfig({ electronDist: undefined, platform: 'darwin', arch: 'arm64', env }).mac as Record<string, unknown>
const NOTARY = { APPLE_API_KEY: 'key.p8', APPLE_API_KEY_ID: 'id', APPLE_API_ISSUER: 'issuer' }

it.each([
  ['nothing', {}, { identity: '-', notarize: false }],
  ['a certificate', { CSC_LINK: 'x.p12' }, { identity: undefined, notarize: false }],
  ['a certificate and an account', { CSC_LINK: 'x.p12', ...NOTARY }, { identity: undefined, notarize: true }],
  ['an account alone', NOTARY, { identity: '-', notarize: false }],
  ['an empty certificate', { CSC_LINK: '', ...NOTARY }, { identity: '-', notarize: false }],
])('with %s in the environment macOS signs and notarizes as far as that allows', (_given, env, wanted) => {
  const { identity, notarize, hardenedRuntime } = macOf(env)
  expect({ identity, notarize, hardenedRuntime }).toEqual({ ...wanted, hardenedRuntime: true })
})

it('Windows installs for one person and keeps their data when it is removed', () => {
  expect(config.nsis).toMatchObject({ perMachine: false, deleteAppDataOnUninstall: false })
})

it('what is started outside of the archive has the package.json that declares its modules', () => {
  const unpacked = config.asarUnpack as string[]
  expect(unpacked).toContain('out/main/utility-child.js')
  expect(unpacked).toContain('package.json')
})

it('the window and the menu entry on Linux have one name, by which a desktop joins them', async () => {
  const { desktopName } = JSON.parse(await readFile('package.json', 'utf8')) as { desktopName: string }
  expect(config.linux).toMatchObject({ syncDesktopName: true })
  expect(desktopName).toBe('rag-ladder.desktop')
  expect(await readFile('build/package/debian-package.ts', 'utf8')).toContain('StartupWMClass=rag-ladder\n')
})
