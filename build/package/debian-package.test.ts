import { expect, it } from 'vitest'
import { controlFile } from './debian-package.ts'

const packageFile = { name: 'rag-ladder', version: '1.2.3', dependencies: {}, description: 'Finds out' }

it('the control file names version, processor as Debian does, libraries and size', () => {
  const fields = Object.fromEntries(
    controlFile({ packageFile, arch: 'x64' }, 77)
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/: (.*)/).slice(0, 2)),
  ) as Record<string, string>
  expect(fields).toMatchObject({
    Package: 'rag-ladder',
    Version: '1.2.3',
    Architecture: 'amd64',
    'Installed-Size': '77',
  })
  expect(fields['Depends']).toContain('libgtk-3-0 | libgtk-3-0t64')
})

it('refuses a processor that it has no name for', () => {
  expect(() => controlFile({ packageFile, arch: 'mips' }, 1)).toThrow('no Debian package for the processor mips')
})
