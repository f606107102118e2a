import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { foreignTo, nativeFiles, nativeKind } from './native-files.ts'

/** A buffer of 256 bytes with numbers of a width at offsets. */
function bytes(
  text: string,
  ...numbers: [offset: number, value: number, write: 'writeUInt16LE' | 'writeUInt32LE' | 'writeUInt32BE'][]
): Buffer {
  const made = Buffer.alloc(256)
  made.write(text, 'latin1')
  for (const [offset, value, write] of numbers) made[write](value, offset)
  return made
}

const ELF_ARM64 = bytes('\x7fELF', [18, 183, 'writeUInt16LE'])
const MACH_X64 = bytes('\xcf\xfa\xed\xfe', [4, 0x01000007, 'writeUInt32LE'])
const MACH_BOTH = bytes(
  '\xca\xfe\xba\xbe',
  [4, 2, 'writeUInt32BE'],
  [8, 0x01000007, 'writeUInt32BE'],
  [28, 0x0100000c, 'writeUInt32BE'],
)
const PE_X64 = bytes(
  'MZ',
  [60, 128, 'writeUInt32LE'],
  [128, 0x00004550, 'writeUInt32LE'],
  [132, 0x8664, 'writeUInt16LE'],
)
const JAVA = bytes('\xca\xfe\xba\xbe', [4, 65, 'writeUInt32BE'])

it.each([
  ['ELF', ELF_ARM64, { platform: 'linux', archs: ['arm64'] }],
  ['Mach-O', MACH_X64, { platform: 'darwin', archs: ['x64'] }],
  ['Mach-O of two processors', MACH_BOTH, { platform: 'darwin', archs: ['x64', 'arm64'] }],
  ['PE', PE_X64, { platform: 'win32', archs: ['x64'] }],
  ['a Java class', JAVA, null],
  ['a text', bytes('MZ is no program'), null],
])('knows %s by its first bytes', (_name, content, kind) => {
  expect(nativeKind(content)).toEqual(kind)
})

it('knows the program that runs this test', async () => {
  const folder = join(process.execPath, '..')
  const own = (await nativeFiles(folder)).find(({ file }) => join(folder, file) === process.execPath)
  expect(own).toMatchObject({ platform: process.platform, archs: expect.arrayContaining([process.arch]) })
})

it('finds what another system or processor would load, in every folder', async () => {
  const folder = await temporaryFolder('native')
  await writeFile(join(folder, 'a.node'), ELF_ARM64)
  await writeFile(join(folder, 'b.dylib'), MACH_BOTH)
  await writeFile(join(folder, 'c.txt'), 'text')
  const files = await nativeFiles(folder)
  expect(files.map(({ file }) => file).toSorted()).toEqual(['a.node', 'b.dylib'])
  expect(foreignTo(files, { platform: 'darwin', arch: 'arm64' }).map(({ file }) => file)).toEqual(['a.node'])
  expect(
    foreignTo(files, { platform: 'linux', arch: 'x64' })
      .map(({ file }) => file)
      .toSorted(),
  ).toEqual(['a.node', 'b.dylib'])
})
