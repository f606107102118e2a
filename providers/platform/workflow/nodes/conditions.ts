import { z } from 'zod'
import { NodeFailure, template, valueOf } from '../node-type.ts'
import type { Item, NodeContext } from '../node-type.ts'

const textOperations = [
  'equals',
  'notEquals',
  'contains',
  'notContains',
  'startsWith',
  'endsWith',
  'regex',
  'notRegex',
  'empty',
  'notEmpty',
] as const
const numberOperations = ['equals', 'notEquals', 'gt', 'gte', 'lt', 'lte'] as const
const more = { name: z.string().optional(), singleValue: z.boolean().optional() }

const Operator = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('string'), operation: z.enum(textOperations), ...more }),
  z.strictObject({ type: z.literal('number'), operation: z.enum(numberOperations), ...more }),
  z.strictObject({ type: z.literal('boolean'), operation: z.enum(['true', 'false']), ...more }),
])
type Operator = z.output<typeof Operator>

/** The conditions of n8n's If and Switch nodes; values must have the operator's type (`typeValidation: strict`). */
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

/** Whether an item meets the conditions. Throws `NodeFailure` for a value of another type. */
export function meets({ options, conditions, combinator }: Conditions, item: Item, context: NodeContext): boolean {
  const met = (condition: Conditions['conditions'][number]) => {
    const left = valueOf(condition.leftValue, item, context)
    const right = valueOf(condition.rightValue, item, context)
    return compare(condition.operator, left, right, options.caseSensitive)
  }
  return combinator === 'and' ? conditions.every(met) : conditions.some(met)
}

function compare(operator: Operator, left: unknown, right: unknown, caseSensitive: boolean): boolean {
  switch (operator.type) {
    case 'string':
      return compareTexts(operator.operation, text(left), text(right), caseSensitive)
    case 'number':
      return compareNumbers(operator.operation, number(left), number(right))
    case 'boolean':
      if (typeof left !== 'boolean') throw wrongType('a boolean')
      return left === (operator.operation === 'true')
  }
}

function compareTexts(
  operation: (typeof textOperations)[number],
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
    case 'notContains':
      return !a.includes(b)
    case 'startsWith':
      return a.startsWith(b)
    case 'endsWith':
      return a.endsWith(b)
    case 'regex':
      return pattern(right).test(left.slice(0, LONGEST_MATCHED))
    case 'notRegex':
      return !pattern(right).test(left.slice(0, LONGEST_MATCHED))
    case 'empty':
      return a === ''
    case 'notEmpty':
      return a !== ''
  }
}

function compareNumbers(operation: (typeof numberOperations)[number], left: number, right: number): boolean {
  switch (operation) {
    case 'equals':
      return left === right
    case 'notEquals':
      return left !== right
    case 'gt':
      return left > right
    case 'gte':
      return left >= right
    case 'lt':
      return left < right
    case 'lte':
      return left <= right
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
  throw wrongType('a text')
}

function number(value: unknown): number {
  if (typeof value === 'number') return value
  throw wrongType('a number')
}

const wrongType = (wanted: string): NodeFailure => new NodeFailure(`a condition needs ${wanted}`)
