import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gitOutput, readGitState } from './git-state.ts'

export const PROGRAM = join(import.meta.dirname, '../../..')

let known: Promise<string | null> | null = null

/** True when the program's files are now what they were at a commit, whatever else was committed since. False where git does not answer. */
export async function isProgramOf(revision: string): Promise<boolean> {
  if (!/^[0-9a-f]{40,64}$/.test(revision) || !existsSync(join(PROGRAM, '.git'))) return false
  const reads = { files: PROGRAM_FILES, manifests: [], corpus: '' }
  return (await readGitState(PROGRAM, reads, revision)).dirty === false
}

/**
 * The commit that this program was built from: RAG_LADDER_REVISION, else what the build wrote into `package.json`, else that of the program's
 * own checkout, with `-dirty` after it when a change of the program's own files is not committed. Null where none of them has it.
 */
export function programRevision(): Promise<string | null> {
  known ??= findRevision(PROGRAM, process.env)
  return known
}

export async function findRevision(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const named = env['RAG_LADDER_REVISION']
  if (named !== undefined && named !== '') return named
  const text = await readFile(join(program, 'package.json'), 'utf8').catch(() => '{}')
  const { revision } = JSON.parse(text) as { revision?: unknown }
  if (typeof revision === 'string') return revision
  // A package below a project's checkout must not take that project's commit for its own.
  if (!existsSync(join(program, '.git'))) return null
  const commit = (await gitOutput(program, 'rev-parse', '--verify', 'HEAD'))?.trim() ?? null
  if (commit === null) return null
  // The other files of a checkout are data and documents: a run publishes into them, which changes no answer.
  const isClean = (await gitOutput(program, 'diff-index', '--quiet', 'HEAD', '--', ...PROGRAM_FILES)) !== null
  return isClean ? commit : `${commit}-dirty`
}

/** Lists what the program is made of; the rest of its checkout is data, documents and tests. */
export const PROGRAM_FILES = [
  'bin',
  'charts',
  'contract',
  'core',
  'main',
  'preload',
  'providers',
  'renderer',
  'package.json',
  'package-lock.json',
]
