import { bestPlace, type Place, verbatimIn } from './entailment.ts'

/** A yes or no with the reason for it. */
export type Verdict = { verdict: boolean; reason: string }

export const percent = (share: number): string => `${Math.round(100 * share)} %`

/** Where the contexts come nearest to a statement; or the verdict, where that alone settles it. */
export function locate(statement: string, contexts: readonly string[]): { place: Place; where: string } | Verdict {
  const verbatim = verbatimIn(statement, contexts)
  if (verbatim !== -1) return { verdict: true, reason: `stands word for word in context ${verbatim + 1}` }
  const place = bestPlace(statement, contexts)
  if (place === null || place.coverage === 0)
    return { verdict: false, reason: 'no context shares a content word with it' }
  return { place, where: `context ${place.context + 1}` }
}
