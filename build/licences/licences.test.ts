import { describe, expect, it } from 'vitest'
import { licenceProblems, licencesOfCheckout, noticesText } from './licences.ts'

const packages = (license: string | undefined, name = 'some-package') => ({
  '': {},
  [`node_modules/${name}`]: { version: '1.0.0', ...(license === undefined ? {} : { license }) },
})

describe('licenceProblems', () => {
  it.each(['MIT', 'ISC', 'Apache-2.0', '(MIT OR GPL-3.0-or-later)', '(MIT AND Zlib)', 'MIT AND ISC AND BSD-3-Clause'])(
    'accepts the permissive licence %s',
    (licence) => expect(licenceProblems(packages(licence))).toEqual([]),
  )

  it.each(['GPL-3.0-or-later', 'LGPL-3.0-or-later', 'MIT AND LGPL-3.0-or-later', 'AGPL-3.0', 'SEE LICENSE IN x'])(
    'refuses %s in a shipped package and names the package',
    (licence) => {
      expect(licenceProblems(packages(licence))).toEqual([
        `some-package 1.0.0: licence ${licence} is neither permissive nor a recorded exception (build/licences)`,
      ])
    },
  )

  it('refuses a shipped package without a licence', () => {
    expect(licenceProblems(packages(undefined))).toEqual(['some-package 1.0.0: package-lock.json names no licence'])
  })

  it('accepts libvips below sharp by its recorded exception, and no other package under that licence', () => {
    expect(licenceProblems(packages('LGPL-3.0-or-later', '@img/sharp-libvips-linux-x64'))).toEqual([])
    expect(licenceProblems(packages('LGPL-3.0-or-later', 'another-libvips'))).toHaveLength(1)
  })

  it('ignores packages that only development needs', () => {
    expect(licenceProblems({ 'node_modules/tool': { version: '1.0.0', license: 'GPL-3.0', dev: true } })).toEqual([])
  })
})

describe('this checkout', () => {
  it('ships permissive packages', async () => {
    expect(await licencesOfCheckout()).toEqual([])
  })

  it('carries licence texts in its notices, copyrights included', async () => {
    const text = await noticesText()
    for (const part of ['react 19', 'Copyright (c) Meta Platforms', 'LGPL-3.0-or-later', 'sharp-libvips-darwin-arm64'])
      expect(text).toContain(part)
  })
})
