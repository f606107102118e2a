import { isNoAnswer } from '../../prompts/answer-task.ts'
import { datesOf } from '../language/dates.ts'
import { namesOf } from '../language/names.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import type { TaggedToken } from '../language/part-of-speech.ts'
import { sentencesOf } from '../language/sentences.ts'
import { termsOf } from '../matching/terms.ts'

/** A question that an answer would be an answer to; noncommittal when the answer evades. */
export type GeneratedQuestion = { question: string; noncommittal: boolean }

const EVASION =
  /\b(?:i (?:do not|don['’]t|cannot|can['’]t) (?:know|say|tell|answer|determine)|(?:is|are|was|were) not (?:mentioned|stated|specified|provided|given|available|known)|(?:cannot|can['’]t|could not) be (?:determined|answered|said)|no (?:information|answer|mention)|not enough information|unclear|does not (?:say|tell|mention|state|specify)|do not (?:say|tell|mention|state|specify))\b/i
/** A longer answer states something besides that it cannot answer. */
const LONGEST_EVASION = 240

const BE_OR_HAVE = /^(?:is|are|was|were|has|have|had|can|could|will|would|may|might|must|should|shall)$/i

const tidy = (words: string): string =>
  `${words
    .replace(/(?<!\s)\s+([,.;:!?])/g, '$1')
    .replace(/(?<![\s,;:.!?–—-])[\s,;:.!?–—-]+$/, '')
    .replace(/\s+/g, ' ')
    .trim()}?`

const lowerFirst = (text: string): string =>
  namesOf(text)[0]?.start === 0 || /^\p{Lu}{2}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)

/** The sentence around its first finite verb: what comes before it, the verb, and the rest. */
type Clause = { subject: string; verb: TaggedToken; rest: string }

function firstClause(sentence: string): Clause | null {
  const tokens = taggedTokens(sentence)
  const at = tokens.findIndex((token) => token.pos === 'AUX' || token.pos === 'VERB')
  if (at < 1) return null
  const verb = tokens[at]!
  const subject = sentence.slice(0, verb.start).trim()
  return subject.length > 90 || subject.includes(',') ? null : { subject, verb, rest: sentence.slice(verb.end).trim() }
}

const isPerson = (subject: string): boolean => {
  const names = namesOf(subject)
  return (
    /^(?:he|she|who)\b/i.test(subject) ||
    (names.length === 1 && /^\p{Lu}\p{Ll}+(?: \p{Lu}[\p{L}.]+){1,3}$/u.test(names[0]!.text))
  )
}

/** "X built Y." → "Who built Y?" */
function askForSubject(sentence: string): string | null {
  const clause = firstClause(sentence)
  if (clause === null) return null
  return tidy(`${isPerson(clause.subject) ? 'Who' : 'What'} ${clause.verb.text} ${clause.rest}`)
}

/** "X opened in 1890." → "When did X open?", or "When was X opened?" */
function askForDate(sentence: string): string | null {
  const date = datesOf(sentence)[0]
  if (date === undefined) return null
  const lead = /(?:\b(?:in|on|at|by|since|from|until|after|before|during)\s+)?$/i.exec(
    sentence.slice(0, date.start),
  )![0]
  const without = `${sentence.slice(0, date.start - lead.length)} ${sentence.slice(date.end)}`.replace(/^[\s,]+/, '')
  const clause = firstClause(without)
  if (clause === null) return tidy(`When ${lowerFirst(without)}`)
  const { subject, verb, rest } = clause
  return BE_OR_HAVE.test(verb.text)
    ? tidy(`When ${verb.text.toLowerCase()} ${lowerFirst(subject)} ${rest}`)
    : tidy(`When did ${lowerFirst(subject)} ${verb.lemma} ${rest}`)
}

/** "Y was built by X." → "By whom or what was Y built?" in plain words; for other sentences what they state about the subject. */
function askForRest(sentence: string): string | null {
  const clause = firstClause(sentence)
  if (clause === null) return null
  const { subject, verb, rest } = clause
  const kept = rest.split(/[,;:]/)[0]!.split(/\s+/).slice(0, 8).join(' ')
  return BE_OR_HAVE.test(verb.text)
    ? tidy(`What ${verb.text.toLowerCase()} ${lowerFirst(subject)} ${kept}`)
    : tidy(`What did ${lowerFirst(subject)} ${verb.lemma} ${kept}`)
}

/** A question that needs no grammar: what the sentence states about its names, or of its rarest words. */
function askAbout(sentence: string): string | null {
  const names = namesOf(sentence).map((name) => name.text)
  const terms = termsOf(sentence).toSorted((a, b) => b.weight - a.weight)
  const subjects = names.length > 0 ? names : terms.map((term) => term.norm)
  return subjects.length === 0 ? null : `What is known about ${subjects.slice(0, 3).join(', ')}?`
}

const isEvasive = (answer: string): boolean =>
  isNoAnswer(answer) || (answer.length <= LONGEST_EVASION && EVASION.test(answer))

/**
 * `count` questions that the answer would answer, from its sentences by turning them round; repeated when the answer
 * gives too few. None for an answer without words.
 */
export function generateQuestions(answer: string, count: number): GeneratedQuestion[] {
  const sentences = sentencesOf(answer).map((sentence) => sentence.text)
  const ways = [askForSubject, askForDate, askForRest, askAbout]
  const questions = [...new Set(ways.flatMap((way) => sentences.map(way)).filter((question) => question !== null))]
  const noncommittal = isEvasive(answer)
  if (questions.length === 0) return []
  return Array.from({ length: count }, (_, at) => ({ question: questions[at % questions.length]!, noncommittal }))
}
