import { isNegated, missingNames, missingNumbers } from './entailment.ts'
import { locate, percent, type Verdict } from './locate.ts'

/** Share of a statement's weight that one place must cover. */
const ENOUGH = 0.72
/** From here on a sentence speaks of the same thing, so that a difference in negation counts. */
const SAME_MATTER = 0.6

/**
 * Whether the contexts support a statement, by its words: a place of up to three sentences must hold most of its weight,
 * all its numbers and names, and must not deny what it says. Words decide, not meaning: this is a baseline.
 */
export function judgeStatement(statement: string, contexts: readonly string[]): Verdict {
  const located = locate(statement, contexts)
  if ('verdict' in located) return located
  const { place, where } = located
  const numbers = missingNumbers(statement, place.text)
  if (numbers.length > 0) return { verdict: false, reason: `${where} does not give the number ${numbers.join(', ')}` }
  const names = missingNames(statement, contexts[place.context]!)
  if (names.length > 0) return { verdict: false, reason: `${where} does not mention ${names.join(', ')}` }
  if (place.coverage >= SAME_MATTER && isNegated(statement) !== isNegated(place.closest)) {
    return { verdict: false, reason: `${where} says it the other way: "${place.closest.slice(0, 160)}"` }
  }
  const verdict = place.coverage >= ENOUGH
  return { verdict, reason: `${where} covers ${percent(place.coverage)} of its content words` }
}
