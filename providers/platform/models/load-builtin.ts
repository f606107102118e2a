import type { BuiltinModels } from './builtin-backend.ts'

/** The rule-based models; their language model is read at the first call, not at the start. */
export async function loadBuiltinModels(): Promise<BuiltinModels> {
  const [{ embedText }, { scoreRelevance, createRanking }, { answerBuiltinChat }, { countTokens }] = await Promise.all([
    import('./builtin/embedding/embed-text.ts'),
    import('./builtin/relevance/score-relevance.ts'),
    import('./builtin/answer-chat.ts'),
    import('./builtin/count-tokens.ts'),
  ])
  return { embedText, scoreRelevance, createRanking, answerBuiltinChat, countTokens }
}
