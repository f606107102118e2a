import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { MODEL_BACKENDS } from '../../contract/manifests/model-backends.ts'
import type { ChatCompletion } from '../../contract/http/chat.ts'
import type { ModelOf } from '../../contract/manifests/model-backends.ts'
import type { ModelRole } from '../../contract/manifests/models.ts'
import { createGgufBackend } from '../../providers/platform/models/gguf/gguf-backend.ts'
import { createGgufModels } from '../../providers/platform/models/gguf/gguf-models.ts'
import type { GgufModels } from '../../providers/platform/models/gguf/gguf-models.ts'
import { reasonOf } from '../../providers/platform/models/model-error-response.ts'
import type { ModelCallError, RoleChatRequest } from '../../providers/platform/models/model-host.ts'
import { skipWithout } from './skip-without.ts'
import { realWeights } from './weights.ts'

const weights = await realWeights('smollm2-135m')
skipWithout(weights)

/** For all tests of the file: a model takes seconds to load. */
const models: GgufModels = createGgufModels()
afterAll(() => models.close())

const backend = (settings: Partial<ModelOf<'gguf'>> = {}, role: ModelRole = 'light_gen') => {
  const model = join(weights.folder!, 'SmolLM2-135M-Instruct.Q4_1.gguf')
  const choice = MODEL_BACKENDS.gguf.settings.parse({ backend: 'gguf', model, context_size: 1024, ...settings })
  return createGgufBackend(role, choice, models)
}
const asking = (more: Partial<RoleChatRequest> = {}): RoleChatRequest => ({
  messages: [{ role: 'user', content: 'What is the capital of France?' }],
  max_tokens: 24,
  ...more,
})
const textOf = (completion: ChatCompletion): string => completion.choices[0]!.message.content!
const reasonFor = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'no error',
    (error: unknown) => reasonOf(error as ModelCallError),
  )
/** Processes that this one started and that run the model. */
const children = (): number[] => {
  const list = `/proc/self/task/${process.pid}/children`
  return existsSync(list)
    ? readFileSync(list, 'utf8')
        .split(' ')
        .filter(Boolean)
        .map(Number)
        .filter(
          (pid) => existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('gguf-child'),
        )
    : []
}

describe('SmolLM2-135M as GGUF', () => {
  it('answers the same at temperature 0, and with the same seed, whatever was asked between', async () => {
    const chat = backend().chat!
    const first = await chat(asking())
    const seeded = textOf(await chat(asking({ temperature: 1, seed: 7 })))
    expect(textOf(await chat(asking()))).toBe(textOf(first))
    expect(textOf(await chat(asking({ temperature: 1, seed: 7 })))).toBe(seeded)
    expect(textOf(await chat(asking({ temperature: 1, seed: 8 })))).not.toBe(seeded)
    // The template's own system message is part of the prompt.
    expect(first.usage).toEqual({ prompt_tokens: 37, completion_tokens: 24, total_tokens: 61 })
    const timings = first['timings'] as Record<string, number>
    console.log(
      `SmolLM2-135M: first token after ${timings['prompt_ms']!.toFixed(0)} ms, ${timings['predicted_per_second']!.toFixed(0)} tokens/s, ` +
        `process ${(timings['resident_bytes']! / 1e6).toFixed(0)} MB`,
    )
  })

  it('ends at a stop text, which is not part of the answer', async () => {
    const whole = textOf(await backend().chat!(asking()))
    const stop = whole.split(' ')[2]!
    const stopped = await backend().chat!(asking({ stop }))
    expect(textOf(stopped).trim()).toBe(whole.slice(0, whole.indexOf(stop)).trim())
    expect(stopped.choices[0]!.finish_reason).toBe('stop')
  })

  it('refuses a prompt that does not fit, with the numbers', async () => {
    const messages = [{ role: 'user' as const, content: 'city '.repeat(800) }]
    expect(await reasonFor(backend().chat!(asking({ messages, max_tokens: 1000 })))).toMatch(
      /The prompt has 8\d\d tokens and its answer may have 1000, but the context holds 1024\. Shorten/,
    )
  })

  it('gives an answer the room that its prompt leaves in the context, where more is asked for', async () => {
    const whole = textOf(await backend().chat!(asking()))
    const stop = whole.split(' ')[2]!
    expect(textOf(await backend().chat!(asking({ max_tokens: 1000, stop }))).trim()).toBe(
      whole.slice(0, whole.indexOf(stop)).trim(),
    )
  })

  it('keeps to a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string', maxLength: 30 },
        certain: { type: 'boolean' },
        tags: { type: 'array', items: { enum: ['large', 'small'] }, minItems: 1, maxItems: 2 },
        population: { anyOf: [{ type: 'null' }, { type: 'boolean' }] },
      },
      required: ['city', 'certain', 'tags', 'population'],
      additionalProperties: false,
    }
    const format = { type: 'json_schema', json_schema: { name: 'city', strict: true, schema } }
    const answer = await backend().chat!(asking({ response_format: format, max_tokens: 200 }))
    const reply = JSON.parse(textOf(answer)) as Record<string, unknown>
    expect(Object.keys(reply)).toEqual(['city', 'certain', 'tags', 'population'])
    expect(reply).toEqual({
      city: expect.any(String),
      certain: expect.any(Boolean),
      tags: expect.arrayContaining([expect.stringMatching(/^(large|small)$/)]),
      population: reply['population'] === null ? null : expect.any(Boolean),
    })
  })

  it('is loaded once for two roles, ends when idle, and comes back after its process was killed', async () => {
    await models.close()
    if (process.platform === 'linux') await vi.waitFor(() => expect(children()).toEqual([]), { timeout: 15_000 })
    const brief = { keep_alive_s: 0.2, max_new_tokens: 4 }
    const roles = [backend(brief), backend(brief, 'graph_query')]
    await Promise.all(roles.map((each) => each.chat!(asking({ max_tokens: 2 }))))
    if (process.platform !== 'linux') return
    expect(children()).toHaveLength(1)
    await vi.waitFor(() => expect(children()).toEqual([]), { timeout: 5000 })
    const under = backend().chat!(asking({ max_tokens: 500 }))
    const failed = reasonFor(under)
    await vi.waitFor(() => expect(children()).toHaveLength(1), { timeout: 30_000 })
    process.kill(children()[0]!, 'SIGKILL')
    expect(await failed).toMatch(/ended with SIGKILL/)
    expect(textOf(await backend().chat!(asking()))).not.toBe('')
  })

  it('that needs more memory than it may have is refused before it is loaded', async () => {
    const answer = backend({ context_size: 1_000_000, memory_mib: 600 }).chat!(asking())
    expect(await reasonFor(answer)).toMatch(/Too little memory for SmolLM2.*A context size of 1000000 is too large/)
  })
})

