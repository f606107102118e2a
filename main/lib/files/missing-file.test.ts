import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { orIfMissing } from './missing-file.ts'

it('gives what was read, the other value where there is no file, and rejects where it cannot be read for another reason', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'there.txt')
  await writeFile(file, 'text')
  expect(await orIfMissing(readFile(file, 'utf8'), null)).toBe('text')
  expect(await orIfMissing(readFile(join(folder, 'absent.txt'), 'utf8'), null)).toBeNull()
  await expect(orIfMissing(readFile(folder, 'utf8'), null)).rejects.toMatchObject({ code: 'EISDIR' })
})
