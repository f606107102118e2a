// The forms in which models write calls of tools into their text, where a server does not read them. Each form has a reader in `FORMS`, and the first
// one that finds a call of an offered tool counts. A tool that was not offered is text.
import { z } from 'zod'
import { isRecord, jsonIn, jsonObjects, objectEnd } from '../../../core/json.ts'
import { MOST_BRACES } from './prompts/json-reply.ts'
import { pythonCalls } from './python-calls.ts'

/** Calls that are read of one reply. */
const MOST_CALLS = 100

/** A reply as its text without reasoning, its whole text, and the legacy field that some services send in place of `tool_calls`. */
interface WrittenReply {
  text: string
  whole: string
  legacy?: unknown
}

type Call = readonly [name: string, given: unknown]
/** The JSON schema of the parameters of an offered tool; undefined for any other name. */
type ParametersOf = (tool: string) => unknown
type Reader = (reply: WrittenReply, parametersOf: ParametersOf) => Call[]

/** Reads calls of which the arguments are a JSON object after a head with the name. */
function headed(head: RegExp): (text: string) => Call[] {
  return (text) => {
    const calls: Call[] = []
    const pattern = new RegExp(head, 'g')
    for (let heads = 0; heads < MOST_CALLS; heads += 1) {
      const found = pattern.exec(text)
      if (found === null) break
      const end = objectEnd(text, pattern.lastIndex)
      if (end === -1) continue
      calls.push([found[1]!, jsonIn(text.slice(pattern.lastIndex, end))])
      pattern.lastIndex = end
    }
    return calls
  }
}

const functionTag = headed(/<function=([\w.-]+)>?\s*(?=\{)/)
const mistral = headed(/\[TOOL_CALLS\]\s*([\w.-]+)\s*(?:\[CALL_ID\]\s*[\w-]+\s*)?(?:\[ARGS\]\s*)?(?=\{)/)
const deepSeek = headed(
  /<｜tool▁call▁begin｜>\s*(?:function\s*<｜tool▁sep｜>\s*)?([\w.-]+)\s*(?:<｜tool▁sep｜>\s*)?(?:```(?:json)?\s*)?(?=\{)/,
)
const harmony = headed(
  /(?:<\|channel\|>\s*\w+|<\|start\|>\s*assistant)\s+to=functions\.([\w.-]+)\s*(?:<\|channel\|>\s*\w+\s*)?(?:<\|constrain\|>\s*)?\w*\s*<\|message\|>\s*(?=\{)/,
)
const bareHarmony = headed(/commentary\s+to=functions\.([\w.-]+?)\s*(?:json|code)?\s*(?=\{)/)

/** JSON objects: our own form, that of Hermes and Qwen, that of Llama, and calls of the API, each with or without a wrapper. */
const Written = z.union([
  z.looseObject({ tool: z.string(), arguments: z.unknown() }).transform((call): Call => [call.tool, call.arguments]),
  z.looseObject({ name: z.string(), arguments: z.unknown() }).transform((call): Call => [call.name, call.arguments]),
  z.looseObject({ name: z.string(), parameters: z.unknown() }).transform((call): Call => [call.name, call.parameters]),
  z
    .looseObject({ function: z.looseObject({ name: z.string(), arguments: z.unknown() }) })
    .transform(({ function: call }): Call => [call.name, call.arguments]),
])

const written = (value: unknown): Call[] => {
  const read = Written.safeParse(value)
  return read.success ? [read.data] : []
}

const FORMS: Readonly<Record<string, Reader>> = {
  'the legacy field function_call': ({ legacy }) => written(legacy),
  'Qwen3-Coder: <function=NAME><parameter=KEY>VALUE</parameter></function>': ({ text }, parametersOf) =>
    taggedParameters(text, parametersOf),
  'Llama 3.1: <function=NAME>{…}</function>': ({ text }) => functionTag(text),
  'Mistral: [TOOL_CALLS]NAME[ARGS]{…}': ({ text }) => mistral(text),
  'DeepSeek: <｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME, then JSON': ({ text }) => deepSeek(text),
  // Its channels are taken out of the text, as reasoning.
  'gpt-oss: <|channel|>commentary to=functions.NAME<|message|>{…}': ({ whole }) => harmony(whole),
  'gpt-oss without marks: commentary to=functions.NAME json{…}': ({ whole }) =>
    /^\s*(?:analysis|assistant|commentary)/.test(whole) ? bareHarmony(whole) : [],
  'Llama 4: [NAME(KEY="VALUE")]': ({ text }) =>
    pythonCalls(text.replace(/^\s*<\|python_(?:tag|start)\|>|<\|(?:python_end|eom_id|eot_id|eom|eot)\|>/g, '')),
  'JSON objects': ({ text }) => [...jsonObjects(text, MOST_BRACES)].flatMap(({ value }) => written(value)),
}

const Arguments = z.preprocess((given) => (typeof given === 'string' ? jsonIn(given) : given), z.looseObject({}))

/** The calls of offered tools that a reply holds as text, with their arguments. */
export function writtenCalls(
  reply: WrittenReply,
  tools: ReadonlyMap<string, unknown>,
): { name: string; given: Record<string, unknown> }[] {
  for (const read of Object.values(FORMS)) {
    const calls = read(reply, (tool) => tools.get(tool)).flatMap(([name, given]) => {
      const parsed = Arguments.safeParse(given ?? {})
      return tools.has(name) && parsed.success ? [{ name, given: parsed.data }] : []
    })
    if (calls.length > 0) return calls
  }
  return []
}

/** Calls with a tag for each argument, whose text is a value of the type that the tool declares. */
function taggedParameters(text: string, parametersOf: ParametersOf): Call[] {
  const calls: Call[] = []
  const head = /<function=([\w.-]+)>/g
  for (let heads = 0; heads < MOST_CALLS; heads += 1) {
    const name = head.exec(text)?.[1]
    if (name === undefined) break
    const given: Record<string, unknown> = {}
    const parameter = /\s*<parameter=([^>\s]+)>/y
    const close = /\s*<\/function>/y
    let at = head.lastIndex
    for (;;) {
      parameter.lastIndex = at
      const key = parameter.exec(text)?.[1]
      const end = key === undefined ? -1 : text.indexOf('</parameter>', parameter.lastIndex)
      if (key === undefined || end === -1) break
      const value = text
        .slice(parameter.lastIndex, end)
        .replace(/^\r?\n/, '')
        .replace(/\r?\n$/, '')
      given[key] = typed(value, parametersOf(name), key)
      at = end + '</parameter>'.length
    }
    close.lastIndex = at
    // A call that was cut off has no end.
    if (!close.test(text)) continue
    calls.push([name, given])
    head.lastIndex = close.lastIndex
  }
  return calls
}

function typed(text: string, parameters: unknown, key: string): unknown {
  const properties = isRecord(parameters) ? parameters['properties'] : undefined
  const declared = isRecord(properties) ? properties[key] : undefined
  const type = isRecord(declared) ? declared['type'] : undefined
  if (type === undefined || [type].flat().includes('string')) return text
  const value = jsonIn(text.trim())
  return value === undefined ? text : value
}
