import { hash } from 'node:crypto'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { COMPARED_CORPUS, corpusDigest } from './corpus-digest.ts'

describe('the digest of a corpus folder', () => {
  let folder: string
  beforeEach(async () => {
    folder = join(await temporaryFolder(), 'documents')
    await mkdir(join(folder, 'deep/.cache'), { recursive: true })
    await writeFile(join(folder, 'b.txt'), 'B')
    await writeFile(join(folder, 'deep/a.md'), 'A')
    await writeFile(join(folder, 'Z.md'), 'Z')
    await writeFile(join(folder, '.hidden'), 'x')
    await writeFile(join(folder, 'deep/.cache/x'), 'x')
  })

  it('covers sorted paths and hashes of its files, without hidden files and folders', async () => {
    const lines = [
      `Z.md\0${hash('sha256', 'Z')}\n`,
      `b.txt\0${hash('sha256', 'B')}\n`,
      `deep/a.md\0${hash('sha256', 'A')}\n`,
    ]
    expect(await corpusDigest(folder)).toEqual({ digest: hash('sha256', lines.join('')), unchecked: null })
  })

  it('is not made over the limits, with the reason, and is made at them', async () => {
    const within = await corpusDigest(folder, { files: 3, bytes: 3 })
    expect(within).toEqual(await corpusDigest(folder))
    expect(await corpusDigest(folder, { ...COMPARED_CORPUS, files: 2 })).toEqual({
      digest: null,
      unchecked: 'the corpus has more than 2 files',
    })
    expect(await corpusDigest(folder, { ...COMPARED_CORPUS, bytes: 2 })).toEqual({
      digest: null,
      unchecked: 'the corpus has 3 B, more than 2 B',
    })
  })

  it('is unknown for a folder that is missing, is empty or holds a link, which ingestion refuses', async () => {
    const unknown = { digest: null, unchecked: null }
    expect(await corpusDigest(join(folder, 'nowhere'))).toEqual(unknown)
    await mkdir(join(folder, 'empty'))
    expect(await corpusDigest(join(folder, 'empty'))).toEqual(unknown)
    await symlink(join(folder, 'b.txt'), join(folder, 'link.txt'))
    expect(await corpusDigest(folder)).toEqual(unknown)
  })
})
