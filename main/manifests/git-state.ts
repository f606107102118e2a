import { execFile, spawn } from 'node:child_process'
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readFile, readlink } from 'node:fs/promises'
import { devNull } from 'node:os'
import { isAbsolute, join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { canonicalJson, type GitState } from '../../contract/index.ts'
import { parseYaml } from './load-manifest.ts'

// A project folder may come from another person, and git runs programs that its own configuration names: the file system monitor, hooks, clean
// filters, text converters, external diffs, helpers of a remote from which missing objects are fetched. All of them are off: reading the state
// of a folder must not execute anything that the folder brings. Filters of the user's own configuration stay, so that large files which git
// keeps elsewhere do not count as changed.

const run = promisify(execFile)
const MAX_STATUS_BYTES = 256 * 1024 * 1024

/** Larger untracked files count by size and time of change, not by content. */
const MAX_HASHED_BYTES = 64 * 1024 * 1024

const SAFE_CONFIG = [
  'core.fsmonitor=false',
  `core.hooksPath=${devNull}`,
  'diff.external=',
  'status.submoduleSummary=false',
  'protocol.allow=never',
]
const SAFE_ENV = {
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
}

interface Git {
  root: string
  config: readonly string[]
}

const argumentsOf = ({ root, config }: Git, args: readonly string[]): string[] => [
  ...['-C', root, '--no-pager', '--no-optional-locks'],
  ...config.flatMap((setting) => ['-c', setting]),
  ...args,
]

/** What a command of git prints; null when there is no git, no repository, no commit yet, or more output than can be a project's. */
async function git(from: Git, ...args: string[]): Promise<string | null> {
  try {
    const options = { maxBuffer: MAX_STATUS_BYTES, env: { ...process.env, ...SAFE_ENV } }
    return (await run('git', argumentsOf(from, args), options)).stdout
  } catch {
    return null
  }
}

/** The same for a checkout by its folder. No program that its configuration names is started. */
export const gitOutput = (root: string, ...args: string[]): Promise<string | null> =>
  git({ root, config: SAFE_CONFIG }, ...args)

/** The repository with the filters off that it defines itself; null when they cannot be turned off. */
async function withoutOwnFilters(root: string): Promise<Git | null> {
  const plain = { root, config: SAFE_CONFIG }
  // Lists names, and exits with 1 when there are none; it executes nothing.
  const listed = await git(plain, 'config', '--null', '--show-scope', '--name-only', '--get-regexp', '^filter\\.')
  const fields = (listed ?? '').split('\0')
  const names = new Set<string>()
  for (let at = 0; at + 1 < fields.length; at += 2)
    if (fields[at] === 'local' || fields[at] === 'worktree')
      names.add(fields[at + 1]!.replace(/^filter\./i, '').replace(/\.[^.]*$/, ''))
  // A name with "=" cannot be given on the command line.
  if ([...names].some((name) => name.includes('='))) return null
  const off = [...names].flatMap((name) => [
    ...['clean', 'smudge', 'process'].map((key) => `filter.${name}.${key}=`),
    `filter.${name}.required=false`,
  ])
  return { root, config: [...SAFE_CONFIG, ...off] }
}

/** Streams what git prints into the hash. Null when git fails, else how many bytes came. */
async function hashOutput(from: Git, hash: Hash, ...args: string[]): Promise<number | null> {
  const env = { ...process.env, ...SAFE_ENV }
  const child = spawn('git', argumentsOf(from, args), { env, stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true })
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  let bytes = 0
  for await (const piece of child.stdout as AsyncIterable<Buffer>) {
    bytes += piece.length
    hash.update(piece)
  }
  return (await ended) === 0 ? bytes : null
}

/** What is stored under an untracked name. Only a regular file is opened: a pipe or a device would never end. */
async function hashUntracked(path: string, hash: Hash): Promise<void> {
  const info = await lstat(path).catch(() => null)
  if (info === null) return
  if (info.isSymbolicLink()) hash.update(`link ${await readlink(path).catch(() => '')}`)
  else if (!info.isFile()) hash.update('not a regular file')
  else if (info.size > MAX_HASHED_BYTES) hash.update(`${info.size} bytes of ${info.mtimeMs}`)
  else
    await pipeline(createReadStream(path), async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) hash.update(piece)
    }).catch(() => hash.update('unreadable'))
}

