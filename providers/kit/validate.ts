import type { z } from 'zod'
import { describeIssues } from '../../core/issues.ts'

/** Names the part of a request that a value came from: the first element of an issue's `loc`. */
export type RequestPart = 'body' | 'query' | 'path' | 'header'

/** One problem in the list form of a 422 body. */
export interface RequestIssue {
  loc: (string | number)[]
  msg: string
  type: string
}

/** A request that breaks its schema; each error family renders the issues in its own shape. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError'
  readonly issues: readonly RequestIssue[]
  /** The issues as sentences: `path: what is wrong`. */
  readonly sentences: readonly string[]

  constructor(issues: readonly RequestIssue[], sentences: readonly string[]) {
    super(sentences.join('; '))
    this.issues = issues
    this.sentences = sentences
  }
}

/** The value as its schema reads it; throws `InvalidRequestError` with every issue otherwise. */
export function parseRequest<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  part: RequestPart = 'body',
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new InvalidRequestError(
    parsed.error.issues.flatMap((issue) => requestIssues(issue, value, part)),
    describeIssues(parsed.error),
  )
}

function requestIssues(issue: z.core.$ZodIssue, value: unknown, part: RequestPart): RequestIssue[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      loc: [part, ...path, key],
      msg: 'Extra inputs are not permitted',
      type: 'extra_forbidden',
    }))
  }
  if (issue.code === 'invalid_type' && valueAt(value, path) === undefined) {
    return [{ loc: [part, ...path], msg: 'Field required', type: 'missing' }]
  }
  return [{ loc: [part, ...path], msg: issue.message, type: issue.code }]
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (current, step) =>
      typeof current === 'object' && current !== null ? (current as Record<string, unknown>)[step] : undefined,
    value,
  )
}
