import { z } from 'zod'
import { nodeType } from '../node-type.ts'
import type { Item, NodeType } from '../node-type.ts'
import { Conditions, meets } from './conditions.ts'

const IfParameters = z.strictObject({
  conditions: Conditions,
  looseTypeValidation: z.literal(false).optional(),
  options: z.strictObject({}).default({}),
})

/** n8n's If: the first output takes the items that meet the conditions, the second one the others. */
export const ifNode: NodeType = nodeType(
  { from: 2, to: 2.3 },
  IfParameters,
  ({ conditions }) =>
    async (items, context) => {
      const outputs: [Item[], Item[]] = [[], []]
      for (const item of items) outputs[meets(conditions, item, context) ? 0 : 1].push(item)
      return outputs
    },
)

const SwitchParameters = z.strictObject({
  mode: z.literal('rules').default('rules'),
  looseTypeValidation: z.literal(false).optional(),
  rules: z.strictObject({
    values: z
      .array(
        z.strictObject({
          conditions: Conditions,
          renameOutput: z.boolean().optional(),
          outputKey: z.string().optional(),
        }),
      )
      .min(1),
  }),
  options: z
    .strictObject({
      /** `extra` gives the items that no rule takes an output of their own after those of the rules. */
      fallbackOutput: z.enum(['none', 'extra']).default('none'),
      renameFallbackOutput: z.string().optional(),
    })
    .default({ fallbackOutput: 'none' }),
})

/** n8n's Switch by rules: the first rule that an item meets takes it. */
export const switchNode: NodeType = nodeType({ from: 3, to: 3.4 }, SwitchParameters, ({ rules, options }) => {
  const extra = options.fallbackOutput === 'extra'
  return async (items, context) => {
    const outputs = Array.from({ length: rules.values.length + (extra ? 1 : 0) }, (): Item[] => [])
    for (const item of items) {
      const rule = rules.values.findIndex(({ conditions }) => meets(conditions, item, context))
      outputs[rule === -1 ? rules.values.length : rule]?.push(item)
    }
    return outputs
  }
})

/** n8n's No Operation: items pass as they are. */
export const noOpNode: NodeType = nodeType({ from: 1, to: 1 }, z.strictObject({}), () => async (items) => [[...items]])
