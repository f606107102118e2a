import { z } from 'zod'
import { createHttpClient, HttpFault } from '../../../../core/http/http-client.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { embedQuestion } from '../../rag/steps/embed.ts'
import { termStatistics } from '../../rag/steps/collection.ts'
import type { VectorStore } from '../../stores/vector-store/vector-store.ts'

/** A text that research reads: a chunk of an ingested document, or what a web search returns about a page. */
export interface Passage {
  /** Equal for the same text, whichever search found it. */
  key: string
  title: string
  text: string
  /** Collection and document of a chunk, and where in it; null for a page. */
  document: { collection: string; name: string; startChar: number; endChar: number } | null
  /** Address of a page; null for a chunk. */
  url: string | null
}

/** Texts for a search query, best first. */
export type Search = (query: string, signal: AbortSignal) => Promise<Passage[]>

/** A search that cannot be made; the message is for the user. */
export class ResearchError extends Error {
  override readonly name: string = 'ResearchError'
}

/** A failure of the web search that another attempt may not have. */
export class WebSearchUnavailableError extends ResearchError {
  override readonly name = 'WebSearchUnavailableError'
}

const HITS = 6
const RESPONSE_LIMIT_BYTES = 4 * 1024 * 1024
const WEB_TIMEOUT_MS = 20_000
const MAX_SNIPPET_CHARS = 4000

export interface CorpusSearchDeps {
  /** Names of the collections of all ingestion profiles, ingested or not. */
  collections: readonly string[]
  store: VectorStore
  models: Pick<ModelHost, 'embed' | 'embeddingSpace' | 'isBuiltin' | 'rerank'>
  /** Raw relevance scores in the order of the texts. */
  rerank: (query: string, texts: string[], signal: AbortSignal) => Promise<number[]>
}

/**
 * Hybrid search in every ingested corpus; one ranking of all of them, by the reranker. A collection that another embedding model made is left
 * out: its vectors cannot be compared. No collection gives no passage.
 */
export function corpusSearch({ collections, store, models, rerank }: CorpusSearchDeps): Search {
  return async (query, signal) => {
    const services = { models: models as ModelHost, store }
    const found: Passage[] = []
    for (const name of collections) {
      const info = await store.info(name)
      if (info === null || info.embeddingModel !== models.embeddingSpace()) continue
      const statistics = await termStatistics(query, name, services)
      const vector = await embedQuestion(query, info, services, signal, statistics)
      const hits = await store.hybrid(name, { text: query, vector, alpha: 0.5, limit: HITS, fusion: 'relative_score' })
      for (const { chunk } of hits)
        found.push({
          key: `${name}\n${chunk.document}\n${chunk.chunkIndex}`,
          title: chunk.title === '' ? chunk.document : chunk.title,
          text: chunk.content,
          document: { collection: name, name: chunk.document, startChar: chunk.startChar, endChar: chunk.endChar },
          url: null,
        })
    }
    if (found.length === 0) return []
    const texts = found.map(({ text }) => text)
    const scores = await rerank(query, texts, signal)
    return found
      .map((passage, index) => ({ passage, score: scores[index]! }))
      .sort((left, right) => right.score - left.score)
      .slice(0, HITS)
      .map(({ passage }) => passage)
  }
}

const Reply = z.object({
  results: z.array(z.object({ url: z.url(), title: z.string().default(''), content: z.string().nullish() })),
})

/**
 * `GET /search` of a SearXNG server in its JSON format. Reads what it returns about each page and opens no page. Throws `ResearchError`, or
 * `WebSearchUnavailableError` where a later attempt may succeed.
 */
export function webSearch(url: string): { search: Search; close: () => Promise<void> } {
  const client = createHttpClient()
  const search: Search = async (query, signal) => {
    const reply = Reply.safeParse(await ask(query, signal))
    if (!reply.success)
      throw new ResearchError(
        'The SearXNG server did not answer in its JSON format: enable "json" in its search.formats',
      )
    return reply.data.results.slice(0, HITS).flatMap(({ url: page, title, content }) => {
      if (!/^https?:/.test(page) || content === null || content === undefined || content.trim() === '') return []
      const snippet = content.slice(0, MAX_SNIPPET_CHARS)
      return [{ key: page, title: title === '' ? page : title, text: snippet, document: null, url: page }]
    })
  }
  return { search, close: () => client.close() }

  async function ask(query: string, signal: AbortSignal): Promise<unknown> {
    const address = `${url}/search?${new URLSearchParams({ q: query, format: 'json' }).toString()}`
    const call = { signal, timeoutMs: WEB_TIMEOUT_MS, limitBytes: RESPONSE_LIMIT_BYTES }
    const { status, json } = await client.send(address, call).catch((cause: unknown) => {
      if (!(cause instanceof HttpFault)) throw cause
      if (cause.fault === 'too_large')
        throw new ResearchError('The SearXNG server sent more than the size limit', { cause })
      throw new WebSearchUnavailableError('The SearXNG server cannot be reached: check SEARXNG_URL', { cause })
    })
    if (status === 200) return json
    const Failure = status === 429 || status >= 500 ? WebSearchUnavailableError : ResearchError
    const remedy = status === 403 ? ': enable "json" in its search.formats' : ''
    throw new Failure(`The SearXNG server answered HTTP ${status}${remedy}`)
  }
}
