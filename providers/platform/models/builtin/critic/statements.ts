import { refusedByRule } from '../../../../../contract/index.ts'
import { isNoAnswer } from '../../prompts/answer-task.ts'
import { namesOf } from '../language/names.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import { sentencesOf } from '../language/sentences.ts'

const CLAUSE_BORDER =
  /;\s+|,\s+(?:and|but|while|whereas)\s+(?=(?:he|she|it|they|the|this|these|those|an?|his|her|its|their|there|\p{Lu}\p{L}+)\s)/giu

const isClause = (text: string): boolean =>
  text.length > 12 && taggedTokens(text).some((token) => token.pos === 'VERB' || token.pos === 'AUX')

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Main clauses of a sentence; left whole where a part would not be a clause of its own. */
function clausesOf(sentence: string): string[] {
  const parts = sentence.split(CLAUSE_BORDER)
  if (parts.length === 1 || !parts.every(isClause)) return [sentence]
  return parts.map((part) =>
    capitalized(part.trim())
      .replace(/[,;]$/, '')
      .replace(/(?<![.!?…])$/, '.'),
  )
}

/**
 * The claims of an answer, each to be understood alone: its clauses, with an opening pronoun replaced by the last named
 * subject where that is clear. A refusal claims nothing, in whatever words.
 */
export function splitStatements(answer: string): string[] {
  if (isNoAnswer(answer) || refusedByRule(answer) === true) return []
  const sentences = sentencesOf(answer).filter((sentence) => sentence.kind !== 'heading')
  const clauses = sentences.flatMap((sentence) =>
    sentence.kind === 'table_row' ? [sentence.text] : clausesOf(sentence.text),
  )
  return resolveOpeningPronouns(clauses.filter((clause) => /[\p{L}\p{N}]/u.test(clause)))
}

const OPENING_PRONOUN = /^(he|she|it|they|his|her|its|their)\b(?=\s)/i
const ORGANISATION =
  /\b(?:company|corporation|inc|ltd|plc|gmbh|bank|group|university|college|institute|ministry|office|council|museum|labs?|systems|society|association|trust|works|line|exchange)\b/i

/** What a name can be referred to by, as far as its form shows. */
function isPersonLike(name: string): boolean {
  if (ORGANISATION.test(name) || /\d/.test(name) || /^\p{Lu}{2,}$/u.test(name)) return false
  const words = name.split(/\s+/)
  return words.length >= 2 && words.length <= 4 && words.every((word) => /^\p{L}/u.test(word))
}

/** The name that a sentence is about: the one before its first verb, if there is just one. */
function namedSubject(sentence: string): string | null {
  const verb = taggedTokens(sentence).find((token) => token.pos === 'VERB' || token.pos === 'AUX')
  const before = namesOf(sentence).filter((name) => verb === undefined || name.end <= verb.start)
  return before.length === 1 ? before[0]!.text : null
}

/**
 * Replaces a pronoun that opens a sentence with the last named subject, where form and number allow only that one.
 * Sentences must come in reading order.
 */
function resolveOpeningPronouns(sentences: readonly string[]): string[] {
  let person: string | null = null
  let thing: string | null = null
  return sentences.map((sentence) => {
    const pronoun = OPENING_PRONOUN.exec(sentence)?.[1]
    if (pronoun === undefined) {
      const subject = namedSubject(sentence)
      if (subject !== null && isPersonLike(subject)) person = subject
      else if (subject !== null) thing = subject
      return sentence
    }
    const isPersonal = /^(?:he|she|his|her)$/i.test(pronoun)
    const name = isPersonal ? person : /^(?:it|its)$/i.test(pronoun) ? thing : null
    if (name === null) return sentence
    const owner = /^(?:his|her|its)$/i.test(pronoun)
    return `${name}${owner ? "'s" : ''}${sentence.slice(pronoun.length)}`
  })
}
