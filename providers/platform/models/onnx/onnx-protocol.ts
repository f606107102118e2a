import type { ModelOf } from '../../../../contract/manifests/model-backends.ts'

/** Describes what the platform and the process of one network exchange. */
export type OnnxRequest = { load: OnnxLoad } | OnnxWork | { abort: true }
export type OnnxWork =
  | { embed: readonly string[] }
  | { rerank: { query: string; texts: readonly string[] } }
  | { chat: OnnxChat }
export type OnnxReply =
  | { loaded: object }
  | { embedded: OnnxVectors }
  | { ranked: { scores: number[] } }
  | { answered: OnnxAnswer }
  | { failed: OnnxFailure }

export type OnnxSettings = Pick<ModelOf<'onnx'>, 'model' | 'task' | 'dtype' | 'pooling' | 'max_tokens'>

export interface OnnxLoad {
  settings: OnnxSettings
  /** Weights of the hub are kept there. */
  cacheDir: string
  /** The process ends itself when it holds more. */
  memoryBytes: number
}

export interface OnnxChat {
  messages: { role: string; content: string }[]
  maxTokens: number
  temperature: number
}

export interface OnnxAnswer {
  text: string
  promptTokens: number
  completionTokens: number
}

/** As the network gives them, in the order of the texts. */
export interface OnnxVectors {
  vectors: number[][]
  /** Of all texts, as they were read. */
  tokens: number
}

export interface OnnxFailure {
  fault: 'not_loaded' | 'failed'
  message: string
}
