import type { RerankerOf } from './reranker.ts'

/** The role `rerank` of this process's models; its logits become probabilities, as TEI gives them. Rejects with `ModelCallError`. */
export const modelReranker: RerankerOf = (models) => ({
  async rank(query, texts, signal) {
    const logits = await models.rerank(query, texts, signal)
    return logits.map((logit, index) => ({ index, score: 1 / (1 + Math.exp(-logit)) }))
  },
})
