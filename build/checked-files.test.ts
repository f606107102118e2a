import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../tests/helpers/temporary-folder.ts'
import { importsDigest, keep, readKept, readSources, sourcesToCheck } from './checked-files.ts'

let root: string
const write = (name: string, text: string): void => writeFileSync(join(root, name), text)
const read = () => readSources(root)!

beforeEach(async () => {
  root = await temporaryFolder()
  execFileSync('git', ['init', '-q'], { cwd: root })
  mkdirSync(join(root, 'a'))
  write('a/leaf.ts', 'export const leaf = 1\n')
  write('a/middle.ts', "import {\n  leaf,\n} from './leaf.ts'\nexport const middle = leaf\n")
  write('top.ts', "const { middle } = await import('./a/middle.ts')\nexport { leaf } from './a/leaf.ts'\n")
  write('other.ts', "import { z } from 'zod'\nexport const other = z\n")
  write('data.json', '{}')
  write('reader.ts', "import data from './data.json' with { type: 'json' }\nexport const read = data\n")
  write('tsconfig.json', '{}')
})

describe('sources that a check looks at again', () => {
  it('are none while nothing differs', () => {
    expect(sourcesToCheck(read(), read().hashes)).toEqual([])
  })

  it('are what was edited and what imports it, through other files', () => {
    const before = read().hashes
    write('a/leaf.ts', 'export const leaf = 2\n')
    expect(sourcesToCheck(read(), before)).toEqual(['a/leaf.ts', 'a/middle.ts', 'top.ts'])
  })

  it('are the importers of a file that is gone, that came, or that holds data', () => {
    const before = read().hashes
    rmSync(join(root, 'a/middle.ts'))
    write('data.json', '{ "key": 1 }')
    expect(sourcesToCheck(read(), before)).toEqual(['reader.ts', 'top.ts'])
    const without = read().hashes
    write('a/middle.ts', 'export const middle = 1\n')
    expect(sourcesToCheck(read(), without)).toEqual(['a/middle.ts', 'top.ts'])
  })

  it('are all where a file differs that decides about all', () => {
    const before = read().hashes
    write('tsconfig.json', '{ "compilerOptions": {} }')
    expect(sourcesToCheck(read(), before)).toBeNull()
  })
})

describe('the imports of all sources', () => {
  it('are the same after an edit elsewhere, and differ with a path, a package and the word type', () => {
    const before = importsDigest(read())
    write('a/leaf.ts', 'export const leaf = 2\n')
    expect(importsDigest(read())).toBe(before)
    write('other.ts', "import type { z } from 'zod'\nexport type Other = z.ZodType\n")
    const typed = importsDigest(read())
    expect(typed).not.toBe(before)
    write('other.ts', "import type { z } from 'zod/mini'\nexport type Other = z.ZodType\n")
    expect(importsDigest(read())).not.toBe(typed)
  })
})

it('what a check keeps is read back, and what is unreadable counts as nothing', () => {
  expect(readKept('linted', root)).toBeNull()
  keep('linted', [['a.ts', 'hash']], root)
  expect(readKept('linted', root)).toEqual([['a.ts', 'hash']])
  writeFileSync(join(root, 'node_modules/.cache/rag-ladder/linted.json'), '{')
  expect(readKept('linted', root)).toBeNull()
})

it('a folder without git has no sources that a check could compare', async () => {
  expect(readSources(await temporaryFolder())).toBeNull()
})
