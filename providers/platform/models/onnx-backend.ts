import type { Tensor } from '@huggingface/transformers'
import { messageText } from '../../../contract/index.ts'
import type { ChatCompletion, ModelRole, ModelOf } from '../../../contract/index.ts'
import { chatCompletion } from './chat-completion.ts'
import type { ModelBackend } from './model-backend.ts'
import { ModelCallError } from './model-host.ts'
import type { RoleChatRequest } from './model-host.ts'
import type { OnnxModels } from './onnx-models.ts'
import { unitVectors } from './unit-vectors.ts'

/** Texts per run of a network: bounds the memory of one run. */
const BATCH = 16

/** Weights in this process: embeddings pooled as their makers define, cross-encoder scores, or generated text, by the choice's task. */
export function createOnnxBackend(role: ModelRole, choice: ModelOf<'onnx'>, models: OnnxModels): ModelBackend {
  return {
    async embed(texts, side, signal) {
      const { tokenizer, model, pooling, maxTokens } = await models.embedder(role, choice)
      const { mean_pooling: meanPooling } = await models.library()
      const prefix = side === 'query' ? choice.query_prefix : choice.document_prefix
      const vectors = new Array<number[]>(texts.length)
      // A batch is as long as its longest text, so texts of one length go together.
      const byLength = texts.map((_, index) => index).toSorted((a, b) => texts[a]!.length - texts[b]!.length)
      for (const batch of batches(byLength)) {
        signal?.throwIfAborted()
        const prefixed = batch.map((index) => prefix + texts[index]!)
        const rows = await guarded(role, async () => {
          const tokens = tokenizer(prefixed, { padding: true, truncation: true, max_length: maxTokens })
          const { last_hidden_state: states } = (await model(tokens)) as { last_hidden_state: Tensor }
          const pooled = pooling === 'cls' ? states.slice(null, 0) : meanPooling(states, tokens.attention_mask)
          return pooled.tolist() as number[][]
        })
        for (const [row, index] of batch.entries()) vectors[index] = rows[row] ?? []
      }
      return unitVectors(role, vectors, texts.length)
    },
    async rerank(query, texts, signal) {
      const { tokenizer, model, maxTokens } = await models.crossEncoder(role, choice)
      const scores: number[] = []
      for (const batch of batches(texts)) {
        signal?.throwIfAborted()
        scores.push(
          ...(await guarded(role, async () => {
            const pairs = tokenizer(new Array<string>(batch.length).fill(query), {
              text_pair: batch,
              padding: true,
              truncation: true,
              max_length: maxTokens,
            }) as unknown
            const { logits } = (await model(pairs)) as { logits: Tensor }
            return relevanceLogits(logits.tolist() as number[][])
          })),
        )
      }
      if (scores.every(Number.isFinite)) return scores
      throw new ModelCallError(
        'invalid_response',
        role,
        `The reranker "${choice.model}" gave a score that is not a finite number`,
      )
    },
    chat: (request, signal) => generate(role, choice, models, request, signal),
    close: async () => undefined,
  }
}

async function generate(
  role: ModelRole,
  choice: ModelOf<'onnx'>,
  models: OnnxModels,
  request: RoleChatRequest,
  signal?: AbortSignal,
): Promise<ChatCompletion> {
  if (request.tools !== undefined && request.tools.length > 0) {
    throw new ModelCallError('bad_request', role, `The local model "${choice.model}" cannot call tools`)
  }
  const generator = await models.generator(role, choice)
  const { InterruptableStoppingCriteria } = await models.library()
  signal?.throwIfAborted()
  const stop = new InterruptableStoppingCriteria()
  const interrupt = () => stop.interrupt()
  signal?.addEventListener('abort', interrupt)
  try {
    return await guarded(role, async () => {
      const messages = request.messages.map((message) => ({
        role: templateRole(message.role),
        content: messageText(message),
      }))
      const temperature = request.temperature ?? 0
      const limit = Math.min(request.max_tokens ?? choice.max_new_tokens, choice.max_new_tokens)
      const output = await generator(messages, {
        max_new_tokens: limit,
        do_sample: temperature > 0,
        ...(temperature > 0 ? { temperature } : {}),
        stopping_criteria: stop,
      })
      signal?.throwIfAborted()
      const text = generatedText(output)
      const count = (part: string) => generator.tokenizer.encode(part).length
      const usage = {
        promptTokens: count(messages.map((message) => message.content).join('\n')),
        completionTokens: count(text),
      }
      return chatCompletion(choice.model, text, usage, usage.completionTokens >= limit ? 'length' : 'stop')
    })
  } finally {
    signal?.removeEventListener('abort', interrupt)
  }
}

/** The last message of the conversation that the pipeline gives back. */
function generatedText(output: unknown): string {
  const conversation = (output as { generated_text: { content: string }[] }[])[0]?.generated_text
  return conversation?.at(-1)?.content.trim() ?? ''
}

/** Chat templates of small models know three roles only. */
function templateRole(role: string): string {
  if (role === 'developer') return 'system'
  return role === 'tool' ? 'user' : role
}

/** One label is the score itself; two labels are "not relevant" and "relevant", whose difference is the log odds. */
function relevanceLogits(rows: readonly number[][]): number[] {
  return rows.map((row) => (row.length === 1 ? row[0]! : row.at(-1)! - row[0]!))
}

function* batches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH)
}

async function guarded<Result>(role: ModelRole, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (cause) {
    if (cause instanceof ModelCallError || (cause instanceof Error && cause.name === 'AbortError')) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ModelCallError('upstream_error', role, `The local model of role ${role} failed: ${reason}`, { cause })
  }
}