it('streams the answer in pieces that together are the whole', async () => {
  const pieces: string[] = []
  const answer = await backend().chat!(asking(), undefined, (piece) => pieces.push(piece))
  expect(pieces.length).toBeGreaterThan(3)
  expect(pieces.join('')).toBe(textOf(answer))
})

it('ends its generation when the caller leaves in the middle of it', async () => {
  const left = new AbortController()
  const started = performance.now()
  const answer = backend().chat!(asking({ max_tokens: 800 }), left.signal, () => left.abort(new Error('gone')))
  await expect(answer).rejects.toThrow('gone')
  expect(performance.now() - started).toBeLessThan(15_000)
})

it('calls a tool with arguments of its schema when it must', async () => {
  const query = { type: 'string', description: 'What to look for.' }
  const parameters = { type: 'object', properties: { query }, required: ['query'], additionalProperties: false }
  const search = { name: 'vector_search', description: 'Finds passages that are close to a query.', parameters }
  const tools = [{ type: 'function' as const, function: search }]
  const answer = await backend({}, 'agentic').chat!(asking({ max_tokens: 200, tools, tool_choice: 'required' }))
  const [call] = answer.choices[0]!.message.tool_calls!
  expect(call!.function.name).toBe('vector_search')
  expect(JSON.parse(call!.function.arguments)).toEqual({ query: expect.any(String) })
})

describe('embeddings of SmolLM2-135M', () => {
  it('have the dimension of the model and length 1, alone as among others, and again', async () => {
    const embed = backend({}, 'embed').embed!
    const texts = ['The capital of France is Paris.', 'A tide mill stores water.', 'Paris is in France.']
    const together = await embed(texts, 'document')
    for (const vector of together) {
      expect(vector).toHaveLength(576)
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    }
    for (const [index, text] of texts.entries()) expect((await embed([text], 'document'))[0]).toEqual(together[index])
    expect(together[0]).not.toEqual(together[2])
  })

  it('cut a text that is longer than the context at its end', async () => {
    const embed = backend({ context_size: 256 }, 'embed').embed!
    const long = 'The lock keeper notes the time. '.repeat(80)
    const [one, other] = await embed([`${long} Paris.`, `${long} London.`], 'document')
    expect(one).toEqual(other)
    expect((await embed(['The lock keeper notes the time.'], 'document'))[0]).not.toEqual(one)
  })
})
