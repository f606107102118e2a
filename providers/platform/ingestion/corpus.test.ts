import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { chmod, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { writeFiles } from '../../../tests/helpers/ingestion-fixture.ts'
import { DEFAULT_CORPUS_LIMITS } from '../../../tests/helpers/ingestion-profile.ts'
import { digestWithin, hashCorpus, listCorpus, type FileState, type KnownHashes } from './corpus.ts'

let root: string
beforeEach(async () => {
  root = await temporaryFolder('corpus')
  await writeFiles(path.join(root, 'docs'), { 'b.md': 'bee', 'a.txt': 'ay', 'sub/c.md': 'sea', 'sub.md': 'under' })
})

const discover = async (corpusPath = 'docs', changes = {}, project = root) => {
  const limits = { ...DEFAULT_CORPUS_LIMITS, ...changes }
  return hashCorpus(await listCorpus({ project, own: null }, corpusPath, limits), limits, null)
}
const sha256 = (text: string): string => hash('sha256', text)

describe('listing and hashing a corpus', () => {
  it('lists regular files in path order with their hashes', async () => {
    await writeFiles(path.join(root, 'docs'), { '.hidden': 'x', '.git/config': 'x' })
    const { files, totalBytes, contentDigest } = await discover()
    expect(files.map(({ path: name, sizeBytes, sha256: hash }) => [name, sizeBytes, hash])).toEqual([
      ['a.txt', 2, sha256('ay')],
      ['b.md', 3, sha256('bee')],
      ['sub.md', 5, sha256('under')],
      ['sub/c.md', 3, sha256('sea')],
    ])
    expect(totalBytes).toBe(13)
    expect(contentDigest).toBe(sha256(files.map(({ path: name, sha256: hash }) => `${name}\0${hash}\n`).join('')))
    expect(String(await files[1]!.read())).toBe('bee')
  })

  it('gives a moved corpus the same digest and a changed one another', async () => {
    const before = (await discover()).contentDigest
    await writeFiles(path.join(root, 'elsewhere/deep'), {
      'b.md': 'bee',
      'a.txt': 'ay',
      'sub/c.md': 'sea',
      'sub.md': 'under',
    })
    expect((await discover('elsewhere/deep')).contentDigest).toBe(before)
    await writeFile(path.join(root, 'docs/b.md'), 'bea')
    expect((await discover()).contentDigest).not.toBe(before)
  })

  it('refuses a file that is read as something else than was hashed', async () => {
    const { files } = await discover()
    await writeFile(path.join(root, 'docs/b.md'), 'new')
    await expect(files[1]!.read()).rejects.toMatchObject({ code: 'unreadable', path: 'docs/b.md' })
  })

  it.each([
    ['../docs', 'bad_path'],
    ['/etc', 'bad_path'],
    ['docs/../../x', 'bad_path'],
    ['docs\\sub', 'bad_path'],
    ['docs//sub', 'bad_path'],
    ['docs/b.md', 'bad_path'],
    ['absent', 'not_found'],
    ['docs/absent', 'not_found'],
  ])('refuses the corpus path %s', async (corpusPath, code) => {
    await expect(discover(corpusPath)).rejects.toMatchObject({ name: 'CorpusError', code })
  })

  it('refuses links: a file, a folder, the corpus folder and a parent of it', async () => {
    const outside = await temporaryFolder('outside')
    await writeFiles(outside, { 'secret.md': 'secret', 'inner/secret.md': 'secret' })
    await symlink(path.join(outside, 'secret.md'), path.join(root, 'docs/sub/link.md'))
    await expect(discover()).rejects.toMatchObject({ code: 'symlink', path: 'docs/sub/link.md' })
    await rm(path.join(root, 'docs/sub/link.md'))
    await symlink(outside, path.join(root, 'docs/folder'))
    await expect(discover()).rejects.toMatchObject({ code: 'symlink', path: 'docs/folder' })
    await rm(path.join(root, 'docs/folder'))
    await symlink(outside, path.join(root, 'linked'))
    await expect(discover('linked')).rejects.toMatchObject({ code: 'symlink', path: 'linked' })
    await expect(discover('linked/inner')).rejects.toThrow("'linked' is a symbolic link")
    await symlink('b.md', path.join(root, 'docs/within.md'))
    await expect(discover()).rejects.toMatchObject({ code: 'symlink', path: 'docs/within.md' })
  })

  it('takes a corpus root that is itself reached by a link', async () => {
    const link = `${root}-link`
    await symlink(root, link)
    try {
      expect((await discover('docs', {}, link)).files).toHaveLength(4)
    } finally {
      await rm(link)
    }
  })

  it('refuses pipes', async () => {
    await promisify(execFile)('mkfifo', [path.join(root, 'docs/pipe.md')])
    await expect(discover()).rejects.toMatchObject({ code: 'not_regular', path: 'docs/pipe.md' })
  })

  it('keeps the limits, each at its edge', async () => {
    await expect(discover('docs', { maxFileBytes: 4 })).rejects.toMatchObject({
      code: 'file_too_large',
      path: 'docs/sub.md',
    })
    expect((await discover('docs', { maxFileBytes: 5 })).files).toHaveLength(4)
    await expect(discover('docs', { maxCorpusBytes: 12 })).rejects.toMatchObject({ code: 'corpus_too_large' })
    expect((await discover('docs', { maxCorpusBytes: 13 })).files).toHaveLength(4)
    await expect(discover('docs', { maxFiles: 3 })).rejects.toMatchObject({ code: 'too_many_files' })
    expect((await discover('docs', { maxFiles: 4 })).files).toHaveLength(4)
  })

  it('refuses a corpus without files', async () => {
    await writeFiles(root, { 'empty/.keep': '' })
    await expect(discover('empty')).rejects.toMatchObject({ code: 'empty' })
  })

  it.skipIf(process.getuid?.() === 0)('names a file that may not be read', async () => {
    await chmod(path.join(root, 'docs/b.md'), 0)
    await expect(discover()).rejects.toMatchObject({ code: 'unreadable', path: 'docs/b.md' })
  })
})

describe('a corpus that was read before', () => {
  /** Hashes in memory that count how often they are asked in vain. */
  const memory = (): KnownHashes & { stored: string[] } => {
    const hashes = new Map<string, { state: FileState; sha256: string }>()
    const stored: string[] = []
    return {
      stored,
      async get(file, state) {
        const known = hashes.get(file)
        return known !== undefined &&
          Object.entries(state).every(([key, value]) => known.state[key as keyof FileState] === value)
          ? known.sha256
          : null
      },
      async put(entries) {
        for (const { absolutePath, state, sha256: hash } of entries) {
          hashes.set(absolutePath, { state, sha256: hash })
          stored.push(path.basename(absolutePath))
        }
      },
    }
  }

  it('is hashed again only where size or times differ', async () => {
    const known = memory()
    const first = await hashCorpus(
      await listCorpus({ project: root, own: null }, 'docs', DEFAULT_CORPUS_LIMITS),
      DEFAULT_CORPUS_LIMITS,
      known,
    )
    expect(known.stored.splice(0).toSorted()).toEqual(['a.txt', 'b.md', 'c.md', 'sub.md'])
    await writeFile(path.join(root, 'docs/b.md'), 'longer')
    const second = await hashCorpus(
      await listCorpus({ project: root, own: null }, 'docs', DEFAULT_CORPUS_LIMITS),
      DEFAULT_CORPUS_LIMITS,
      known,
    )
    expect(known.stored).toEqual(['b.md'])
    expect(second.contentDigest).not.toBe(first.contentDigest)
    expect(second.contentDigest).toBe((await discover()).contentDigest)
  })

  it('gives its digest without reading, and null where more than the budget would be read', async () => {
    const known = memory()
    const listing = await listCorpus({ project: root, own: null }, 'docs', DEFAULT_CORPUS_LIMITS)
    const digestOf = (files: number, bytes: number) =>
      digestWithin(listing, DEFAULT_CORPUS_LIMITS, known, { files, bytes })
    expect(await digestOf(3, 1000)).toBeNull()
    expect(await digestOf(4, 12)).toBeNull()
    const { contentDigest } = await discover()
    expect(await digestOf(4, 13)).toBe(contentDigest)
    expect(await digestOf(0, 0)).toBe(contentDigest)
  })

  it('names the setting of each limit', async () => {
    await expect(discover('docs', { maxFiles: 3 })).rejects.toThrow('RAG_INGESTION_MAX_FILES')
    await expect(discover('docs', { maxFileBytes: 4 })).rejects.toThrow('RAG_INGESTION_MAX_FILE_BYTES')
    await expect(discover('docs', { maxCorpusBytes: 12 })).rejects.toThrow('RAG_INGESTION_MAX_CORPUS_BYTES')
  })
})
