import type { ModelServiceAnswer } from './model-service.ts'

/** A request as a model service gets it. */
export interface AskedOfModel {
  messages: { role: string; content: string }[]
  tools?: unknown
  temperature?: number
  response_format?: unknown
  input?: string[]
}

export const completionOf = (message: object) => ({
  object: 'chat.completion',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }],
})

export const refusalOf = (message: string, status = 400): ModelServiceAnswer => ({
  status,
  json: { error: { message } },
})

/** Prefers the answer that says what the reference says, wherever it stands. */
function capableVerdict(asked: string): string {
  const text = (name: string): string =>
    new RegExp(`<<<${name} \\w+>>>\\n([\\s\\S]*?)\\n<<<end`).exec(asked)?.[1]?.replace(/^In |\.$/g, '') ?? ''
  const letters = [...asked.matchAll(/<<<answer ([A-Z]+) /g)].map(([, letter]) => letter!)
  const scores = letters.map(
    (letter) => [letter, text(`answer ${letter}`).includes(text('reference')) ? 5 : 1] as const,
  )
  return JSON.stringify({
    check: /<<<question (\w+)>>>/.exec(asked)?.[1],
    reasons: Object.fromEntries(letters.map((letter) => [letter, 'compared with the reference'])),
    scores: Object.fromEntries(scores),
    best: scores.toSorted((a, b) => b[1] - a[1])[0]?.[0],
  })
}

/** The body of an answer to each kind of work, as a capable model gives it. */
export function capableAnswer({ messages, tools, input }: AskedOfModel, answer = 'It was opened in 1904.'): object {
  if (input !== undefined) return { data: input.map((text, index) => ({ index, embedding: [text.length, 1] })) }
  const system = messages[0]!.content
  if (/"relations"/.test(system))
    return completionOf({ content: '{"entities": [{"name": "Ada Brill", "type": "person"}], "relations": []}' })
  if (/"high_level"/.test(system))
    return completionOf({ content: '{"high_level": ["opening"], "low_level": ["lock"]}' })
  if (/"verdicts"/.test(system))
    return completionOf({ content: '{"verdicts": [{"number": 1, "reason": "said", "verdict": 1}]}' })
  if (/You grade answers/.test(system)) return completionOf({ content: capableVerdict(messages[1]!.content) })
  const call = { name: 'vector_search', arguments: '{"query": "Ternmouth lock"}' }
  if (tools !== undefined)
    return completionOf({ content: null, tool_calls: [{ id: 'c', type: 'function', function: call }] })
  if (system.includes('You can call these tools'))
    return completionOf({ content: '{"tool": "vector_search", "arguments": {"query": "Ternmouth lock"}}' })
  return completionOf({ content: answer })
}