/** What a run itself writes, which is no change of the project. */
export interface OwnFiles {
  /** Folders and files, absolute. Whatever begins like a file's name without its ending belongs to it: index, lock, journal, identity. */
  paths: readonly string[]
  /** Manifests of datasets, in which publications are noted: their other values count. Relative to the checkout. */
  manifests: readonly string[]
}

/** Below the root, with forward slashes as git spells it; null for what is outside, and for the root itself. */
function inside(root: string, path: string): string | null {
  const below = relative(root, path)
  if (below === '' || below.startsWith('..') || isAbsolute(below)) return null
  return below.split(sep).join('/')
}

/** The values of a dataset manifest without what was published; the text itself when it cannot be read. */
function declaredIn(file: string, text: string): string {
  try {
    const { datasets, published: _published, ...rest } = parseYaml(file, text) as Record<string, unknown>
    if (!Array.isArray(datasets)) return canonicalJson(rest)
    const declared = datasets.map(({ published: _run, ...values }: Record<string, unknown>) => values)
    return canonicalJson({ ...rest, datasets: declared })
  } catch {
    return text
  }
}

const UNKNOWN = { dirty: null, patch_sha256: null }

/**
 * Revision and uncommitted change of a checkout; untracked files count by name and content. Revision null outside git. What cannot be found out
 * is null, never clean.
 */
export async function readGitState(root: string, own: OwnFiles): Promise<GitState> {
  const safe = await withoutOwnFilters(root)
  const revision = (await git(safe ?? { root, config: SAFE_CONFIG }, 'rev-parse', 'HEAD'))?.trim() ?? null
  if (revision === null || safe === null) return { revision, ...UNKNOWN }

  const ownPaths = own.paths.flatMap((path) => inside(root, path) ?? [])
  const excluded = [...ownPaths, ...own.manifests].map((path) => `:(exclude,literal)${path}`)
  const tree = ['--ignore-submodules=dirty', '--', '.', ...excluded]
  const status = await git(safe, 'status', '--porcelain=v1', '-z', '--untracked-files=all', ...tree)
  if (status === null) return { revision, ...UNKNOWN }
  const hash = createHash('sha256')
  const patchBytes = await hashOutput(safe, hash, 'diff', '--no-ext-diff', '--no-textconv', '--binary', 'HEAD', ...tree)
  if (patchBytes === null) return { revision, ...UNKNOWN }

  const stems = ownPaths.map((path) => path.replace(/\.[^./]+$/, ''))
  const untracked = status
    .split('\0')
    .filter((entry) => entry.startsWith('?? '))
    .map((entry) => entry.slice(3))
    .filter((path) => !stems.some((stem) => path.startsWith(`${stem}.`)))
    .sort()
  for (const path of untracked) {
    hash.update(`\0${path}\0`)
    await hashUntracked(join(root, path), hash)
  }

  let manifestChanged = false
  for (const file of own.manifests) {
    const committed = await git(safe, 'cat-file', 'blob', `HEAD:./${file}`)
    const now = await readFile(join(root, file), 'utf8').catch(() => null)
    const declared = now === null ? null : declaredIn(file, now)
    if (declared === (committed === null ? null : declaredIn(file, committed))) continue
    manifestChanged = true
    hash.update(`\0${file}\0${declared ?? ''}`)
  }

  if (patchBytes === 0 && untracked.length === 0 && !manifestChanged)
    return { revision, dirty: false, patch_sha256: null }
  return { revision, dirty: true, patch_sha256: hash.digest('hex') }
}
