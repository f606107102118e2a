import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { readDocument } from './convert-document.ts'
import { readOptions } from '../../../tests/helpers/read-options.ts'

it('recognition data that could not be unpacked is unpacked for the next document of the same process', async () => {
  const folder = await temporaryFolder('read')
  const cacheDir = join(folder, 'cache')
  // A file is where the folder should be.
  await writeFile(cacheDir, '')
  const picture = await sharp({ create: { width: 200, height: 100, channels: 3, background: 'white' } })
    .png()
    .toBuffer()
  const read = () => readDocument(picture, 'page.png', readOptions(cacheDir))
  await expect(read()).rejects.toThrow(/ENOTDIR|EEXIST/)
  await rm(cacheDir)
  await mkdir(cacheDir)
  await expect(read()).rejects.toMatchObject({ code: 'empty' })
})
