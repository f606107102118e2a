/** A node of n8n's export format with what tests leave out filled in. */
export const node = (name: string, type: string, typeVersion: number, parameters: object, more: object = {}) => ({
  id: `id-${name}`,
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [0, 0],
  parameters,
  ...more,
})

export const webhook = (path = 'hook') =>
  node(
    'Webhook',
    'webhook',
    2,
    { httpMethod: 'POST', path, responseMode: 'responseNode', options: {} },
    { webhookId: 'w1' },
  )

export const respond = (responseBody: string, name = 'Respond') =>
  node(name, 'respondToWebhook', 1.1, { respondWith: 'json', responseBody, options: {} })

export const set = (name: string, fields: Record<string, string>, more: object = {}) =>
  node(name, 'set', 3.4, {
    assignments: {
      assignments: Object.entries(fields).map(([field, value]) => ({ id: field, name: field, value, type: 'string' })),
    },
    options: {},
    ...more,
  })

/** A condition on a text, as the editor writes it. */
export const textCondition = (leftValue: string, operation: string, rightValue: string, options: object = {}) => ({
  options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2, ...options },
  conditions: [{ id: 'c', leftValue, rightValue, operator: { type: 'string', operation } }],
  combinator: 'and',
})

/** A workflow from its nodes and from where each of their outputs leads. */
export const workflow = (
  nodes: readonly object[],
  wires: Readonly<Record<string, readonly (readonly string[])[]>>,
  more: object = {},
) => ({
  id: 'sample',
  name: 'Sample',
  nodes,
  connections: Object.fromEntries(
    Object.entries(wires).map(([from, outputs]) => [
      from,
      { main: outputs.map((targets) => targets.map((target) => ({ node: target, type: 'main', index: 0 }))) },
    ]),
  ),
  active: true,
  settings: { executionOrder: 'v1' },
  pinData: {},
  tags: [],
  ...more,
})
