import { readFileSync } from 'node:fs'
import { parseDocument } from 'yaml'
import type { z } from 'zod'
import { describeIssues } from '../../../core/issues.ts'
import { readYamlQuickly } from '../../../core/quick-yaml.ts'
import { messageOf } from '../../../core/json.ts'

/** Larger manifests are refused unread, here as in the runner. */
const MAX_MANIFEST_BYTES = 16 * 1024 * 1024

/** As in the runner. */
const MAX_ALIASES = 100

export type ManifestOutcome<Value> = { ok: true; value: Value } | { ok: false; problems: string[] }

/**
 * Reads and validates a YAML file; every problem as `file: path: message`. Duplicate keys are refused, because one hides the other;
 * so are aliases that multiply, as in a YAML bomb.
 */
export function readManifest<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): ManifestOutcome<z.output<Schema>> {
  const text = readText(file)
  if (!text.ok) return text
  const data = parseYaml(file, text.value)
  if (!data.ok) return data
  const parsed = schema.safeParse(data.value)
  if (parsed.success) return { ok: true, value: parsed.data }
  return { ok: false, problems: describeIssues(parsed.error).map((problem) => `${file}: ${problem}`) }
}

function readText(file: string): ManifestOutcome<string> {
  try {
    const bytes = readFileSync(file)
    if (bytes.length <= MAX_MANIFEST_BYTES) return { ok: true, value: bytes.toString('utf8') }
    return failed(file, `larger than ${MAX_MANIFEST_BYTES} bytes`)
  } catch (error) {
    return failed(file, `cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`)
  }
}

function parseYaml(file: string, text: string): ManifestOutcome<unknown> {
  const quick = readYamlQuickly(text)
  if (quick !== null) return { ok: true, value: quick.value }
  try {
    const document = parseDocument(text, { uniqueKeys: true, strict: true, merge: true, prettyErrors: true })
    // One open bracket can cause thousands of errors; the first ones are enough.
    const errors = document.errors
      .slice(0, 5)
      .map((error) => `${file}: ${error.message.split('\n')[0] ?? error.message}`)
    if (errors.length > 0) return { ok: false, problems: errors }
    return { ok: true, value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown }
  } catch (error) {
    if (error instanceof ReferenceError)
      return failed(file, 'too many YAML aliases, or one without its anchor: write the values out')
    return failed(file, `not readable as YAML (${messageOf(error)})`)
  }
}

function failed(file: string, problem: string): { ok: false; problems: string[] } {
  return { ok: false, problems: [`${file}: ${problem}`] }
}
