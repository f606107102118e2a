// Calls of tools by a model that knows no tool protocol: the tools are described in the system message, and the model replies with one JSON object,
// `{"tool": NAME, "arguments": {…}}` or `{"answer": TEXT}`. A grammar holds models of this process to it; a service gets the words alone. Earlier
// calls and their results are shown to the model in the same form.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { messageText } from '../../../contract/http/chat.ts'
import type { ChatCompletion, ChatMessage, ToolCall } from '../../../contract/http/chat.ts'
import { jsonObjects } from '../../../core/json.ts'
import type { RoleChatRequest } from './model-host.ts'
import { MOST_BRACES } from './prompts/json-reply.ts'
import { writtenCalls } from './written-calls.ts'

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
    return closed({ tool: { const: name }, arguments: withTextLimits(parameters) })
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
function withTextLimits(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withTextLimits)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, withTextLimits(value)]))
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

/** The conversation and its tools as text, for a service that takes no tools. */
export function askedInText({ messages, tools = [] }: RoleChatRequest): ChatMessage[] {
  const texts = messages.map((message): ChatMessage => {
    const role = message.role === 'tool' ? 'user' : message.role
    return { role, content: textWithTools(message, messages) }
  })
  const instructions = toolInstructions(tools)
  const [first, ...rest] = texts
  return first?.role === 'system'
    ? [{ role: 'system', content: `${messageText(first)}\n\n${instructions}` }, ...rest]
    : [{ role: 'system', content: instructions }, ...texts]
}

/**
 * A completion that holds a call of one of the tools in a written form (see written-calls.ts) as a completion with that call; any other is returned
 * as it is. `whole` is the text with its reasoning. With `answers` the text may be `{"answer": …}`, which is then the answer, and one that was cut
 * off is none.
 */
export function withWrittenCalls(
  completion: ChatCompletion,
  tools: Tools,
  { answers = false, whole = null as string | null } = {},
): ChatCompletion {
  const [choice, ...rest] = completion.choices
  const { content, tool_calls: made = [], function_call: legacy } = choice!.message
  const text = content ?? ''
  if (made.length > 0) return completion
  const offered = new Map(tools.map(({ function: { name, parameters } }) => [name, parameters] as const))
  const calls = writtenCalls({ text, whole: whole ?? text, legacy }, offered).map(({ name, given }): ToolCall => ({
    id: `call_${randomUUID()}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }))
  const answered = (message: object, finish = choice!.finish_reason): ChatCompletion => ({
    ...completion,
    choices: [{ ...choice!, finish_reason: finish, message: { ...choice!.message, ...message } }, ...rest],
  })
  if (calls.length > 0) return answered({ content: null, tool_calls: calls, function_call: undefined }, 'tool_calls')
  if (!answers) return completion
  const objects = [...jsonObjects(text, MOST_BRACES)].map(({ value }) => Answered.safeParse(value))
  const answer = objects.findLast(({ success }) => success)?.data?.answer
  if (answer !== undefined) return answered({ content: answer })
  return text.trimStart().startsWith('{') ? answered({ content: '' }) : completion
}

const Answered = z.looseObject({ answer: z.string() })
