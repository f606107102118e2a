import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../tests/helpers/temporary-folder.ts'
import { changedFiles } from './test-changed.ts'

it('changed are files that were edited or are new, committed or not, and none that was deleted', async () => {
  const root = await temporaryFolder()
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: root,
      encoding: 'utf8',
    })
  const write = (name: string, text: string): void => writeFileSync(join(root, name), text)
  git('init', '-q')
  for (const name of ['same.ts', 'edited.ts', 'committed.ts', 'deleted.ts']) write(name, name)
  git('add', '.')
  git('commit', '-qm', 'first')
  const since = git('rev-parse', 'HEAD').trim()
  write('committed.ts', 'other')
  git('commit', '-qam', 'second')
  write('edited.ts', 'other')
  write('new.ts', 'new')
  rmSync(join(root, 'deleted.ts'))
  expect(changedFiles(since, root).toSorted()).toEqual(['committed.ts', 'edited.ts', 'new.ts'])
})
