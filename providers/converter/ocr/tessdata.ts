import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const VARIANT = '4.0.0_best_int'

/** Folder with the English recognition data, unpacked once from the installed package into `cacheDir`. */
export async function tessdataFolder(cacheDir: string): Promise<string> {
  const folder = join(cacheDir, `tessdata-${VARIANT}`)
  const file = join(folder, 'eng.traineddata')
  if (existsSync(file)) return folder
  const packed = join(
    dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json')),
    VARIANT,
    'eng.traineddata.gz',
  )
  await mkdir(folder, { recursive: true })
  const temporary = `${file}.${process.pid}`
  await writeFile(temporary, await promisify(gunzip)(await readFile(packed)))
  await rename(temporary, file)
  return folder
}
