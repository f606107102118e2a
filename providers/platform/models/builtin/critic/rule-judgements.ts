import { coverage, indexOf, termsOf } from '../matching/terms.ts'
import { isNegated, missingNames, missingNumbers, bestPlace, type Place, verbatimIn } from './entailment.ts'
import { generateQuestions } from './generate-questions.ts'
import { splitStatements } from './statements.ts'

/** A yes or no with the reason for it. */
type Verdict = { verdict: boolean; reason: string }

const percent = (share: number): string => `${Math.round(100 * share)} %`

/** Where the contexts come nearest to a statement; or the verdict, where that alone settles it. */
function locate(statement: string, contexts: readonly string[]): { place: Place; where: string } | Verdict {
  const verbatim = verbatimIn(statement, contexts)
  if (verbatim !== -1) return { verdict: true, reason: `stands word for word in context ${verbatim + 1}` }
  const place = bestPlace(statement, contexts)
  if (place === null || place.coverage === 0)
    return { verdict: false, reason: 'no context shares a content word with it' }
  return { place, where: `context ${place.context + 1}` }
}

/** The judgements that evaluation needs, by rules: deterministic, without a model. */
export const ruleJudgements = {
  splitStatements,
  judgeStatement,
  generateQuestions,
  judgeUsefulness,
  attributeStatement,
} as const

/** References are put in other words than the documents, so less must be shared than for an answer's statements. */
const ENOUGH_OF_REFERENCE = 0.55
const HALF_OF_NEW = 0.5

/** Whether a statement of the reference answer can be traced to the contexts, by its words and numbers. */
export function attributeStatement(statement: string, contexts: readonly string[]): Verdict {
  const located = locate(statement, contexts)
  if ('verdict' in located) return located
  const { place, where } = located
  const numbers = missingNumbers(statement, contexts[place.context]!)
  if (numbers.length > 0) return { verdict: false, reason: `${where} does not give the number ${numbers.join(', ')}` }
  return {
    verdict: place.coverage >= ENOUGH_OF_REFERENCE,
    reason: `${where} covers ${percent(place.coverage)} of its content words`,
  }
}

/**
 * Whether a context helps to reach the reference answer: it must hold a statement of the reference, or half of what the
 * reference states beyond the question.
 */
export function judgeUsefulness(question: string, context: string, reference: string): Verdict {
  const asked = new Set(termsOf(question).map((term) => term.root))
  const beyond = termsOf(reference).filter((term) => !asked.has(term.root))
  const share = coverage(beyond.length > 0 ? beyond : termsOf(reference), indexOf(context))
  if (share >= HALF_OF_NEW) {
    return { verdict: true, reason: `holds ${percent(share)} of what the reference adds to the question` }
  }
  const held = splitStatements(reference).find((statement) => attributeStatement(statement, [context]).verdict)
  return held === undefined
    ? { verdict: false, reason: `holds only ${percent(share)} of what the reference adds to the question` }
    : { verdict: true, reason: `supports a statement of the reference: "${held.slice(0, 160)}"` }
}

/** Share of a statement's weight that one place must cover. */
const ENOUGH = 0.72
/** From here on a sentence speaks of the same thing, so that a difference in negation counts. */
const SAME_MATTER = 0.6

/**
 * Whether the contexts support a statement, by its words: a place of up to three sentences must hold most of its weight,
 * all its numbers and names, and must not deny it. Words decide, not meaning: this is a baseline.
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
