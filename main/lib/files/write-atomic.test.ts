import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { nameNew } from './write-atomic.ts'

// No system links a folder, so a folder stands for a file where there are no hard links.
it('a new name is given without hard links too, and never taken from another file', async () => {
  const folder = await temporaryFolder('names')
  const [first, second, name] = [join(folder, 'first'), join(folder, 'second'), join(folder, 'name')]
  await mkdir(first)
  await mkdir(second)
  expect(await nameNew(first, name)).toBe(true)
  expect(await nameNew(second, name)).toBe(false)
  expect((await readdir(folder)).toSorted()).toEqual(['name', 'second'])
})
