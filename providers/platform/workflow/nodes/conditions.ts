import { z } from 'zod'
import { NodeFailure, template, valueOf } from '../node-type.ts'
import type { Item, NodeContext } from '../node-type.ts'

const Operator = z.strictObject({
  type: z.literal('string'),
  operation: z.enum(['equals', 'notEquals', 'contains', 'regex', 'empty', 'notEmpty']),
  name: z.string().optional(),
  singleValue: z.boolean().optional(),
})

/** The conditions of n8n's If and Switch nodes; they compare texts (`typeValidation: strict`). */
export const Conditions = z.strictObject({
  options: z.strictObject({
    caseSensitive: z.boolean().default(true),
    leftValue: z.string().optional(),
    typeValidation: z.literal('strict'),
    version: z.int().min(1).max(3),
  }),
  conditions: z
    .array(
      z.strictObject({
        id: z.string().optional(),
        leftValue: template,
        rightValue: template.default(() => () => ''),
        operator: Operator,
      }),
    )
    .min(1),
  combinator: z.enum(['and', 'or']),
})
export type Conditions = z.output<typeof Conditions>

/** Longest text that a pattern is tried on: patterns come from the workflow's author, texts from anywhere. */
const LONGEST_MATCHED = 64 * 1024

/** Returns true when an item meets the conditions. Throws `NodeFailure` for a value of another type. */
export function meets({ options, conditions, combinator }: Conditions, item: Item, context: NodeContext): boolean {
  const met = (condition: Conditions['conditions'][number]) => {
    const left = valueOf(condition.leftValue, item, context)
    const right = valueOf(condition.rightValue, item, context)
    return compare(condition.operator.operation, text(left), text(right), options.caseSensitive)
  }
  return combinator === 'and' ? conditions.every(met) : conditions.some(met)
}

function compare(
  operation: z.output<typeof Operator>['operation'],
  left: string,
  right: string,
  caseSensitive: boolean,
): boolean {
  const [a, b] = caseSensitive ? [left, right] : [left.toLowerCase(), right.toLowerCase()]
  switch (operation) {
    case 'equals':
      return a === b
    case 'notEquals':
      return a !== b
    case 'contains':
      return a.includes(b)
    case 'regex':
      return pattern(right).test(left.slice(0, LONGEST_MATCHED))
    case 'empty':
      return a === ''
    case 'notEmpty':
      return a !== ''
  }
}

/** `/…/flags`, or the bare pattern. */
function pattern(source: string): RegExp {
  const marked = /^\/(.*)\/([dgimsuvy]*)$/s.exec(source)
  try {
    return marked === null ? new RegExp(source) : new RegExp(marked[1]!, marked[2])
  } catch (cause) {
    throw new NodeFailure('a condition has an invalid pattern', { cause })
  }
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw new NodeFailure('a condition needs a text')
}
