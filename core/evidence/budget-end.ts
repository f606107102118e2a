import { tokensOfTexts } from '../../contract/evidence/context-budget.ts'
import type { RowEvidence } from '../../contract/evidence/canonical-row.ts'

/** The context that the context budget of an answer ends in, or right after it. */
export interface BudgetEnd {
  /** From 1. */
  rank: number
  /** In tokens. */
  budget: number
  /** Null where the response does not name it. */
  document: string | null
}

/** The cut is before the first word that does not fit, so fewer tokens than a long word has are left over. */
const TOKENS_OF_LONG_WORD = 4

/** Finds where the budget of an answer ends among its contexts; null where it had none, or its contexts leave some of it unused. */
export function budgetEnd({
  contexts,
  sources,
  server_metrics: metrics,
}: Pick<RowEvidence, 'contexts' | 'sources' | 'server_metrics'>): BudgetEnd | null {
  const budget = metrics?.context_budget
  if (budget === undefined || contexts.length === 0) return null
  if (budget - tokensOfTexts(contexts) >= TOKENS_OF_LONG_WORD) return null
  const source = sources[contexts.length - 1]
  return { rank: contexts.length, budget, document: source?.document ?? source?.title ?? null }
}
