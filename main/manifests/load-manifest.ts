import { limitBehind } from '../../core/system-limit.ts'
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { LineCounter, parseDocument, type YAMLError } from 'yaml'
import type { z } from 'zod'
import { canonicalJson } from '../../core/canonical-json.ts'
import { describeIssues } from '../../core/issues.ts'
import { readYamlQuickly } from '../../core/quick-yaml.ts'
import { ManifestError } from './manifest-error.ts'

/** A manifest is written by hand: more than this is a mistake or an attack. */
const MAX_MANIFEST_BYTES = 16 * 1024 * 1024

/** From this length on a manifest is mostly questions, whose check zod compiles: below, compiling is most of the work. */
const COMPILED_FROM_CHARS = 40_000

export function hashOf(value: unknown): string {
  return hash('sha256', canonicalJson(value))
}

/** Lists what helps against the mistakes that are made most; the parser's own message covers the rest. */
const REMEDIES: Partial<Record<YAMLError['code'], string>> = {
  BAD_INDENT: 'indent with blanks, entries of one list or map alike',
  TAB_AS_INDENT: 'indent with blanks, never with tabs',
  DUPLICATE_KEY: 'keep one of the two',
  MISSING_CHAR: 'close the quote or bracket',
  BLOCK_AS_IMPLICIT_KEY: 'a key needs a line of its own; put a text that holds ": " in quotes',
  MULTILINE_IMPLICIT_KEY: 'write "key: value"; put a text that holds ": " in quotes',
  BAD_ALIAS: 'put a text that begins with "*" in quotes',
  UNEXPECTED_TOKEN: 'check indentation, quotes and brackets on this line and the one before',
}

/** One slip makes the parser stumble over many lines after it. */
const MAX_SYNTAX_ERRORS = 3

/** `file:line:column: what; what to do`, in one line. */
function describeSyntax(file: string, error: YAMLError, lines: LineCounter): string {
  const { line, col } = lines.linePos(error.pos[0])
  const what = error.message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, '')
  return `${file}:${line}:${col}: ${what}; ${REMEDIES[error.code] ?? 'correct the YAML there'}`
}

/** A few repeated values are convenient; the parser refuses a file whose aliases multiply to more. */
const MAX_ALIASES = 100

/** Text of a YAML file → plain value, with anchors, aliases and `<<` resolved. Duplicate keys are refused; problems name line and column. */
export function parseYaml(file: string, text: string): unknown {
  const quick = readYamlQuickly(text)
  if (quick !== null) return quick.value
  const lines = new LineCounter()
  const document = parseDocument(text, {
    uniqueKeys: true,
    prettyErrors: false,
    strict: true,
    merge: true,
    lineCounter: lines,
  })
  if (document.errors.length > 0)
    throw new ManifestError(file, [
      ...document.errors.slice(0, MAX_SYNTAX_ERRORS).map((error) => describeSyntax(file, error, lines)),
      ...(document.errors.length > MAX_SYNTAX_ERRORS
        ? ['the errors after these are not listed: they may follow from them']
        : []),
    ])
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (cause) {
    throw new ManifestError(file, [aliasProblem(cause)], cause)
  }
}

const aliasProblem = (cause: unknown): string =>
  String(cause).includes('Unresolved alias')
    ? 'an alias (*name) has no anchor (&name) before it: write the value out'
    : 'too many YAML aliases: write the values out'

export const readingProblem = (error: unknown, namedBy: string | null): string => {
  const { code } = error as NodeJS.ErrnoException
  const named = namedBy === null ? '' : `; ${namedBy} names it`
  const limit = limitBehind(error)
  if (limit !== null) return `${limit.reason}: ${limit.remedy}`
  if (code === 'ENOENT') return `there is no such file${named}: create it, or correct the path`
  if (code === 'ETIMEDOUT')
    return `reading the file timed out${named}: the drive or network folder that holds it does not answer. Check it, then try again`
  return `the file cannot be read${code === undefined ? '' : ` (${code})`}${named}: check the path and its permissions`
}

/**
 * Values of the files that were read last, by path: a run needs the same manifests at many of its steps, and parsing is most of the time that
 * they take. A file is read each time, so that a change is always seen.
 */
const parsedFiles = new Map<string, { text: string; value: unknown }>()
const MAX_KEPT_FILES = 32
const MAX_KEPT_CHARS = 1024 * 1024

function parseAgain(path: string, file: string, text: string): unknown {
  const kept = parsedFiles.get(path)
  if (kept?.text === text) return kept.value
  parsedFiles.delete(path)
  const value = frozen(parseYaml(file, text))
  if (text.length > MAX_KEPT_CHARS) return value
  if (parsedFiles.size === MAX_KEPT_FILES) parsedFiles.delete(parsedFiles.keys().next().value!)
  parsedFiles.set(path, { text, value })
  return value
}

/** Shared by all readers of the file: no caller may change it. */
function frozen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const each of Object.values(value)) frozen(each)
  return Object.freeze(value)
}

/**
 * Reads and validates one manifest of the project folder. Throws `ManifestError` with every problem at once; `namedBy` is where its path
 * is named.
 */
export async function loadManifest<Schema extends z.ZodType>(
  root: string,
  file: string,
  schema: Schema,
  namedBy: string | null = null,
): Promise<z.infer<Schema>> {
  const path = resolve(root, file)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new ManifestError(file, [readingProblem(cause, namedBy)], cause)
  }
  if (text.length > MAX_MANIFEST_BYTES) throw new ManifestError(file, [`larger than ${MAX_MANIFEST_BYTES} bytes`])
  const parsed = schema.safeParse(parseAgain(path, file, text), { jitless: text.length < COMPILED_FROM_CHARS })
  if (!parsed.success) throw new ManifestError(file, describeIssues(parsed.error))
  return parsed.data
}
