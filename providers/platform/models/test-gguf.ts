// The test of a GGUF file, in a process of its own: the file is loaded as the platform loads it, and one chat and one answer in JSON are
// requested. It finds what to test in its environment, sends the probes in one message, and ends when the channel closes.
import process from 'node:process'
import { z } from 'zod'
import { MODEL_BACKENDS } from '../../../contract/index.ts'
import type { ModelProbe } from '../../../contract/control/models.ts'
import { createGgufBackend } from './gguf-backend.ts'
import { createGgufModels } from './gguf-models.ts'
import { reasonOf } from './model-error-response.ts'
import { ModelCallError } from './model-host.ts'
import type { RoleChatRequest } from './model-host.ts'

const Request = z.strictObject({ path: z.string(), timeout_s: z.number().positive() })
/** Holds the request as JSON. */
const REQUEST_VARIABLE = 'RAG_LADDER_TEST_GGUF'

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const CHAT: RoleChatRequest = {
  messages: [{ role: 'user', content: 'Answer with the one word: ready' }],
  max_tokens: 32,
}
const STRUCTURED: RoleChatRequest = {
  messages: [{ role: 'user', content: 'Which city is the capital of France? Answer in JSON: {"city": "…"}' }],
  max_tokens: 64,
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } },
}

const reasonFor = (error: unknown): string => {
  if (error instanceof ModelCallError) return error.detail ?? reasonOf(error)
  return error instanceof Error ? error.message : String(error)
}

/** Both requests; the second is left out when the file cannot be loaded. */
async function probesOf(request: z.infer<typeof Request>): Promise<ModelProbe[]> {
  const models = createGgufModels()
  const choice = MODEL_BACKENDS.gguf.settings.parse({
    backend: 'gguf',
    model: request.path,
    context_size: 1024,
    timeout_s: request.timeout_s,
  })
  const backend = createGgufBackend('light_gen', choice, models)
  const ask = async (probe: 'chat' | 'structured', body: RoleChatRequest): Promise<ModelProbe> => {
    const started = performance.now()
    const base = { probe, model: null, latency_ms: null, finding: null, error: null, remedy: null } as const
    try {
      const { choices, usage } = await backend.chat!(body)
      const elapsed = Math.round(performance.now() - started)
      const tokens = usage?.completion_tokens ?? 0
      const text = choices[0]?.message.content ?? ''
      const rate = `${((tokens * 1000) / Math.max(1, elapsed)).toFixed(1)} tokens/s`
      const finding =
        probe === 'chat' ? `${rate}, loading included` : `JSON as the schema requires: ${text.slice(0, 80)}`
      return { ...base, status: 'passed', latency_ms: elapsed, finding }
    } catch (error) {
      return { ...base, status: 'failed', error: reasonFor(error) }
    }
  }
  try {
    const chat = await ask('chat', CHAT)
    return chat.status === 'failed' ? [chat] : [chat, await ask('structured', STRUCTURED)]
  } finally {
    await models.close()
  }
}

process.on('disconnect', () => process.exit(0))
const probes = await probesOf(Request.parse(JSON.parse(process.env[REQUEST_VARIABLE] ?? '{}')))
process.send!({ probes })
