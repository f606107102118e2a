import { isRuleBased } from '../../../contract/manifests/model-backends.ts'
import type { SelectedModels } from '../../../core/select-models.ts'
import type { BuiltinModels } from './builtin-backend.ts'

/** The rule-based models; their language model is read at the first call. */
export async function loadBuiltinModels(): Promise<BuiltinModels> {
  const [{ embedText }, { scoreRelevance, createRanking }, { answerBuiltinChat }, { countTokens }] = await Promise.all([
    import('./builtin/embedding/embed-text.ts'),
    import('./builtin/relevance/score-relevance.ts'),
    import('./builtin/answer-chat.ts'),
    import('../../../contract/evidence/count-tokens.ts'),
  ])
  return { embedText, scoreRelevance, createRanking, answerBuiltinChat, countTokens }
}

/**
 * Reads the language model of the rule-based models where a set has one of them. A service does this before it is ready: it takes about 0.2 s in
 * which nothing else is answered, and would otherwise fall into the first ingestion. Models that are not rules never pay for it.
 */
export async function warmBuiltinModels({ roles }: Pick<SelectedModels, 'roles'>): Promise<void> {
  if (!Object.values(roles).some(({ backend }) => isRuleBased(backend))) return
  const models = await loadBuiltinModels()
  models.embedText('One short sentence.')
}
