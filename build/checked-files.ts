import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

// A check of a file finds the same as before as long as the file, everything that it imports and the tools are the same. What a check found
// without a problem is kept by the hash of each file, so that the next one looks at what was edited and at what imports that. The full tier reads nothing of it.

/** Checks keep here what they have found to be right; `npm ci` empties it with the tools. */
const FOLDER = 'node_modules/.cache/rag-ladder'

/** Files that change what a check finds in any other file. */
const DECIDE_ALL =
  /(?:^|\/)(?:tsconfig[^/]*\.json|package-lock\.json|\.oxlintrc\.json|\.dependency-cruiser\.cjs)$|\.d\.ts$/

const SOURCE = /\.(?:ts|tsx|mjs|cjs)$/
/** A whole statement, since a check of imports asks whether they are of types alone; the path is its group. */
const IMPORT = /\b(?:import|export|require)\b[^'"`;]*?['"]([^'"\n]+)['"]/g

const digest = (text: string | Buffer): string => createHash('sha256').update(text).digest('base64url')

export interface SourceFiles {
  /** Hash of each file that can change what a check finds, by path with forward slashes. */
  hashes: ReadonlyMap<string, string>
  /** Paths that each source imports, whether they exist or not; packages by their name. */
  imports: ReadonlyMap<string, readonly string[]>
  /** Hash of the import statements of each source. */
  statements: ReadonlyMap<string, string>
}

/** Reads the sources of a checkout, with the files that git does not know yet; null where there is no git. */
export function readSources(root = '.'): SourceFiles | null {
  let names: string[]
  try {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    names = listed.split('\0').filter((name) => SOURCE.test(name) || name.endsWith('.json'))
  } catch {
    return null
  }
  const hashes = new Map<string, string>()
  const imports = new Map<string, readonly string[]>()
  const statements = new Map<string, string>()
  for (const name of new Set(names)) {
    let text: string
    try {
      text = readFileSync(join(root, name), 'utf8')
    } catch {
      continue // It was deleted, and git has not been told.
    }
    hashes.set(name, digest(text))
    if (!SOURCE.test(name)) continue
    const found = [...text.matchAll(IMPORT)]
    const target = (path: string): string => (path.startsWith('.') ? posix.join(posix.dirname(name), path) : path)
    imports.set(
      name,
      found.map((match) => target(match[1]!)),
    )
    statements.set(name, digest(found.map(([statement]) => statement).join('\n')))
  }
  return { hashes, imports, statements }
}

/**
 * Returns the sources that a check must look at again after one that found the files of `before` right: what was edited or is new, and what
 * imports one of those, or one that is gone, through however many files. Null where a file that decides about all of them differs.
 */
export function sourcesToCheck({ hashes, imports }: SourceFiles, before: ReadonlyMap<string, string>): string[] | null {
  const differs = [...new Set([...hashes.keys(), ...before.keys()])].filter(
    (name) => hashes.get(name) !== before.get(name),
  )
  if (differs.some((name) => DECIDE_ALL.test(name))) return null
  const importers = new Map<string, string[]>()
  for (const [name, targets] of imports)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), name])
  const found = new Set(differs)
  for (const name of found) for (const importer of importers.get(name) ?? []) found.add(importer)
  return [...found].filter((name) => imports.has(name)).toSorted()
}

/** Returns what identifies the imports of all sources: a check of imports alone finds the same while it stays. */
export const importsDigest = ({ hashes, statements }: SourceFiles): string => {
  const deciding = [...hashes].filter(([name]) => DECIDE_ALL.test(name))
  return digest(JSON.stringify([...statements, ...deciding].toSorted(([a], [b]) => (a < b ? -1 : 1))))
}

/** Reads what an earlier check kept under a name; null where nothing was kept, or not readably. */
export function readKept(name: string, root = '.'): unknown {
  try {
    return JSON.parse(readFileSync(join(root, FOLDER, `${name}.json`), 'utf8')) as unknown
  } catch {
    return null
  }
}

/** Keeps what a check found to be right for the next one. */
export function keep(name: string, value: unknown, root = '.'): void {
  const file = join(root, FOLDER, `${name}.json`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(value))
}
