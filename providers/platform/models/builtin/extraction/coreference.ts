import type { TaggedToken } from '../language/part-of-speech.ts'
import { isVerb } from './clauses.ts'
import type { Clause } from './clauses.ts'

/** What has been spoken of so far, latest last. `nouns`: common nouns that the entity was called by. */
export type Spoken = { name: string; isPerson: boolean; nouns: ReadonlySet<string> }

const PERSONAL = /^(?:he|she)$/i
const NEUTER = /^it$/i
/** "It is no secret that …": this "it" stands for nothing. */
const EXPLETIVE = new Set(['that', 'to', 'whether', 'because', 'if'])
const FIRST_PERSON = /^(?:i|we)$/i

const latest = (spoken: readonly Spoken[], fits: (each: Spoken) => boolean): string | null =>
  spoken.findLast(fits)?.name ?? null

/**
 * The name that a clause's subject stands for when it has none of its own: "he" and "she" are the last person, "it" the
 * last other thing, "the yard" the last thing that was called a yard, and "I" the person that the text is about.
 */
export function impliedSubject(clause: Clause, spoken: readonly Spoken[], speaker: string | null): string | null {
  const verb = clause.tokens.findIndex(isVerb)
  const before = clause.tokens.slice(0, verb === -1 ? clause.tokens.length : verb)
  const pronoun = before.find((token) => token.pos === 'PRON')
  if (pronoun !== undefined) {
    if (PERSONAL.test(pronoun.text)) return latest(spoken, (each) => each.isPerson)
    if (NEUTER.test(pronoun.text)) return isExpletive(clause) ? null : latest(spoken, (each) => !each.isPerson)
    if (FIRST_PERSON.test(pronoun.text)) return speaker
  }
  const noun = definiteNoun(before)
  return noun === null ? null : latest(spoken, (each) => each.nouns.has(noun))
}

const isExpletive = (clause: Clause): boolean => {
  const verb = clause.tokens.find(isVerb)
  return (
    /^(?:be|seem|appear|remain|follow|turn|happen|please)$/.test(verb?.lemma ?? '') &&
    clause.tokens.some((token) => EXPLETIVE.has(token.text.toLowerCase()))
  )
}

/** "the old yard" → "yard", when the clause opens with it. */
function definiteNoun(tokens: readonly TaggedToken[]): string | null {
  const at = tokens.findIndex((token) => /^(?:the|this|that|its|their)$/i.test(token.text))
  if (at === -1) return null
  let noun: string | null = null
  for (const token of tokens.slice(at + 1)) {
    if (token.pos === 'NOUN') noun = token.lemma.toLowerCase()
    else if (token.pos !== 'ADJ' && token.pos !== 'NUM') break
  }
  return noun
}
