import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readGitState, type OwnFiles } from './git-state.ts'

const CATALOGUE = 'manifests/datasets.yaml'
const declared = (label: string, published = '') =>
  `version: 1\ndatasets:\n  - id: smoke\n    label: ${label}\n${published}`
const PUBLISHED = '    published: { run_id: x }\n'

let root: string
let own: OwnFiles
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    encoding: 'utf8',
  })
const state = () => readGitState(root, own)

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true })
  await writeFile(join(root, path), text)
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'git-state-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  own = { paths: [join(root, 'results'), join(root, '.rag-ladder')], manifests: [CATALOGUE] }
  git('init', '-q')
  await write(CATALOGUE, declared('Smoke'))
  await write('corpus/a.md', 'One.\n')
  git('add', '-A')
  git('commit', '-qm', 'first')
})

describe('readGitState', () => {
  it('is clean after a commit, and null outside git', async () => {
    expect(await state()).toEqual({ revision: git('rev-parse', 'HEAD').trim(), dirty: false, patch_sha256: null })
    const outside = await mkdtemp(join(tmpdir(), 'no-git-'))
    onTestFinished(() => rm(outside, { recursive: true }))
    expect(await readGitState(outside, own)).toEqual({ revision: null, dirty: null, patch_sha256: null })
  })

  it('counts no file that a run writes, wherever its evidence is', async () => {
    own = { ...own, paths: [...own.paths, join(root, 'deep/own-evidence.jsonl')] }
    const names = ['results/r1-smoke-evidence.jsonl', '.rag-ladder/secrets.json', 'deep/own-evidence.jsonl']
    for (const name of [...names, 'deep/own-evidence.identity.json', 'deep/own-evidence.jsonl.index'])
      await write(name, 'x')
    await write('deep/own-evidence.jsonl.lock/main', 'x')
    expect(await state()).toMatchObject({ dirty: false, patch_sha256: null })
    await write('deep/notes.md', 'x')
    expect(await state()).toMatchObject({ dirty: true })
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

  it('counts an edit of a dataset file, but not a publication noted in it', async () => {
    const file = 'manifests/datasets/notes.yaml'
    own = { ...own, manifests: [CATALOGUE, file] }
    await write(file, 'label: Notes\n')
    expect(await state()).toMatchObject({ dirty: true })
    git('add', '-A')
    git('commit', '-qm', 'second')
    await write(file, 'label: Notes\npublished: { run_id: a }\n')
    expect(await state()).toMatchObject({ dirty: false })
    await write(file, 'label: Other\n')
    expect(await state()).toMatchObject({ dirty: true })
  })

  it('differs with the content of tracked and untracked files', async () => {
    const seen = new Set<string | null>()
    for (const [path, text] of [
      ['corpus/a.md', 'Two.\n'],
      ['corpus/b.md', 'x'],
      ['corpus/b.md', 'y'],
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
