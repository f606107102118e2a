import { onTestFinished } from 'vitest'
import type { ModelOf } from '../../contract/manifests/model-backends.ts'
import type { KnownModels } from '../../core/model-records/known-models.ts'
import type { ModelHttpOptions } from '../../providers/platform/models/openai/model-http.ts'
import { createOpenAiBackend } from '../../providers/platform/models/openai/openai-backend.ts'
import { startModelService } from './model-service.ts'
import type { ModelService, ModelServiceAnswer, ModelServiceCall } from './model-service.ts'

/** A completion as a service sends it. */
export const COMPLETION = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hello' } }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}

export const MESSAGES = [{ role: 'user' as const, content: 'hi' }]

export interface OpenAiSetup {
  reply: (call: ModelServiceCall, n: number) => ModelServiceAnswer
  choice?: Partial<ModelOf<'openai'>>
  http?: Partial<ModelHttpOptions>
  known?: KnownModels
  asksWindow?: boolean
  apiKey?: string | null
}

/** A backend on a service of its own, until the running test ends. */
export async function openBackend({
  reply,
  choice = {},
  http = {},
  known,
  asksWindow = false,
  apiKey = null,
}: OpenAiSetup) {
  const service: ModelService = await startModelService(reply)
  const delays: number[] = []
  const backend = createOpenAiBackend(
    'light_gen',
    {
      backend: 'openai',
      model: 'm',
      base_url: `${service.url}/v1`,
      api_key_env: null,
      timeout_s: 20,
      retries: 2,
      cloud: false,
      defaults: {},
      ...choice,
    },
    apiKey,
    {
      wait: async (delayMs) => {
        delays.push(delayMs)
      },
      ...http,
      asksWindow,
      ...(known === undefined ? {} : { known }),
    },
  )
  onTestFinished(service.close)
  onTestFinished(() => backend.close())
  return { backend, service, delays, chat: (signal?: AbortSignal) => backend.chat!({ messages: MESSAGES }, signal) }
}
