// Calls of tools by a model that knows no tool protocol: the tools are described in the system message, and a grammar holds the reply to one JSON
// object, `{"tool": NAME, "arguments": {…}}` or `{"answer": TEXT}`. Earlier calls and their results are shown to the model in the same form.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { messageText } from '../../../contract/index.ts'
import type { ChatCompletion, ChatMessage, ToolCall } from '../../../contract/index.ts'
import type { RoleChatRequest } from './model-host.ts'

type Tools = NonNullable<RoleChatRequest['tools']>

/** A model that repeats itself would never close a text. */
const LONGEST_ARGUMENT = 300
const LONGEST_ANSWER = 1500

const Declared = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  parameters: z.looseObject({}).optional(),
})

const NO_PARAMETERS = { type: 'object', properties: {}, additionalProperties: false }

/** The tools as the end of the system message. */
export function toolInstructions(tools: Tools): string {
  const described = tools.map((tool) => {
    const { name, description = '', parameters = NO_PARAMETERS } = Declared.parse(tool.function)
    return `- ${name}: ${description} Arguments by JSON schema: ${JSON.stringify(parameters)}`
  })
  return [
    'You can call these tools:',
    ...described,
    'Reply with one JSON object and nothing else.',
    `To call a tool: ${callText(tools[0]!.function.name, '{…}')}`,
    'To answer: {"answer": "…"}',
  ].join('\n')
}

/** The schema of a reply. A reply that must be a call has no answer. */
export function toolReplySchema(tools: Tools, mustCall: boolean): object {
  const calls = tools.map((tool) => {
    const { name, parameters = NO_PARAMETERS } = Declared.parse(tool.function)
    return closed({ tool: { const: name }, arguments: bounded(parameters) })
  })
  const answer = closed({ answer: { type: 'string', minLength: 1, maxLength: LONGEST_ANSWER } })
  return { oneOf: mustCall ? calls : [...calls, answer] }
}

const closed = (properties: Record<string, unknown>): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

/** A schema whose texts all have a greatest length. */
function bounded(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(bounded)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, bounded(value)]))
  return inner['type'] === 'string' && inner['enum'] === undefined ? { maxLength: LONGEST_ARGUMENT, ...inner } : inner
}

const callText = (name: string, given: string): string => `{"tool": ${JSON.stringify(name)}, "arguments": ${given}}`

/** A message as the model reads it: its own calls as it wrote them, and results with their tool's name. */
export function textWithTools(message: ChatMessage, messages: readonly ChatMessage[]): string {
  if (message.role === 'tool') {
    const calls = messages.flatMap(({ tool_calls: made = [] }) => made)
    const name = calls.find(({ id }) => id === message.tool_call_id)?.function.name ?? 'the tool'
    return `Result of ${name}:\n${messageText(message)}`
  }
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: given } }) => callText(name, given))
  return [messageText(message), ...calls].filter((text) => text !== '').join('\n')
}

const Reply = z.union([
  z.object({ tool: z.string(), arguments: z.looseObject({}) }),
  z.object({ answer: z.string() }).transform(({ answer }) => answer),
])

/** The reply as an answer or a call. One that was cut off by its length has neither. */
export function withToolCalls(completion: ChatCompletion): ChatCompletion {
  const [choice, ...rest] = completion.choices
  const reply = Reply.safeParse(parseOrNull(choice!.message.content ?? ''))
  const answered = (message: object, finish = choice!.finish_reason): ChatCompletion => ({
    ...completion,
    choices: [{ ...choice!, finish_reason: finish, message: { ...choice!.message, ...message } }, ...rest],
  })
  if (!reply.success) return answered({ content: '' })
  if (typeof reply.data === 'string') return answered({ content: reply.data })
  const call: ToolCall = {
    id: `call_${randomUUID()}`,
    type: 'function',
    function: { name: reply.data.tool, arguments: JSON.stringify(reply.data.arguments) },
  }
  return answered({ content: null, tool_calls: [call] }, 'tool_calls')
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
