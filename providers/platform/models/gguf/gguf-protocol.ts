/** Describes what the platform and the process of one GGUF file exchange. */
export type GgufRequest = { load: GgufLoad } | { chat: GgufChat } | { embed: readonly string[] } | { abort: true }
export type GgufReply =
  | { loaded: object }
  | { piece: string }
  | { answered: GgufAnswer }
  | { embedded: GgufVectors }
  | { failed: GgufFailure }

export interface GgufLoad {
  path: string
  /** Chat and embeddings need contexts of different kinds, so a file that does both is loaded twice. */
  task: 'embedding' | 'generation'
  /** Null: what the model was trained with, up to a usual size. */
  contextSize: number | null
  gpu: 'auto' | 'off'
  threads: number | null
  /** The process ends itself, with `OUT_OF_MEMORY_EXIT`, when it holds more. */
  memoryBytes: number
}

export interface GgufChat {
  messages: { role: 'system' | 'user' | 'model'; text: string }[]
  maxTokens: number
  temperature: number
  topP: number | null
  seed: number | null
  stop: string[]
  /** Null: as the model's template has it. */
  think: boolean | null
  /** True when the text of the answer is sent in pieces too, before the reply. */
  streams: boolean
  /** Null: plain text; a JSON schema becomes a grammar. */
  format: null | 'json' | { schema: object }
}

export interface GgufAnswer {
  /** Without what the model thought before. */
  text: string
  finish: 'stop' | 'length'
  promptTokens: number
  /** With those of its thoughts. */
  completionTokens: number
  thoughtTokens: number
  firstTokenMs: number
  totalMs: number
  /** Memory of the process after the answer. */
  rssBytes: number
}

/** As the model gives them, in the order of the texts. */
export interface GgufVectors {
  vectors: number[][]
  /** Of all texts, as they were read. */
  tokens: number
}

export type GgufFault = 'no_runtime' | 'memory' | 'damaged' | 'too_long' | 'bad_schema' | 'aborted' | 'failed'

export interface GgufFailure {
  fault: GgufFault
  message: string
  /** Of a prompt that is too long, in tokens. */
  numbers?: { promptTokens: number; maxTokens: number; contextSize: number }
}
