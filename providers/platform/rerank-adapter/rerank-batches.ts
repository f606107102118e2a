import { RERANK_MAX_BATCH } from '../../../contract/index.ts'
import { HttpError } from '../../kit/http-error.ts'
import type { Reranker } from './reranker.ts'

/**
 * A finite score per text, in the order of the texts, asked for in batches that rerankers accept. One bad batch fails all of them:
 * `HttpError` 502 for an answer that is not one score per text, else what the reranker throws.
 */
export async function rerankInBatches(
  reranker: Reranker,
  query: string,
  texts: readonly string[],
  signal: AbortSignal = new AbortController().signal,
): Promise<number[]> {
  const scores: number[] = []
  for (let start = 0; start < texts.length; start += RERANK_MAX_BATCH) {
    signal.throwIfAborted()
    const batch = texts.slice(start, start + RERANK_MAX_BATCH)
    scores.push(...scoresInOrder(await reranker.rank(query, batch, signal), batch.length))
  }
  return scores
}

/** Indexes 0 to `count - 1`, each once, with a finite score each. */
function scoresInOrder(answer: unknown, count: number): number[] {
  if (!Array.isArray(answer)) throw invalid('a list was expected')
  if (answer.length !== count) throw invalid(`${answer.length} results for ${count} documents`)
  const scores = new Array<number | undefined>(count).fill(undefined)
  for (const entry of answer as unknown[]) {
    const { index, score } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>
    if (typeof index !== 'number' || !Number.isInteger(index)) throw invalid('an index is not a whole number')
    if (index < 0 || index >= count) throw invalid('an index is out of range')
    if (scores[index] !== undefined) throw invalid('an index appears twice')
    if (typeof score !== 'number' || !Number.isFinite(score)) throw invalid('a score is not a finite number')
    scores[index] = score
  }
  return scores as number[]
}

function invalid(problem: string): HttpError {
  return new HttpError(502, `The reranker answered wrongly: ${problem}`)
}
