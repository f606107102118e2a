import { z } from 'zod'
import { NodeFailure, nodeType, template, valueOf } from '../node-type.ts'
import type { NodeType } from '../node-type.ts'

/** The parameters of a webhook that starts a workflow; it answers through a Respond to Webhook node. */
export const WebhookParameters = z.strictObject({
  httpMethod: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  path: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'letters, digits, "_" and "-" only'),
  authentication: z.literal('none').optional(),
  responseMode: z.literal('responseNode'),
  options: z.strictObject({}).default({}),
})
export type WebhookParameters = z.output<typeof WebhookParameters>

/** n8n's Webhook: the item is what the caller sent. */
export const webhookNode: NodeType = nodeType({ from: 2, to: 2.1 }, WebhookParameters, () => async (items) => [
  [...items],
])

const RespondParameters = z.strictObject({
  respondWith: z.enum(['json', 'firstIncomingItem', 'noData']).default('firstIncomingItem'),
  responseBody: template.optional(),
  options: z.strictObject({ responseCode: z.int().min(100).max(599).default(200) }).default({ responseCode: 200 }),
})

/** n8n's Respond to Webhook: answers the caller from the first item, and passes the items on. */
export const respondNode: NodeType = nodeType({ from: 1, to: 1.5 }, RespondParameters, (parameters) => {
  const { respondWith, responseBody, options } = parameters
  return async (items, context) => {
    const [first] = items
    if (first !== undefined) {
      const given = responseBody === undefined ? first.json : valueOf(responseBody, first, context)
      const body = respondWith === 'json' ? jsonValue(given) : respondWith === 'noData' ? undefined : first.json
      context.respond({ status: options.responseCode, headers: {}, body })
    }
    return [[...items]]
  }
})

/** Returns what a JSON response is written from: data as it is, or a text that holds JSON. */
function jsonValue(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given) as unknown
  } catch (cause) {
    throw new NodeFailure('the response body is not valid JSON', { cause })
  }
}
