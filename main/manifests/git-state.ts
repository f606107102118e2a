import { createHash } from 'node:crypto'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { GitState } from '../../contract/index.ts'

const run = promisify(execFile)

/** What a run itself writes; a publication must not make the next run's provenance differ. */
const WRITTEN_BY_RUNS = ['docs/results', 'manifests/datasets.yaml']

async function git(root: string, args: string[]): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['-C', root, '--no-optional-locks', ...args], { maxBuffer: 256 * 1024 * 1024 })
    return stdout
  } catch {
    // No git, no repository or no commit yet: provenance then says null instead of guessing.
    return null
  }
}

/** Revision and uncommitted change of a checkout; untracked files count by name and content. Null revision outside git. */
export async function readGitState(root: string): Promise<GitState> {
  const excludes = WRITTEN_BY_RUNS.map((path) => `:(exclude)${path}`)
  const [revision, status, patch] = await Promise.all([
    git(root, ['rev-parse', 'HEAD']),
    git(root, ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--', '.', ...excludes]),
    git(root, ['diff', '--no-ext-diff', '--binary', 'HEAD', '--', '.', ...excludes]),
  ])
  if (revision === null || status === null || patch === null)
    return { revision: null, dirty: false, patch_sha256: null }
  if (status === '') return { revision: revision.trim(), dirty: false, patch_sha256: null }
  const hash = createHash('sha256').update(patch)
  const untracked = status
    .split('\0')
    .filter((entry) => entry.startsWith('?? '))
    .map((entry) => entry.slice(3))
    .sort()
  for (const path of untracked) {
    hash.update(`\0${path}\0`)
    hash.update(await readFile(join(root, path)).catch(() => ''))
  }
  return { revision: revision.trim(), dirty: true, patch_sha256: hash.digest('hex') }
}
