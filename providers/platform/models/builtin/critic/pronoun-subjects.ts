import { namesOf } from '../language/names.ts'
import { taggedTokens } from '../language/part-of-speech.ts'

const OPENING_PRONOUN = /^(he|she|it|they|his|her|its|their)\b(?=\s)/i
const ORGANISATION =
  /\b(?:company|corporation|inc|ltd|plc|gmbh|bank|group|university|college|institute|ministry|office|council|museum|labs?|systems|society|association|trust|works|line|exchange)\b/i

/** What a name can be referred to by, as far as its form tells. */
function isPersonLike(name: string): boolean {
  if (ORGANISATION.test(name) || /\d/.test(name) || /^\p{Lu}{2,}$/u.test(name)) return false
  const words = name.split(/\s+/)
  return words.length >= 2 && words.length <= 4 && words.every((word) => /^\p{L}/u.test(word))
}

/** The name that a sentence is about: the one that stands before its first verb, if there is just one. */
function namedSubject(sentence: string): string | null {
  const verb = taggedTokens(sentence).find((token) => token.pos === 'VERB' || token.pos === 'AUX')
  const before = namesOf(sentence).filter((name) => verb === undefined || name.end <= verb.start)
  return before.length === 1 ? before[0]!.text : null
}

/**
 * Replaces a pronoun that opens a sentence with the last named subject, where form and number allow only that one.
 * Sentences must come in reading order.
 */
export function resolveOpeningPronouns(sentences: readonly string[]): string[] {
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
