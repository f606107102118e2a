import type { FastifyInstance } from 'fastify'
import { SearchRequest, type SearchResponse } from '../../../../contract/http/search.ts'
import { callerSignal } from '../../../kit/caller-signal.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { parseRequest } from '../../../kit/validate.ts'
import { UnknownCollectionError } from './vector-store.ts'
import type { SearchHit, VectorStore } from './vector-store.ts'

export interface SearchRoutesDeps {
  store: VectorStore
  embedQuery: (text: string, signal: AbortSignal) => Promise<Float32Array>
}

const wireHit = ({ chunk, score, denseScore, keywordScore }: SearchHit): SearchResponse['hits'][number] => ({
  document: chunk.document,
  chunk_index: chunk.chunkIndex,
  start_char: chunk.startChar,
  end_char: chunk.endChar,
  content: chunk.content,
  score,
  dense_score: denseScore,
  keyword_score: keywordScore,
})

/** `POST /api/rag/search`: 422 for a malformed request, 404 for an unknown collection. */
export function registerSearchRoutes(app: FastifyInstance, { store, embedQuery }: SearchRoutesDeps): void {
  app.post('/api/rag/search', async (request, reply): Promise<SearchResponse> => {
    const { collection, query, ...settings } = parseRequest(SearchRequest, request.body)
    const vector = await embedQuery(query, callerSignal(request, reply))
    try {
      const hits = await store.hybrid(collection, { text: query, vector, ...settings })
      return { collection, hits: hits.map(wireHit) }
    } catch (error) {
      if (error instanceof UnknownCollectionError) throw new HttpError(404, error.message)
      throw error
    }
  })
}
