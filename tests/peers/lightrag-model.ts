import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { embedText } from '../../providers/platform/models/builtin/embedding/embed-text.ts'
import { extractGraph } from '../../providers/platform/models/builtin/extraction/extract-graph.ts'
import type { ChatMessage } from '../../contract/http/chat.ts'
import { isGleaning, parseExtractTask } from '../../providers/platform/models/prompts/extract-task.ts'

// A model service for LightRAG: its prompts are recognized by their wording and answered by rules, in its own forms. So a real LightRAG
// builds a graph of real names without a language model, and answers the same each time. Its vectors are the built-in ones, without the statistics of a corpus.

export interface LightragModel {
  url: string
  /** Calls by the kind of prompt. */
  calls: Record<'extraction' | 'keywords' | 'answer' | 'embedding' | 'other', number>
  close(): Promise<void>
}

interface ChatBody {
  messages: readonly { role: string; content: string }[]
}

const FIELD = '<|#|>'
const DONE = '<|COMPLETE|>'

function extraction(prompt: string): string {
  const text = /---Input Text---\s+```\n([\s\S]*?)\n```/.exec(prompt)?.[1] ?? ''
  const { entities, relations } = extractGraph({ title: '', text })
  return [
    ...entities.map(({ name, type, description }) => ['entity', name, type, description].join(FIELD)),
    ...relations.map(({ source, target, keywords, description }) =>
      ['relation', source, target, keywords.join(', ') || 'related', description].join(FIELD),
    ),
    DONE,
  ].join('\n')
}

function keywords(prompt: string): string {
  const query = /User Query: ([\s\S]*?)\n\n---Output---/.exec(prompt)?.[1] ?? ''
  const names = [...query.matchAll(/\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)*/gu)].map(([name]) => name).slice(1)
  return JSON.stringify({ high_level_keywords: [query], low_level_keywords: names.length === 0 ? [query] : names })
}

function reply({ messages }: ChatBody): { kind: keyof LightragModel['calls']; text: string } {
  const last = messages.at(-1)?.content ?? ''
  const task = parseExtractTask(messages as ChatMessage[])
  if (task !== null) return { kind: 'extraction', text: JSON.stringify(extractGraph({ title: '', text: task.text })) }
  if (isGleaning(messages as ChatMessage[]))
    return { kind: 'extraction', text: JSON.stringify({ entities: [], relations: [] }) }
  if (last.includes('---Input Text---')) return { kind: 'extraction', text: extraction(last) }
  if (last.includes('Based on the last extraction task')) return { kind: 'extraction', text: DONE }
  if (last.includes('keyword extractor')) return { kind: 'keywords', text: keywords(last) }
  const context = messages.find(({ role }) => role === 'system')?.content ?? ''
  if (context.includes('---Context---'))
    return { kind: 'answer', text: `The context has ${context.length} characters.` }
  return { kind: 'other', text: last.slice(0, 300) }
}

/** Starts it on a free port of 127.0.0.1; `url` ends with `/v1`. */
export async function startLightragModel(): Promise<LightragModel> {
  const calls: LightragModel['calls'] = { extraction: 0, keywords: 0, answer: 0, embedding: 0, other: 0 }
  const answer = (path: string, body: string): unknown => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    // It says nothing of itself where it is asked what it is.
    if (body === '') return {}
    if (path.endsWith('/embeddings')) {
      const { input, encoding_format: form } = JSON.parse(body) as {
        input: string | string[]
        encoding_format?: string
      }
      calls.embedding += 1
      const data = [input].flat().map((text, index) => {
        const vector = Float32Array.from(embedText(text))
        const embedding = form === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
        return { object: 'embedding', index, embedding }
      })
      return { object: 'list', model: 'hashed', data, usage }
    }
    const { kind, text } = reply(JSON.parse(body) as ChatBody)
    calls[kind] += 1
    const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }
    return { id: 'c', object: 'chat.completion', created: 0, model: 'rules', choices: [choice], usage }
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer(request.url ?? '', Buffer.concat(parts).toString())))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    calls,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
