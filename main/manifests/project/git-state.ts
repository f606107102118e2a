import { execFile } from 'node:child_process'
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readFile, readlink } from 'node:fs/promises'
import { devNull } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { canonicalJson } from '../../../core/canonical-json.ts'
import type { GitState } from '../../../contract/evidence/provenance.ts'
import { parseYaml } from '../load-manifest.ts'

// A project folder may come from another person, and git runs programs that its own configuration names: the file system monitor, hooks, clean
// filters, text converters, external diffs, helpers of a remote from which missing objects are fetched. All of them are off: reading the state
// of a folder must not execute anything that the folder brings. Filters of the user's own configuration stay, so that large files which git
// keeps elsewhere do not count as changed.

const run = promisify(execFile)
const MAX_STATUS_BYTES = 256 * 1024 * 1024

/** Larger files count by size and time of change, not by content. */
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
  '-C',
  root,
  '--no-pager',
  '--no-optional-locks',
  ...config.flatMap((setting) => ['-c', setting]),
  ...args,
]

/** Returns what a command of git prints; null when there is no git, no repository, no commit yet, or more output than can be a project's. */
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

/** The content of a changed file. Only a regular file is opened: a pipe or a device would never end. */
export async function hashContent(path: string, hash: Hash): Promise<void> {
  const info = await lstat(path).catch(() => null)
  if (info === null) {
    hash.update('absent')
    return
  }
  if (info.isSymbolicLink()) hash.update(`link ${await readlink(path).catch(() => '')}`)
  else if (!info.isFile()) hash.update('not a regular file')
  else if (info.size > MAX_HASHED_BYTES) hash.update(`${info.size} bytes of ${info.mtimeMs}`)
  else
    await pipeline(createReadStream(path), async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) hash.update(piece)
    }).catch(() => hash.update('unreadable'))
}

/** A manifest of which a run reads only a part: the values are compared, not the text. */
export interface ReadManifest {
  file: string
  /** Returns what the run reads of the parsed values. Called with whatever the file holds. */
  part: (values: Record<string, unknown>) => unknown
}

/** Describes what a run reads of a project; paths relative to its folder. Everything else in a checkout is not part of the run's provenance. */
export interface ReadFiles {
  /** Files and folders that count by name and content. */
  files: readonly string[]
  manifests: readonly ReadManifest[]
  /** Folder of the documents. Their content is in the digest of the ingestion; here documents that were never committed only make the state dirty. */
  corpus: string
}

/** Below the root, with forward slashes as git spells it; null for what is outside, and for the root itself. */
function inside(root: string, path: string): string | null {
  const below = relative(root, resolve(root, path))
  if (below === '' || below.startsWith('..') || isAbsolute(below)) return null
  return below.split(sep).join('/')
}

/** The part of a manifest that a run reads; the text itself when it cannot be parsed, null for no text. */
export function partOf({ file, part }: ReadManifest, text: string | null): string | null {
  if (text === null) return null
  try {
    return canonicalJson(part(parseYaml(file, text) as Record<string, unknown>))
  } catch {
    return text
  }
}

interface Changes {
  /** Changed files that count by content, sorted. */
  files: string[]
  /** Manifests whose read part differs, with that part now. */
  manifests: { file: string; part: string | null }[]
  /** Documents, or folders of documents, that were added since. */
  added: string[]
}

const listed = (output: string): string[] => output.split('\0').filter((name) => name !== '')

/** Returns what of the read files differs from a commit. Null where git does not answer. */
async function changesSince(safe: Git, base: string, reads: ReadFiles): Promise<Changes | null> {
  // It may come from a stored row, and must not be read as an option.
  if (!/^(HEAD|[0-9a-f]{40,64})$/.test(base)) return null
  const literal = (paths: readonly string[]): string[] =>
    paths.flatMap((path) => inside(safe.root, path) ?? []).map((path) => `:(literal)${path}`)
  const files = literal(reads.files)
  if (files.length > 0) files.push(WITHOUT_TESTS)
  const corpus = literal([reads.corpus])
  const difference = (filter: string, paths: string[]): Promise<string | null> =>
    paths.length === 0
      ? Promise.resolve('')
      : git(
          safe,
          'diff',
          '--no-ext-diff',
          '--no-textconv',
          '--no-renames',
          '--ignore-submodules=dirty',
          '--relative',
          '--name-only',
          '-z',
          ...(filter === '' ? [] : [`--diff-filter=${filter}`]),
          base,
          '--',
          ...paths,
        )
  const untracked = (paths: string[], ...how: string[]): Promise<string | null> =>
    paths.length === 0
      ? Promise.resolve('')
      : git(safe, 'ls-files', '--others', '--exclude-standard', '-z', ...how, '--', ...paths)
  const outputs = await Promise.all([
    difference('', files),
    untracked(files),
    // Documents that the commit has: an edit counts by content, so that a plan sees it before anything is ingested.
    difference('a', corpus),
    difference('A', corpus),
    untracked(corpus, '--directory', '--no-empty-directory'),
  ])
  const [changed, others, documents, addedDocuments, otherDocuments] = outputs
  if (outputs.includes(null)) return null
  const manifests = await Promise.all(
    reads.manifests.map(async (manifest) => {
      const { file } = manifest
      const before = partOf(manifest, await git(safe, 'cat-file', 'blob', `${base}:./${file}`))
      const part = partOf(manifest, await readFile(join(safe.root, file), 'utf8').catch(() => null))
      return before === part ? [] : [{ file, part }]
    }),
  )
  return {
    files: [...new Set([changed!, others!, documents!].flatMap(listed))].sort(),
    manifests: manifests.flat(),
    added: [addedDocuments!, otherDocuments!].flatMap(listed),
  }
}

/** A test of the program changes no answer. */
const WITHOUT_TESTS = ':(exclude,glob)**/*.test.ts'
const UNKNOWN = { dirty: null, patch_sha256: null }

/**
 * Revision of a checkout and the uncommitted change of what a run reads. Revision null outside git. What cannot be found out is null, never
 * clean. `since` compares with another commit than the checked out one: a run whose files are the same as at its own commit can go on,
 * whatever else was committed.
 */
export async function readGitState(root: string, reads: ReadFiles, since: string | null = null): Promise<GitState> {
  const safe = await withoutOwnFilters(root)
  const revision = since ?? (await git(safe ?? { root, config: SAFE_CONFIG }, 'rev-parse', 'HEAD'))?.trim() ?? null
  if (revision === null || safe === null) return { revision, ...UNKNOWN }
  const changes = await changesSince(safe, revision, reads)
  if (changes === null) return { revision, ...UNKNOWN }
  const { files, manifests, added } = changes
  if (files.length + manifests.length + added.length === 0) return { revision, dirty: false, patch_sha256: null }
  const hash = createHash('sha256')
  for (const file of files) {
    hash.update(`\0${file}\0`)
    await hashContent(join(root, file), hash)
  }
  for (const { file, part } of manifests) hash.update(`\0${file}\0${part ?? ''}`)
  return { revision, dirty: true, patch_sha256: hash.digest('hex') }
}

/** Names of the read files that differ from a commit, for messages; null where git does not answer or does not know the commit. */
export async function changedFiles(root: string, reads: ReadFiles, since: string): Promise<string[] | null> {
  const safe = await withoutOwnFilters(root)
  const changes = safe === null ? null : await changesSince(safe, since, reads)
  if (changes === null) return null
  return [...changes.manifests.map(({ file }) => file), ...changes.files, ...changes.added]
}
