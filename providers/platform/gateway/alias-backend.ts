import type { ChatCompletion, ChatRequest } from '../../../contract/http/chat.ts'
import type { OnText } from '../models/model-host.ts'
import type { StreamedText } from '../http/text-frames.ts'
import type { StoredChunk } from '../stores/vector-store/vector-store.ts'

/** States whether an alias can answer on this platform. */
export interface AliasAvailability {
  available: boolean
  /** Null when available. */
  reason: string | null
  /** True when nothing but the data is missing. */
  needs_ingestion?: boolean
}

/** Describes what the gateway needs of the consumer's plugin, in this process or in another. */
export interface AliasBackend {
  /** Answers a chat request for an alias; `onText` receives its text as it is written. Throws `HttpError` for expected failures. */
  answer(alias: string, request: ChatRequest, signal?: AbortSignal, onText?: OnText): Promise<ChatCompletion>
  /** A completion as the last server-sent frames that the plugin's own route would send, after the text that was streamed. */
  streamFrames(completion: ChatCompletion, streamed?: StreamedText | null): string[]
  /** Null for an alias that the plugin does not know. */
  availability(alias: string): AliasAvailability | null | Promise<AliasAvailability | null>
  /**
   * Makes what questions read ready for the chunks that an ingestion is about to write; what cannot be made then is made by the next question.
   * Absent for a plugin in another process.
   */
  prepare?(collection: string, contentDigest: string, chunks: readonly StoredChunk[]): Promise<void>
}

/** Start-up check: throws naming every declared alias that the plugin does not know. */
export async function requireKnownAliases(aliases: readonly string[], backend: AliasBackend): Promise<void> {
  const known = await Promise.all(aliases.map(async (alias) => backend.availability(alias)))
  const unknown = aliases.filter((_alias, index) => known[index] === null)
  if (unknown.length > 0) throw new Error(`the plugin does not know these declared aliases: ${unknown.join(', ')}`)
}
