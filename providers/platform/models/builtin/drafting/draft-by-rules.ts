import type { DraftQuestionsRequest, RawDraft } from '../../../../../contract/http/draft.ts'
import { namesOf } from '../language/names.ts'
import { sentencesOf } from '../language/sentences.ts'

/** Matches what is before "is a …": a few words that name something, without a clause of their own. */
const SUBJECT = /^(?:(?:The|An?) )?[\p{L}\p{N}][\p{L}\p{N} .'’/-]{1,58}$/u
const DEFINITION = /^(?<subject>.{2,60}?) (?<verb>is|are|was|were) (?<what>(?:an?|the|one of|any|a kind of)\b.+)$/u
/** Such a subject is known only from the sentences before it. */
const POINTS_BACK =
  /^(?:it|its|he|his|she|her|they|their|this|that|these|those|there|here|one|some|both|each|such|what|which|who|we|our|i|you|your)\b/i
/** A subject with a clause of its own, such as "The lock that Brand keeps", makes no question. */
const HAS_CLAUSE = /\b(?:which|that|who|when|where|if|because|and|or|but)\b/i
const SHORTEST = 4

const isPerson = (subject: string): boolean =>
  /^(?!The |An? )\p{Lu}\p{Ll}+(?: \p{Lu}[\p{L}.]+){1,3}$/u.test(subject) && namesOf(subject).length === 1

/** "A sluice is a gate that …" → "What is a sluice?"; null for a sentence that defines nothing. */
function draftOf(sentence: string): Pick<RawDraft, 'question' | 'answer'> | null {
  const { subject = '', verb = '', what = '' } = DEFINITION.exec(sentence)?.groups ?? {}
  if (!SUBJECT.test(subject) || POINTS_BACK.test(subject) || HAS_CLAUSE.test(subject)) return null
  if (what.split(/\s+/).length < SHORTEST) return null
  const named = subject.replace(/^(The|An?) /, (article) => article.toLowerCase())
  const answer = what.replace(/[.!?]+$/, '')
  return {
    question: `${isPerson(subject) ? 'Who' : 'What'} ${verb} ${named}?`,
    answer: `${answer[0]!.toUpperCase()}${answer.slice(1)}.`,
  }
}

/** Drafts from sentences that say what something is. A question that joins two passages is beyond such a rule. */
export function draftByRules({ count, passages }: DraftQuestionsRequest): { questions: RawDraft[] } {
  const [passage, second] = passages
  if (passage === undefined || second !== undefined) return { questions: [] }
  const questions: RawDraft[] = []
  for (const { kind, whole, start, end, text } of sentencesOf(passage.text)) {
    const draft = kind === 'prose' && whole ? draftOf(text) : null
    if (draft === null || questions.some(({ question }) => question === draft.question)) continue
    questions.push({ ...draft, quotes: [{ document: passage.document, text: passage.text.slice(start, end) }] })
    if (questions.length === count) break
  }
  return { questions }
}
