import { z } from 'zod'
import { NodeFailure, nodeType, template, valueOf } from '../node-type.ts'
import type { NodeType } from '../node-type.ts'

const Assignment = z.strictObject({
  id: z.string().optional(),
  /** A dot would make a nested field in n8n. */
  name: z.string().regex(/^[^.[\]]{1,128}$/, 'a plain field name'),
  value: template,
  type: z.enum(['string', 'number', 'boolean']),
})

const SetParameters = z.strictObject({
  mode: z.literal('manual').default('manual'),
  assignments: z.strictObject({ assignments: z.array(Assignment) }),
  includeOtherFields: z.boolean().default(false),
  options: z.strictObject({}).default({}),
})

/** n8n's Edit Fields (Set): makes an object of the assigned fields, with the item's other ones where that is asked for. */
export const setNode: NodeType = nodeType(
  { from: 3.3, to: 3.5 },
  SetParameters,
  (parameters) => async (items, context) => [
    items.map((item) => {
      const assigned = parameters.assignments.assignments.map(({ name, value, type }) => {
        const result = valueOf(value, item, context)
        if (typeof result !== type) throw new NodeFailure(`the field '${name}' is no ${type}`)
        return [name, result] as const
      })
      const others = parameters.includeOtherFields ? Object.entries(item.json ?? {}) : []
      return { ...item, json: Object.fromEntries([...others, ...assigned]) }
    }),
  ],
)
