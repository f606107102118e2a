// The text that an answer is written from is counted, limited and compared in one place, for the platform that packs it and the runner that scores it.
import { z } from 'zod'
import { countTokens, firstTokens } from './count-tokens.ts'

/** Tokens handed to the answerer in a run that names no budget. */
export const DEFAULT_CONTEXT_BUDGET = 2000
const MIN_CONTEXT_BUDGET = 100
const MAX_CONTEXT_BUDGET = 200_000

const EXPECTED = `expected none, or a whole number from ${MIN_CONTEXT_BUDGET} to ${MAX_CONTEXT_BUDGET}`

export const ContextTokens = z.int(EXPECTED).min(MIN_CONTEXT_BUDGET, EXPECTED).max(MAX_CONTEXT_BUDGET, EXPECTED)

/** As a manifest, a request and an option name it; `none` runs the approaches as they are declared. */
export const ContextBudget = z.union([ContextTokens, z.literal('none')], { error: EXPECTED })
export type ContextBudget = z.infer<typeof ContextBudget>

/** Names what counted the tokens of a text where the answerer's own tokenizer did not. */
export const TOKEN_ESTIMATE = 'estimate, 6 letters a token'

/** Budgets at which retrieval is scored again from the contexts that a row stores. */
export const CURVE_BUDGETS = [500, 1000, 2000, 4000, 8000] as const

/** Tokens of all texts together. Titles and the wording of the prompt are not counted: they are the same for every approach. */
export const tokensOfTexts = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + countTokens(text), 0)

/**
 * The first passages that a budget holds, in their order. The one that does not fit is cut after its last word that does, and ends the list, so that
 * approaches with short and with long passages fill the same budget.
 */
export function packed<Passage>(
  passages: readonly Passage[],
  budget: number,
  textOf: (passage: Passage) => string,
  cut: (passage: Passage, text: string) => Passage,
): Passage[] {
  const kept: Passage[] = []
  let left = budget
  for (const passage of passages) {
    const text = textOf(passage)
    const tokens = countTokens(text)
    if (tokens > left) {
      const start = firstTokens(text, left)
      return start === '' ? kept : [...kept, cut(passage, start)]
    }
    kept.push(passage)
    left -= tokens
  }
  return kept
}
