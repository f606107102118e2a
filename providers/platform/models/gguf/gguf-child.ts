/**
 * The process that one GGUF file lives in, by llama.cpp. Its parent sends `GgufRequest`, one at a time apart from `abort`, and gets one `GgufReply`
 * for each, after the pieces of an answer that is streamed. Every answer begins with an empty context, so that it does not depend on what was asked before. The parent kills the process where
 * native code cannot be interrupted: it reads a prompt to its end before it looks at an abort.
 */
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../../../core/json.ts'
import type {
  ChatHistoryItem,
  ChatWrapper,
  Llama,
  LlamaChat,
  LlamaContextSequence,
  LlamaEmbeddingContext,
  LlamaGrammar,
  LlamaModel,
} from 'node-llama-cpp'
import { limitMemory } from '../limit-memory.ts'
import type { GgufChat, GgufFailure, GgufFault, GgufLoad, GgufReply, GgufRequest } from './gguf-protocol.ts'

/** Context of a model that declares none, where it was trained with more. */
const USUAL_CONTEXT = 8192
const PRINT_DELAY_MS = 200

type GrammarSchema = Parameters<Llama['createGrammarForJsonSchema']>[0]

/** A model that embeds texts. */
interface Embedder {
  model: LlamaModel
  context: LlamaEmbeddingContext
  contextSize: number
}

/** A model that answers. */
interface Loaded {
  llama: Llama
  model: LlamaModel
  sequence: LlamaContextSequence
  contextSize: number
  /** The file's own chat template, with the model's thinking on, off, or as the template has it. */
  wrapper(thinks: boolean | null): ChatWrapper
  chat(wrapper: ChatWrapper): LlamaChat
}

class GgufError extends Error {
  readonly fault: GgufFault
  readonly numbers: GgufFailure['numbers']
  constructor(fault: GgufFault, message: string, numbers?: GgufFailure['numbers']) {
    super(message)
    this.fault = fault
    this.numbers = numbers
  }
}

let loaded: Loaded | null = null
let embedder: Embedder | null = null
let aborting: AbortController | null = null
/** The first error that llama.cpp printed: its exceptions only report that something failed. */
let complaint = ''

process.on('message', (request: GgufRequest) => {
  if ('abort' in request) aborting?.abort()
  else
    void answer(request).then(
      (reply) => process.send!(reply),
      (error: unknown) => process.send!({ failed: failureOf(error) } satisfies GgufReply),
    )
})
// The parent has ended, so the answer has no recipient.
process.once('disconnect', () => process.exit(0))

async function answer(request: Exclude<GgufRequest, { abort: true }>): Promise<GgufReply> {
  if ('load' in request) {
    await load(request.load)
    return { loaded: {} }
  }
  if ('embed' in request) {
    if (embedder === null) throw new GgufError('failed', 'no embedding model is loaded')
    return embed(embedder, request.embed)
  }
  if (loaded === null) throw new GgufError('failed', 'no model is loaded')
  aborting = new AbortController()
  try {
    return await generate(loaded, request.chat, aborting.signal)
  } finally {
    aborting = null
  }
}

/** Loads the file for its task. */
async function load({ path, task, contextSize, gpu, threads, memoryBytes }: GgufLoad): Promise<void> {
  const { getLlama, JinjaTemplateChatWrapper, LlamaChat, resolveChatWrapper } = await import('node-llama-cpp')
  limitMemory(memoryBytes)
  const maxThreads = threads ?? Math.max(1, availableParallelism() - 1)
  const llama = await getLlama({
    gpu: gpu === 'off' ? false : 'auto',
    // Nothing is downloaded or compiled: a build for this system is a package.
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    maxThreads,
    logger: (level, message) => {
      if (['error', 'fatal'].includes(level)) complaint ||= message.trim()
    },
  })
  // Its own idea of free memory is the machine's, not the container's.
  await llama.setRamCap(memoryBytes)
  const model = await llama.loadModel({ modelPath: path }).catch(async (cause: unknown) => {
    if (isMemoryError(cause)) throw cause
    // The output of llama.cpp arrives after its exception.
    await sleep(PRINT_DELAY_MS)
    throw new GgufError('damaged', complaint === '' ? messageOf(cause) : complaint)
  })
  const size = contextSize ?? Math.min(model.trainContextSize, USUAL_CONTEXT)
  if (task === 'embedding') {
    // Some kinds of pooling need the whole text in one batch.
    const context = await model.createEmbeddingContext({ contextSize: size, batchSize: size, threads: maxThreads })
    embedder = { model, context, contextSize: size }
    return
  }
  const context = await model.createContext({
    contextSize: size,
    sequences: 1,
    threads: maxThreads,
    // A smaller context than declared would refuse prompts that the manifest allows.
    failedCreationRemedy: false,
  })
  const sequence = context.getSequence()
  const template = model.fileInfo.metadata.tokenizer.chat_template
  const wrappers = new Map<boolean | null, ChatWrapper>()
  let open: LlamaChat | null = null
  loaded = {
    llama,
    model,
    sequence,
    contextSize: context.contextSize,
    wrapper(thinks) {
      const known = wrappers.get(thinks)
      if (known !== undefined) return known
      const wrapper =
        template === undefined
          ? resolveChatWrapper(model)
          : new JinjaTemplateChatWrapper({ template, reasoning: thinks, tokenizer: model.tokenizer })
      wrappers.set(thinks, wrapper)
      return wrapper
    },
    chat(chatWrapper) {
      if (open?.chatWrapper === chatWrapper) return open
      open?.dispose({ disposeSequence: false })
      open = new LlamaChat({ contextSequence: sequence, chatWrapper, autoDisposeSequence: false })
      return open
    },
  }
}

