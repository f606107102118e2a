import { startModelService, type ModelService } from './model-service.ts'

const MAX_BATCH = 32
const MAX_TOKENS = 512

/**
 * A server of text-embeddings-inference (TEI) with its quirks: a batch of more than 32 is refused with 422 whatever its documentation says of 413, a
 * text that is too long as well unless `truncate` is set, and an empty batch with 400. Vectors and scores are those of the tests' tiny models.
 */
export function startFakeTei(): Promise<ModelService> {
  return startModelService(({ path, body }) => {
    const { inputs, texts, query = '', truncate = false, raw_scores = false } = body as Record<string, unknown>
    const given =
      path === '/embed' ? (typeof inputs === 'string' ? [inputs] : (inputs as string[])) : (texts as string[])
    const refuse = (status: number, error: string, error_type: string) => ({ status, json: { error, error_type } })
    if (given.length === 0) return refuse(400, '`inputs` cannot be empty', 'Empty')
    if (given.length > MAX_BATCH)
      return refuse(422, `batch size ${given.length} > maximum allowed batch size ${MAX_BATCH}`, 'Validation')
    const longest = Math.max(...given.map((text) => text.split(' ').length))
    if (longest > MAX_TOKENS && truncate !== true)
      return refuse(422, `\`inputs\` must have less than ${MAX_TOKENS} tokens. Given: ${longest}`, 'Validation')
    if (path === '/embed') return { json: given.map((text) => unit(text.length, 1)) }
    const scored = given.map((text, index) => ({ index, score: text.includes(String(query)) ? 2 : -2 }))
    const shown = scored.map(({ index, score }) => ({ index, score: raw_scores === true ? score : sigmoid(score) }))
    return { json: shown.toSorted((a, b) => b.score - a.score || a.index - b.index) }
  })
}

const unit = (...values: number[]): number[] => values.map((value) => value / Math.hypot(...values))

const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit))
