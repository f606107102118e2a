import { expect, it } from 'vitest'
import { base64Of, isConverted, isHidden, isReadable, storedName } from './dropped-files.ts'

it('a dropped file keeps its name', () => {
  expect(storedName({ name: 'Tariff (2024).PDF' })).toBe('Tariff (2024).PDF')
  // As the drop area of a browser names a file.
  expect(storedName({ name: 'a.md', path: './a.md' })).toBe('a.md')
})

it('files of a folder keep the folders inside it, so that equal names stay apart', () => {
  const named = (webkitRelativePath: string) => storedName({ name: 'a.md', webkitRelativePath })
  expect([named('docs/a.md'), named('docs/north/a.md'), named('docs/south/a.md')]).toEqual([
    'a.md',
    'north/a.md',
    'south/a.md',
  ])
})

it('files of the system are left out, and only documents are converted for a preview', () => {
  expect(['.DS_Store', '~$plan.docx', 'Thumbs.db', 'plan.docx'].map((name) => isHidden({ name }))).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(['a.PDF', 'a.md', 'a.flac'].map(isConverted)).toEqual([true, false, false])
  expect(['a.PDF', 'a.md', 'a.FLAC', 'a.exe', 'README'].map(isReadable)).toEqual([true, true, true, false, false])
})

it('bytes become base64 whatever their number', async () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256)
  const decoded = atob(await base64Of(new Blob([bytes])))
  expect(Uint8Array.from(decoded, (letter) => letter.charCodeAt(0))).toEqual(bytes)
})
