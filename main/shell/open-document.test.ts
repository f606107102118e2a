import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { openDocument } from './open-document.ts'

let folder: string
let opened: string[]
const open = async (path: string): Promise<string> => {
  opened.push(path)
  return path.includes('unknown') ? 'no program is known' : ''
}
beforeEach(async () => {
  opened = []
  folder = await temporaryFolder()
  for (const name of ['Tariff.DOCX', 'unknown.ppt', 'run.sh', 'plain']) await writeFile(join(folder, name), '')
  await mkdir(join(folder, 'folder.pdf'))
})

it('opens a document, and reports why the system could not', async () => {
  await openDocument(join(folder, 'Tariff.DOCX'), open)
  await expect(openDocument(join(folder, 'unknown.ppt'), open)).rejects.toThrow('no program is known')
  expect(opened).toEqual([join(folder, 'Tariff.DOCX'), join(folder, 'unknown.ppt')])
})

it.each([
  ['run.sh', /\.sh files cannot be opened/],
  ['macros.docm', /\.docm files cannot be opened/],
  ['plain', /without an extension/],
  ['gone.pdf', /does not exist any more/],
  ['folder.pdf', /does not exist any more/],
])('does not open %s', async (name, reason) => {
  const before = opened.length
  await expect(openDocument(join(folder, name), open)).rejects.toThrow(reason)
  expect(opened).toHaveLength(before)
})

it.each(['', 'Tariff.DOCX', '../Tariff.DOCX', 'https://example.org/a.pdf'])('takes no path like %j', (path) =>
  expect(openDocument(path, open)).rejects.toThrow(/not on the disk/),
)
