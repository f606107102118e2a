// Which fields of a request a model refuses, and the request without them. Services differ in what they take: reasoning models want no temperature,
// some no system message, some no schema. A refusal that names such a field drops it, and it is not sent to that model again.
import type { LearnedOfModel, ModelRecord } from '../../contract/manifests/model-record.ts'

/** Fields that only tune a request, or that have another form: a call without them still asks for the same. */
const OPTIONAL: Readonly<Record<string, RegExp>> = {
  temperature: /temperature/i,
  top_p: /\btop_?p\b/i,
  seed: /\bseed\b/i,
  think: /\bthink\b/i,
  stream_options: /stream_options/i,
  response_format: /response_format|json_schema|structured output|grammar/i,
  max_completion_tokens: /max_completion_tokens/i,
  max_tokens: /max_tokens/i,
  stream: /\bstream(?:ing)?\b/i,
  tools: /\btools?\b|tool_choice|function.?call/i,
  reasoning_effort: /reasoning_?effort|reasoning value/i,
  system: /\bsystem\b.{0,40}(?:role|message|prompt|support)|role.{0,20}\bsystem\b/i,
}

/** Fields without which a request asks for nothing. */
const NEEDED: ReadonlySet<string> = new Set(['model', 'messages', 'input', 'tool_choice', 'parallel_tool_calls'])

/** Further statuses by which services refuse a field in words: llama.cpp schemas and tools by 500, routers tools by 404. */
const ALSO_BY: Readonly<Record<string, readonly number[]>> = { response_format: [500], tools: [404, 500] }

/** States what a service answered: its status, its sentence, and the field that it named where it did. */
interface Refusal {
  status: number | null
  text: string
  param: string | null
}

type Body = Record<string, unknown>
type Message = { role: string; content?: unknown }
type Known = Pick<ModelRecord, 'refused' | 'max_output_tokens'>

const isRefused = ({ refused }: Known, field: string): boolean => Object.hasOwn(refused, field)

const hasSystem = ({ messages }: Body): boolean =>
  Array.isArray(messages) && (messages as Message[]).some(({ role }) => role === 'system')

const holds = (body: Body, field: string): boolean => {
  if (field === 'system') return hasSystem(body)
  if (field === 'tools') return Array.isArray(body['tools']) && body['tools'].length > 0
  return field === 'stream' ? body['stream'] === true : body[field] !== undefined
}

/** Any other field is named in quotation marks or after the word for it, in the spelling of the request or in camel case. */
function namedBy(field: string): RegExp {
  const camel = field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const name = `(?:${[field, camel].map((each) => each.replace(/[^\w]/g, '\\$&')).join('|')})`
  return new RegExp(
    `["'\`]${name}["'\`]|(?:parameters?|arguments?|fields?|inputs?)\\b[^.]{0,40}[\\s:]${name}(?!\\w)`,
    'i',
  )
}

/** The same conversation whose system text is at the start of the first message of the user. */
function withoutSystem(messages: readonly Message[]): Message[] {
  const told = messages.filter(({ role }) => role === 'system').map(({ content }) => String(content))
  const rest = messages.filter(({ role }) => role !== 'system')
  const first = rest.findIndex(({ role }) => role === 'user')
  if (first === -1) return [{ role: 'user', content: told.join('\n\n') }, ...rest]
  return rest.map((message, place) =>
    place === first && typeof message.content === 'string'
      ? { ...message, content: [...told, message.content].join('\n\n') }
      : message,
  )
}

/** The request as the model takes it: without refused fields, with the length limit under the name and within the bound that it knows. */
export function fitRequest(known: Known, { max_tokens: wanted, messages, ...rest }: Body): Body {
  const most = known.max_output_tokens
  const bounded = (limit: unknown): unknown =>
    typeof limit === 'number' && most !== null ? Math.min(limit, most) : limit
  const limits = isRefused(known, 'max_tokens')
    ? { max_completion_tokens: bounded(rest['max_completion_tokens'] ?? wanted) }
    : { max_tokens: bounded(wanted), max_completion_tokens: bounded(rest['max_completion_tokens']) }
  const fields = Object.fromEntries(
    Object.entries({ ...rest, ...limits }).filter(([field, value]) => value !== undefined && !isRefused(known, field)),
  )
  if (isRefused(known, 'stream')) {
    fields['stream'] = false
    delete fields['stream_options']
  }
  if (isRefused(known, 'tools')) {
    delete fields['tool_choice']
    delete fields['parallel_tool_calls']
  }
  if (messages === undefined) return fields
  return { messages: isRefused(known, 'system') ? withoutSystem(messages as Message[]) : messages, ...fields }
}

/** Returns what a refusal of this request teaches; null where it names no field that can be left out and no bound that can be kept. */
export function learnedFrom(known: Known, { status, text, param }: Refusal, body: Body): LearnedOfModel | null {
  // Other failures than a refusal are only about a field where the service says so itself, as llama.cpp does of schemas.
  const isRefusal = status === 400 || status === 422
  const bound = isRefusal || status === 402 ? boundIn(text, body) : null
  if (bound !== null) return { max_output_tokens: bound }
  const others = Object.keys(body).filter((field) => !(field in OPTIONAL) && !NEEDED.has(field))
  const left = [...Object.keys(OPTIONAL), ...others].filter((field) => holds(body, field) && !isRefused(known, field))
  const asked = isRefusal ? left : left.filter((field) => (ALSO_BY[field] ?? []).includes(status ?? 0))
  // GPT-5.4 names an effort that was not sent, where its tools are the cause.
  const found =
    param !== null && asked.includes(param)
      ? param
      : asked.find((field) => (OPTIONAL[field] ?? namedBy(field)).test(text) && !isOtherParam(param, field))
  return found === undefined ? null : { refused: { [found]: text } }
}

/** Returns true where the service names another part of the request, such as one message, than the field whose name its words hold. */
const isOtherParam = (param: string | null, field: string): boolean =>
  param !== null &&
  ((field !== 'system' && NEEDED.has(param)) || (param === 'max_tokens' && field === 'max_completion_tokens'))

/** The greatest answer that a service allows, where it refused a greater one by its number: Groq, Ollama Cloud, OpenRouter's credit. */
function boundIn(text: string, body: Body): number | null {
  const sent = body['max_tokens'] ?? body['max_completion_tokens']
  if (typeof sent !== 'number' || !/max_?(?:completion_|output_|new_)?tokens|output tokens/i.test(text)) return null
  if (!/less than or equal|at most|exceeds?|maximum|only afford|range|<=/i.test(text) || /context/i.test(text))
    return null
  const allowed = [...text.matchAll(/\b\d[\d,]*\b/g)].map(([digits]) => Number(digits.replaceAll(',', '')))
  const below = allowed.filter((count) => count >= 16 && count < sent)
  return below.length === 0 ? null : Math.max(...below)
}
