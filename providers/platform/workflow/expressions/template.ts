import { asText, evaluate } from './evaluate.ts'
import type { ExpressionScope } from './evaluate.ts'
import { parseExpression } from './parse.ts'
import type { Expression } from './parse.ts'
import { ExpressionError } from './tokens.ts'

/** A node parameter, read once at import and evaluated at each run. */
export type Template = (scope: ExpressionScope) => unknown

const MARKED = /\{\{([\s\S]*?)\}\}/g

/**
 * A parameter's value: what does not begin with `=` is literal; after `=`, each `{{ … }}` is an expression up to the first `}}`. A
 * parameter that is one expression keeps its type, others are text. Throws `ExpressionError` for what the subset does not know.
 */
export function compileTemplate(parameter: unknown): Template {
  if (typeof parameter !== 'string' || !parameter.startsWith('=')) return () => parameter
  const source = parameter.slice(1)
  const parts: (string | Expression)[] = []
  let end = 0
  for (const match of source.matchAll(MARKED)) {
    if (match.index > end) parts.push(source.slice(end, match.index))
    parts.push(parseExpression(match[1]!))
    end = match.index + match[0].length
  }
  const rest = source.slice(end)
  if (rest.includes('{{')) throw new ExpressionError("'{{' without '}}'")
  if (rest !== '') parts.push(rest)
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') return (scope) => evaluate(only, scope)
  return (scope) => parts.map((part) => (typeof part === 'string' ? part : asText(evaluate(part, scope)))).join('')
}
