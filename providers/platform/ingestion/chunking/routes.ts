import type { FastifyInstance } from 'fastify'
import { ChunkRequest } from '../../../../contract/http/chunk.ts'
import type { ChunkResponse } from '../../../../contract/http/chunk.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { parseRequest } from '../../../kit/validate.ts'
import { chunkTextWith } from './chunk-in-turns.ts'
import { ChunkingError } from '../../../../core/chunking/errors.ts'
import type { EmbedTexts } from './semantic.ts'

export interface ChunkRoutesDeps {
  /** Embeds sentences for the semantic strategy; without it that strategy answers 503. */
  embed: ((texts: string[], signal: AbortSignal) => Promise<Float32Array[]>) | null
}

/** Most characters in all chunks of one answer: a wide overlap repeats a long text many times. */
const MAX_ANSWER_CHARACTERS = 50_000_000

/** `POST /api/chunk`: 422 for a malformed request, 400 for one that cannot be chunked, 503 without an embedding model. */
export function registerChunkRoutes(app: FastifyInstance, deps: ChunkRoutesDeps): void {
  app.post('/api/chunk', async (request, reply): Promise<ChunkResponse> => {
    const body = parseRequest(ChunkRequest, request.body)
    refuseExcessiveOverlap(body)
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const { embed } = deps
    const embedTexts: EmbedTexts = async (texts) => {
      if (embed === null) throw new ChunkingError('embedding_missing', 'no embedding model is configured')
      return embed(texts, gone.signal)
    }
    const tokenizer = SUBSTITUTES[body.tokenizer] ?? body.tokenizer
    const { chunks, similarityCut } = await chunkTextWith({ ...body, tokenizer }, embedTexts).catch(
      (error: unknown) => {
        throw error instanceof ChunkingError ? toHttpError(error) : error
      },
    )
    const semantic = { semantic_threshold: body.semantic_threshold, similarity_cut: similarityCut }
    return {
      strategy: body.strategy,
      chunk_size: body.chunk_size,
      overlap: body.overlap,
      chunk_count: chunks.length,
      chunks,
      metadata: {
        tokenizer,
        ...(tokenizer === body.tokenizer ? {} : { tokenizer_requested: body.tokenizer }),
        overlap: body.overlap,
        overlap_applied: true,
        ...(body.strategy === 'semantic' ? semantic : {}),
      },
    }
  })
}

/** Lists what counts in the place of a tokenizer that clients send as the documented default; the answer's metadata names both. */
const SUBSTITUTES: Readonly<Partial<Record<string, string>>> = { gpt2: 'words' }

function refuseExcessiveOverlap({ text, chunk_size: size, overlap }: ChunkRequest): void {
  if ((text.length * size) / (size - overlap) <= MAX_ANSWER_CHARACTERS) return
  throw new HttpError(
    400,
    `overlap ${overlap} of chunk_size ${size} would repeat this text too often; choose a smaller overlap`,
  )
}

function toHttpError(error: ChunkingError): HttpError {
  switch (error.code) {
    case 'unknown_tokenizer':
    case 'too_much_overlap':
      return new HttpError(400, error.message, { cause: error })
    case 'embedding_missing':
    case 'embedding_failed':
      return new HttpError(503, error.message, { cause: error })
  }
}
