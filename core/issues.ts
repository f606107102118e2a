import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** Matches what the library reports where a schema has no words of its own. */
const LIBRARY_WORDS = /^(?:Invalid (?:input|option|string|key|number|[A-Z]\w*|date)|Too (?:small|big))\b/

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a map of fields',
  record: 'a map of fields',
  array: 'a list',
  null: 'null',
}
const UNITS: Readonly<Record<string, [string, string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
}

const kindOf = (name: string): string => KINDS[name] ?? `a value of the type ${name}`

function typeWords({ expected, message }: Extract<Issue, { code: 'invalid_type' }>): string {
  const received = /received (\w+)$/.exec(message)?.[1]
  if (received === undefined || received === expected || received === 'NaN') return `${kindOf(expected)} is required`
  return received === 'undefined'
    ? `missing, ${kindOf(expected)} is required`
    : `${kindOf(expected)} is required, not ${kindOf(received)}`
}

function limitWords(limit: 'least' | 'most', bound: number | bigint, inclusive: boolean, origin: string): string {
  const unit = UNITS[origin]
  const amount = unit === undefined ? String(bound) : `${bound} ${bound === 1 ? unit[0] : unit[1]}`
  if (inclusive) return `at ${limit} ${amount}`
  return `${limit === 'least' ? 'more' : 'less'} than ${amount}`
}

/** Returns what is wrong, in our words where the schema has none of its own. */
export function issueWords(issue: Issue): string {
  if (!LIBRARY_WORDS.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return typeWords(issue)
    case 'invalid_value':
      return issue.values.length === 1
        ? `${String(issue.values[0])} is required`
        : `one of ${issue.values.map(String).join(', ')} is required`
    case 'too_small':
      return `${limitWords('least', issue.minimum, issue.inclusive !== false, issue.origin)} is required`
    case 'too_big':
      return `${limitWords('most', issue.maximum, issue.inclusive !== false, issue.origin)} is allowed`
    case 'invalid_format':
      return issue.format === 'regex'
        ? `does not have the form ${issue.pattern ?? 'that is required'}`
        : `does not have the form of ${issue.format === 'url' ? 'an address' : issue.format}`
    case 'invalid_union':
      return 'fits none of the forms that are allowed here'
    default:
      return issue.message
  }
}

/** A field path as people write it: `approaches[2].model`; `(root)` for the value itself. */
export function fieldPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '(root)'
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`))
    .join('')
}

/** Each problem of a failed validation as `path: what is wrong`; an unknown field is named by its own path. */
export function describeIssues(error: z.ZodError): string[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${fieldPath([...issue.path, key])}: unknown field`)
      : [`${fieldPath(issue.path)}: ${issueWords(issue)}`],
  )
}
