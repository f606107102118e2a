/**
 * The process that one network lives in, by ONNX Runtime, whose runs hold the thread that they are called from. Its parent sends `OnnxRequest`,
 * one at a time apart from `abort`, and gets one `OnnxReply` for each.
 */
import type { Tensor } from '@huggingface/transformers'
import { messageOf } from '../../../../core/json.ts'
import { yieldToOthers } from '../../../kit/yield-to-others.ts'
import { limitMemory } from '../limit-memory.ts'
import { loadNetwork } from './onnx-networks.ts'
import type { CrossEncoder, Embedder, Generator, Network } from './onnx-networks.ts'
import { tokenRuns } from './token-runs.ts'
import type { OnnxAnswer, OnnxChat, OnnxFailure, OnnxReply, OnnxRequest, OnnxVectors } from './onnx-protocol.ts'

/** Tokens of one run of a network, with those that fill up its shorter texts: bounds its memory, which grows with them. */
const TOKENS_PER_RUN = 4096

// Requests come before a batch of texts; ONNX Runtime starts a thread for each processor.
yieldToOthers()

let network: Network | null = null
let aborting: AbortController | null = null

process.on('message', (request: OnnxRequest) => {
  if ('abort' in request) aborting?.abort()
  else
    void answer(request).then(
      (reply) => process.send!(reply),
      (error: unknown) => {
        const fault: OnnxFailure['fault'] = 'load' in request ? 'not_loaded' : 'failed'
        process.send!({ failed: { fault, message: messageOf(error) } } satisfies OnnxReply)
      },
    )
})
// The parent has ended, so the answer has no recipient.
process.once('disconnect', () => process.exit(0))

async function answer(request: Exclude<OnnxRequest, { abort: true }>): Promise<OnnxReply> {
  if ('load' in request) {
    limitMemory(request.load.memoryBytes)
    network = await loadNetwork(request.load)
    return { loaded: {} }
  }
  aborting = new AbortController()
  const { signal } = aborting
  if ('embed' in request && network?.task === 'embedding')
    return { embedded: await embed(network, request.embed, signal) }
  if ('rerank' in request && network?.task === 'rerank') {
    const { query, texts } = request.rerank
    return { ranked: { scores: await rerank(network, query, texts, signal) } }
  }
  if ('chat' in request && network?.task === 'generation')
    return { answered: await generate(network, request.chat, signal) }
  throw new Error('the network that is loaded is not for this work')
}

async function embed(
  { tokenizer, model, pooling, maxTokens, meanPooling }: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<OnnxVectors> {
  const cut = { truncation: true, max_length: maxTokens }
  const lengths = texts.map((text) => tokenizer.encode(text).length).map((length) => Math.min(length, maxTokens))
  const vectors = new Array<number[]>(texts.length)
  for (const run of tokenRuns(lengths, TOKENS_PER_RUN)) {
    await nextMessage(signal)
    const tokens = tokenizer(
      run.map((index) => texts[index]!),
      { padding: true, ...cut },
    )
    const { last_hidden_state: states } = (await model(tokens)) as { last_hidden_state: Tensor }
    const pooled = pooling === 'cls' ? states.slice(null, 0) : meanPooling(states, tokens.attention_mask)
    for (const [row, vector] of (pooled.tolist() as number[][]).entries()) vectors[run[row]!] = vector
  }
  return { vectors, tokens: lengths.reduce((sum, length) => sum + length, 0) }
}

async function rerank(
  { tokenizer, model, maxTokens }: CrossEncoder,
  query: string,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<number[]> {
  const lengths = texts.map((text) => Math.min(tokenizer.encode(query, { text_pair: text }).length, maxTokens))
  const scores = new Array<number>(texts.length)
  for (const run of tokenRuns(lengths, TOKENS_PER_RUN)) {
    await nextMessage(signal)
    const pairs = tokenizer(new Array<string>(run.length).fill(query), {
      text_pair: run.map((index) => texts[index]!),
      padding: true,
      truncation: true,
      max_length: maxTokens,
    }) as unknown
    const { logits } = (await model(pairs)) as { logits: Tensor }
    for (const [row, labels] of (logits.tolist() as number[][]).entries()) scores[run[row]!] = relevanceLogit(labels)
  }
  return scores
}

async function generate(
  { generator, stop }: Generator,
  { messages, maxTokens, temperature }: OnnxChat,
  signal: AbortSignal,
): Promise<OnnxAnswer> {
  const interrupt = () => stop.interrupt()
  stop.reset()
  signal.addEventListener('abort', interrupt)
  const output = await generator(messages, {
    max_new_tokens: maxTokens,
    do_sample: temperature > 0,
    ...(temperature > 0 ? { temperature } : {}),
    stopping_criteria: stop,
  })
  const text = generatedText(output)
  const count = (part: string) => generator.tokenizer.encode(part).length
  return {
    text,
    promptTokens: count(messages.map(({ content }) => content).join('\n')),
    completionTokens: count(text),
  }
}

/** Lets an abort arrive between two runs. */
async function nextMessage(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  signal.throwIfAborted()
}

/** The last message of the conversation that the pipeline gives back. */
function generatedText(output: unknown): string {
  const conversation = (output as { generated_text: { content: string }[] }[])[0]?.generated_text
  return conversation?.at(-1)?.content.trim() ?? ''
}

/** One label is the score itself; two labels are "not relevant" and "relevant", whose difference is the log odds. */
const relevanceLogit = (labels: readonly number[]): number =>
  labels.length === 1 ? labels[0]! : labels.at(-1)! - labels[0]!
