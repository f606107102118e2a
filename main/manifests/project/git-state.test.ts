import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { changedFiles, readGitState, type ReadFiles, type ReadManifest } from './git-state.ts'

const CATALOGUE = 'manifests/datasets.yaml'
const declared = (label: string, published = '') =>
  `version: 1\ndatasets:\n  - id: smoke\n    label: ${label}\n${published}`
const PUBLISHED = '    published: { run_id: x }\n'

const SMOKE: ReadManifest = {
  file: CATALOGUE,
  part: ({ datasets }) =>
    (datasets as { id: string; published?: unknown }[])
      .filter(({ id }) => id === 'smoke')
      .map(({ published: _published, ...entry }) => entry),
}

let root: string
let reads: ReadFiles
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    encoding: 'utf8',
  })
const state = () => readGitState(root, reads)

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true })
  await writeFile(join(root, path), text)
}

beforeEach(async () => {
  root = await temporaryFolder('git-state')
  reads = { files: ['program', 'huge.bin', 'pipe', 'endless'], manifests: [SMOKE], corpus: 'corpus' }
  git('init', '-q')
  await write(CATALOGUE, declared('Smoke'))
  await write('corpus/a.md', 'One.\n')
  git('add', '-A')
  git('commit', '-qm', 'first')
})

describe('readGitState', () => {
  it('is clean after a commit, and null outside git', async () => {
    expect(await state()).toEqual({ revision: git('rev-parse', 'HEAD').trim(), dirty: false, patch_sha256: null })
    const outside = await temporaryFolder('no-git')
    expect(await readGitState(outside, reads)).toEqual({ revision: null, dirty: null, patch_sha256: null })
  })

  it('counts no file that a run does not read: not another dataset, not a file of the user, not what runs write', async () => {
    const names = ['results/r1-smoke-evidence.jsonl', '.rag-ladder/secrets.json', 'notes.md', 'corpus-of-mine/a.md']
    for (const name of [...names, 'manifests/datasets/mine.yaml', 'program/own.test.ts']) await write(name, 'x')
    await write(CATALOGUE, `${declared('Smoke')}  - id: mine\n    label: Mine\n`)
    expect(await state()).toMatchObject({ dirty: false, patch_sha256: null })
    await write('program/own.ts', 'x')
    expect(await state()).toMatchObject({ dirty: true })
    expect(await changedFiles(root, reads, 'HEAD')).toEqual(['program/own.ts'])
  })

  it('is the same against the commit of a run when others committed what it does not read, and differs when they changed what it reads', async () => {
    await write('program/own.ts', 'x')
    const begun = await state()
    await write('corpus-of-mine/a.md', 'x')
    git('add', '-A')
    git('commit', '-qm', 'second')
    expect((await state()).revision).not.toBe(begun.revision)
    expect(await readGitState(root, reads, begun.revision)).toEqual(begun)
    await write('program/own.ts', 'y')
    git('commit', '-qam', 'third')
    expect(await readGitState(root, reads, begun.revision)).not.toEqual(begun)
  })

  it('is dirty by documents that were never committed, whose content the digest of the ingestion holds', async () => {
    for (let index = 0; index < 50; index += 1) await write(`corpus/own/${index}.md`, `${index}`)
    const added = await state()
    expect(added).toMatchObject({ dirty: true })
    await write('corpus/own/0.md', 'other')
    expect(await state()).toEqual(added)
    expect(await changedFiles(root, reads, 'HEAD')).toEqual(['corpus/own/'])
  })

  it('counts an edit of the catalogue, but not a publication noted in it', async () => {
    await write(CATALOGUE, declared('Smoke', PUBLISHED))
    expect(await state()).toMatchObject({ dirty: false })
    await write(CATALOGUE, declared('Other', PUBLISHED))
    const other = await state()
    expect(other).toMatchObject({ dirty: true })
    await write(CATALOGUE, declared('Other'))
    expect(await state()).toEqual(other)
  })

  it('differs with the content of tracked and untracked files', async () => {
    const seen = new Set<string | null>()
    for (const [path, text] of [
      ['corpus/a.md', 'Two.\n'],
      ['program/b.ts', 'x'],
      ['program/b.ts', 'y'],
    ] as const) {
      await write(path, text)
      seen.add((await state()).patch_sha256)
    }
    expect(seen.size).toBe(3)
    expect(seen.has(null)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')(
    'reads no pipe, no device and no huge file',
    { timeout: 20_000 },
    async () => {
      execFileSync('mkfifo', [join(root, 'pipe')])
      await symlink('/dev/zero', join(root, 'endless'))
      await write('huge.bin', '')
      await truncate(join(root, 'huge.bin'), 40 * 2 ** 30)
      expect(await state()).toMatchObject({ dirty: true })
    },
  )

  it('is unknown, not clean, when git cannot compare the working tree', async () => {
    await rm(join(root, '.git/objects'), { recursive: true })
    await mkdir(join(root, '.git/objects'))
    expect(await state()).toMatchObject({ dirty: null, patch_sha256: null })
  })
})

describe.skipIf(process.platform === 'win32')('a project whose own git configuration names programs', () => {
  it('has none of them run: no monitor, hook, filter, converter, external diff or remote helper', async () => {
    const canaries = join(root, '..', `canaries-${root.slice(-6)}`)
    await mkdir(canaries)
    onTestFinished(() => rm(canaries, { recursive: true }))
    const program = async (name: string, output = 'cat'): Promise<string> => {
      const file = join(root, '.git', `run-${name}`)
      await writeFile(file, `#!/bin/sh\ntouch '${canaries}/${name}'\n${output}\n`)
      await chmod(file, 0o755)
      return file
    }
    await write('.gitattributes', '*.md filter=mine diff=mine\n*.txt filter=wild.card\n*.bin filter=proc\n')
    for (const name of ['corpus/b.txt', 'corpus/c.bin']) await write(name, 'x')
    git('add', '-A')
    git('commit', '-qm', 'second')
    git('config', 'core.fsmonitor', await program('fsmonitor', 'false'))
    git('config', 'filter.mine.clean', await program('clean'))
    git('config', 'filter.wild.card.clean', await program('clean2'))
    git('config', 'filter.proc.process', await program('process', 'false'))
    git('config', 'filter.proc.required', 'true')
    git('config', 'diff.mine.textconv', await program('textconv'))
    git('config', 'diff.mine.command', await program('command'))
    git('config', 'diff.external', await program('external'))
    git('config', 'remote.origin.url', `ext::${await program('remote')}`)
    git('config', 'remote.origin.promisor', 'true')
    git('config', 'protocol.ext.allow', 'always')
    const hooks = join(root, '.git/hooks')
    await mkdir(hooks, { recursive: true })
    await writeFile(join(hooks, 'post-index-change'), `#!/bin/sh\ntouch '${canaries}/hook'\n`, { mode: 0o755 })
    for (const name of ['corpus/a.md', 'corpus/b.txt', 'corpus/c.bin', 'corpus/new.md']) await write(name, 'Changed.\n')
    expect(await state()).toMatchObject({ dirty: true })
    expect(await readdir(canaries)).toEqual([])
    // The same programs do run when git is asked as a person asks it, so that the test can fail.
    execFileSync('git', ['-C', root, 'status'], { stdio: 'ignore' })
    expect(await readdir(canaries)).toContain('fsmonitor')
  })
})
