import type { z } from 'zod'
import { issueWords } from './issue-words.ts'

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
