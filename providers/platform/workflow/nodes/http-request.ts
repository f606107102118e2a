import { z } from 'zod'
import { NodeFailure, nodeType, template, textOf, valueOf } from '../node-type.ts'
import type { NodeType } from '../node-type.ts'

const Header = z.strictObject({ name: template, value: template })

const HttpRequestParameters = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  url: template,
  authentication: z.literal('none').optional(),
  sendQuery: z.literal(false).optional(),
  sendHeaders: z.boolean().default(false),
  specifyHeaders: z.literal('keypair').optional(),
  headerParameters: z.strictObject({ parameters: z.array(Header) }).default({ parameters: [] }),
  sendBody: z.boolean().default(false),
  contentType: z.literal('json').default('json'),
  specifyBody: z.literal('json').optional(),
  jsonBody: template.optional(),
  options: z.strictObject({ timeout: z.int().min(1).max(3_600_000).optional() }).default({}),
})

const DEFAULT_TIMEOUT_MS = 300_000

/** n8n's HTTP Request with a JSON body; any status but 2xx fails the node, and so does a connection that does. */
export const httpRequestNode: NodeType = nodeType({ from: 4, to: 4.5 }, HttpRequestParameters, (parameters) => {
  const { method, url, sendHeaders, headerParameters, sendBody, jsonBody, options } = parameters
  return async (items, context) => {
    const results = await Promise.all(
      items.map(async (item) => {
        const given = sendHeaders ? headerParameters.parameters : []
        const headers = given.map(({ name, value }) => [
          textOf(name, item, context, "a header's name").toLowerCase(),
          textOf(value, item, context, "a header's value"),
        ])
        const body = sendBody && jsonBody !== undefined ? jsonText(valueOf(jsonBody, item, context)) : null
        const reply = await context.fetchJson({
          method,
          url: textOf(url, item, context, 'the address'),
          headers: Object.fromEntries(headers) as Record<string, string>,
          body,
          timeoutMs: options.timeout ?? DEFAULT_TIMEOUT_MS,
        })
        if (reply.status < 200 || reply.status > 299)
          throw new NodeFailure(`the request was answered with HTTP ${reply.status}`, { reply })
        // A list becomes one item for each of its members, a text the field `data`, as in n8n.
        const values = Array.isArray(reply.body) ? (reply.body as unknown[]) : [reply.body]
        return values.map((value) => ({ ...item, json: typeof value === 'object' ? value : { data: value } }))
      }),
    )
    return [results.flat()]
  }
})

/** Data as JSON; a text is taken to be JSON already. */
function jsonText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  try {
    JSON.parse(value)
    return value
  } catch (cause) {
    throw new NodeFailure('the body is not valid JSON', { cause })
  }
}
