import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orIfMissing } from './read-json.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-json-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('orIfMissing', () => {
  it('gives what was read', async () => {
    const file = join(folder, 'there.txt')
    await writeFile(file, 'text')
    expect(await orIfMissing(readFile(file, 'utf8'), null)).toBe('text')
  })

  it('gives the other value where there is no file', async () => {
    expect(await orIfMissing(readFile(join(folder, 'absent.txt'), 'utf8'), null)).toBeNull()
  })

  it('rejects where a file cannot be read for another reason', async () => {
    await expect(orIfMissing(readFile(folder, 'utf8'), null)).rejects.toThrow(
      expect.objectContaining({ code: 'EISDIR' }),
    )
  })
})