/** Tokens that the model itself may put before and after a text. */
const MARKS = 2

/** One vector a text, pooled as the file defines. The end of a text that is longer than the context is cut, as other embedding models do. */
async function embed({ model, context, contextSize }: Embedder, texts: readonly string[]): Promise<GgufReply> {
  const vectors: number[][] = []
  let tokens = 0
  for (const text of texts) {
    const read = model.tokenize(text).slice(0, contextSize - MARKS - 1)
    tokens += read.length
    vectors.push([...(await context.getEmbeddingFor(read)).vector])
  }
  return { embedded: { vectors, tokens } }
}

/** An answer with less room than this is no use, where more was asked for. */
const LEAST_ROOM_TOKENS = 256

async function generate(state: Loaded, request: GgufChat, signal: AbortSignal): Promise<GgufReply> {
  const { model, sequence, contextSize } = state
  const wrapper = state.wrapper(request.think)
  const history = request.messages.map(historyItem)
  const { contextText } = wrapper.generateContextState({
    chatHistory: [...history, { type: 'model', response: [] }],
  })
  const promptTokens = contextText.tokenize(model.tokenizer).length
  const room = contextSize - promptTokens
  if (room < Math.min(request.maxTokens, LEAST_ROOM_TOKENS)) {
    const numbers = { promptTokens, maxTokens: request.maxTokens, contextSize }
    throw new GgufError('too_long', 'the prompt and the answer do not fit into the context', numbers)
  }
  const grammar = await grammarOf(state.llama, request.format)
  await sequence.clearHistory()
  const started = performance.now()
  const made = { tokens: 0, thoughtTokens: 0, firstAt: 0 }
  const { response, metadata } = await state.chat(wrapper).generateResponse(history, {
    signal,
    stopOnAbortSignal: true,
    temperature: request.temperature,
    maxTokens: Math.min(request.maxTokens, room),
    customStopTriggers: request.stop,
    repeatPenalty: false,
    ...(request.seed === null ? {} : { seed: request.seed }),
    ...(request.topP === null ? {} : { topP: request.topP }),
    ...(request.think === false ? { budgets: { thoughtTokens: 0 } } : {}),
    ...(grammar === null ? {} : { grammar }),
    onResponseChunk(chunk) {
      if (made.tokens === 0) made.firstAt = performance.now()
      made.tokens += chunk.tokens.length
      if (chunk.segmentType === 'thought') made.thoughtTokens += chunk.tokens.length
      if (request.streams && chunk.segmentType === undefined && chunk.text !== '')
        process.send!({ piece: chunk.text } satisfies GgufReply)
    },
  })
  if (metadata.stopReason === 'abort') throw new GgufError('aborted', 'the answer was cancelled')
  const ended = performance.now()
  return {
    answered: {
      text: response,
      finish: metadata.stopReason === 'maxTokens' ? 'length' : 'stop',
      promptTokens,
      completionTokens: made.tokens,
      thoughtTokens: made.thoughtTokens,
      firstTokenMs: (made.tokens === 0 ? ended : made.firstAt) - started,
      totalMs: ended - started,
      rssBytes: process.memoryUsage.rss(),
    },
  }
}

function historyItem({ role, text }: GgufChat['messages'][number]): ChatHistoryItem {
  if (role === 'model') return { type: 'model', response: [text] }
  return { type: role, text }
}

async function grammarOf(llama: Llama, format: GgufChat['format']): Promise<LlamaGrammar | null> {
  if (format === null) return null
  if (format === 'json') return llama.getGrammarFor('json')
  try {
    return await llama.createGrammarForJsonSchema(format.schema as GrammarSchema)
  } catch (cause) {
    throw new GgufError('bad_schema', `the JSON schema cannot become a grammar: ${messageOf(cause)}`)
  }
}

/** The package names its errors by their classes only. */
const isOfClass = (error: unknown, name: string): boolean => error instanceof Error && error.constructor.name === name
const isMemoryError = (error: unknown): boolean => isOfClass(error, 'InsufficientMemoryError')

function failureOf(error: unknown): GgufFailure {
  if (error instanceof GgufError) return { fault: error.fault, message: error.message, numbers: error.numbers }
  const missing = isOfClass(error, 'NoBinaryFoundError') || (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND'
  const fault: GgufFault = missing ? 'no_runtime' : isMemoryError(error) ? 'memory' : 'failed'
  return { fault, message: messageOf(error) }
}
