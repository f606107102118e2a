import { capableAnswer, type AskedOfModel } from './capable-model.ts'
import { startModelService, type ModelService, type ModelServiceAnswer } from './model-service.ts'

/** A chat model that cites the first document, an embedding model, and no other route. */
export function chatAnswer({ path, body }: { path: string; body: unknown }): ModelServiceAnswer {
  if (path === '/v1/models') return { json: { data: [{ id: 'tiny-chat' }, { id: 'tiny-embed' }] } }
  const { stream, input } = (body ?? {}) as Record<string, unknown>
  if (path === '/v1/embeddings')
    return { json: { data: [input].flat().map((_, index) => ({ index, embedding: [1, index, 0, 0, 0, 0, 0, 1] })) } }
  if (path !== '/v1/chat/completions') return { status: 404, json: { error: { message: 'no such route' } } }
  const content = 'The first document answers it.'
  const usage = { prompt_tokens: 20, completion_tokens: 6, total_tokens: 26 }
  const head = { id: 'chat', created: 0, model: 'tiny-chat' }
  if (stream !== true) return { json: { ...head, ...capableAnswer(body as AskedOfModel, content), usage } }
  const chunk = { ...head, object: 'chat.completion.chunk' }
  const frames = [
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ]
  const text = [...frames.map((frame) => JSON.stringify(frame)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')
  return { raw: (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text) }
}

/** A small language model service as Ollama and others have it, on a free port of this machine. */
export const startChatService = (): Promise<ModelService> => startModelService(chatAnswer)
