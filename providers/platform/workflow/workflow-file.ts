import { z } from 'zod'

const Connection = z.object({ node: z.string().min(1), type: z.literal('main'), index: z.int().min(0) })

/** A node as n8n exports it; what its parameters mean is its type's affair. */
export const WorkflowNode = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1).max(128),
  type: z.string().min(1),
  typeVersion: z.number(),
  position: z.tuple([z.number(), z.number()]),
  parameters: z.record(z.string(), z.unknown()),
  webhookId: z.string().min(1).optional(),
})
export type WorkflowNode = z.infer<typeof WorkflowNode>

/** A workflow in n8n's export format. */
export const WorkflowFile = z.looseObject({
  id: z.string().min(1).max(36),
  name: z.string().min(1).max(128),
  nodes: z.array(WorkflowNode).min(1).max(200),
  /** Per node its outputs in order, and per output what it leads to. */
  connections: z.record(z.string(), z.object({ main: z.array(z.array(Connection).nullable()) })),
  active: z.boolean(),
  settings: z.looseObject({}).default({}),
})
export type WorkflowFile = z.infer<typeof WorkflowFile>
