import { refusedByRule } from '../../../../../core/refused-by-rule.ts'
import { isNoAnswer } from '../../prompts/answer-task.ts'
import { namesOf } from '../language/names.ts'
import { rootOf } from '../language/roots.ts'
import { sentencesOf } from '../language/sentences.ts'
import { tokensOf } from '../language/tokens.ts'
import { coverage, indexOf, termsOf } from '../matching/terms.ts'
import type { Term } from '../matching/terms.ts'

// The judgements that evaluation needs, by shared words: deterministic, without a model, blind to paraphrase. They are a baseline.

/** A yes or no with the reason for it. */
interface Verdict {
  verdict: boolean
  reason: string
}

/** Neighbouring sentences that are read together. */
const WINDOW_SENTENCES = 3
/** Share of a statement's weight that one place must cover; of a reference, which is put in other words than the documents, less. */
const ENOUGH = 0.72
const ENOUGH_OF_REFERENCE = 0.55
const HALF_OF_NEW = 0.5

const NEGATION =
  /\b(?:not|never|no|none|nobody|nothing|neither|nor|cannot|without|unable|den(?:y|ies|ied)|refus(?:e|es|ed)|fail(?:s|ed)? to)\b|n['’]t\b/i

const percent = (share: number): string => `${Math.round(100 * share)} %`
const isRefusal = (answer: string): boolean => isNoAnswer(answer) || refusedByRule(answer) === true

/** The claims of an answer, a sentence each. A refusal claims nothing, in whatever words. */
function splitStatements(answer: string): string[] {
  if (isRefusal(answer)) return []
  return sentencesOf(answer)
    .filter(({ kind, text }) => kind !== 'heading' && /[\p{L}\p{N}]/u.test(text))
    .map(({ text }) => text)
}

/** The few neighbouring sentences of the contexts that cover most of a statement; null when none shares a word with it. */
function bestPlace(terms: readonly Term[], contexts: readonly string[]) {
  let best: { text: string; context: number; covered: number } | null = null
  for (const [context, source] of contexts.entries()) {
    const sentences = sentencesOf(source).map(({ text }) => text)
    for (const from of sentences.keys()) {
      const text = sentences.slice(from, from + WINDOW_SENTENCES).join(' ')
      const covered = coverage(terms, indexOf(text))
      if (covered > (best?.covered ?? 0)) best = { text, context, covered }
    }
  }
  return best
}

/** Numbers, codes and names of a statement that a text holds no part of. */
function missingFrom(statement: string, text: string): string[] {
  const index = indexOf(text)
  const numbers = tokensOf(statement).filter(({ kind, norm }) => kind !== 'word' && !index.norms.has(norm))
  const names = namesOf(statement).filter((name) => !tokensOf(name.text).some((each) => index.roots.has(rootOf(each))))
  return [...new Set([...numbers, ...names].map((each) => each.text))]
}

function judge(statement: string, contexts: readonly string[], enough: number): Verdict {
  const place = bestPlace(termsOf(statement), contexts)
  if (place === null) return { verdict: false, reason: 'no context shares a content word with it' }
  const where = `context ${place.context + 1}`
  const missing = missingFrom(statement, contexts[place.context]!)
  if (missing.length > 0) return { verdict: false, reason: `${where} does not mention ${missing.join(', ')}` }
  if (NEGATION.test(statement) && !NEGATION.test(place.text))
    return { verdict: false, reason: `${where} does not deny it: "${place.text.slice(0, 160)}"` }
  return { verdict: place.covered >= enough, reason: `${where} covers ${percent(place.covered)} of its content words` }
}

/** Returns true when a context holds half of what the reference states beyond the question. */
function judgeUsefulness(question: string, context: string, reference: string): Verdict {
  const asked = new Set(termsOf(question).map(({ root }) => root))
  const beyond = termsOf(reference).filter(({ root }) => !asked.has(root))
  const share = coverage(beyond.length > 0 ? beyond : termsOf(reference), indexOf(context))
  const reason = `holds ${percent(share)} of what the reference adds to the question`
  return { verdict: share >= HALF_OF_NEW, reason }
}

/** Takes the sentences of an answer for the questions that it answers: they share its words. Repeated when there are too few. */
function generateQuestions(answer: string, count: number): { question: string; noncommittal: boolean }[] {
  const sentences = sentencesOf(answer).map(({ text }) => text)
  if (!/[\p{L}\p{N}]/u.test(answer)) return []
  const noncommittal = isRefusal(answer)
  return Array.from({ length: count }, (_, at) => ({ question: sentences[at % sentences.length]!, noncommittal }))
}

export const ruleJudgements = {
  splitStatements,
  judgeStatement: (statement: string, contexts: readonly string[]) => judge(statement, contexts, ENOUGH),
  attributeStatement: (statement: string, contexts: readonly string[]) =>
    judge(statement, contexts, ENOUGH_OF_REFERENCE),
  judgeUsefulness,
  generateQuestions,
} as const
