import { isRole } from '../language/name-words.ts'
import { namesOf } from '../language/names.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import type { TaggedToken } from '../language/part-of-speech.ts'
import { termsOf } from '../matching/terms.ts'

/** Describes how a question is built, as far as its words show. */
export type QuestionShape = {
  /** Separate facts to join, 1 to 4: the one that is asked for and one for each thing that is described by another instead of named. */
  hops: number
  /** Codes that must be found letter by letter. */
  codes: readonly string[]
  names: number
  /** Asks how things are related, or for all of a kind. */
  relational: boolean
  comparative: boolean
  /** Asks what a certain text states, or speaks of something that only the text around it names. */
  contextual: boolean
}

const RELATION =
  /\b(?:relat(?:ed|ion|ionship)s?|connect(?:ed|ion)s?|linked|links? between|associat(?:ed|ion)s?|in common|shared?|who else)\b/i
const COMPARISON =
  /\b(?:compare[ds]?|comparison|versus|vs|difference|differ(?:s|ed|ent|ently)? from|both\b.*\band|than (?:the )?\p{L}|(?:before|after) (?:the )?\p{Lu})\b/u
/** "Is it X or Y?", "Which came first, X or Y?"; not "two or more". */
const CHOICE =
  /^(?:which|who|what|is|are|was|were|do|does|did|has|have|had|can)\b.*\p{L},? or (?!more|less|fewer|not|so|even)\p{L}/iu
/** "Did Ada and Ben meet?" */
const TWO_NAMES = /^(?:Is|Are|Was|Were|Do|Does|Did|Have|Has|Had) (?:the )?\p{Lu}[^,?]*? and (?:the )?\p{Lu}/u

const RELATIVE = /^(?:that|which|who|whose|whom|where|whoever|whomever)$/i
const PARTICIPLE = /(?:ed|en|wn|ght|ound|old|eft|uilt|ade)$/
const AFTER_PARTICIPLE = /^(?:by|in|from|under|during|at|on|after|for)$/i
const BE = /^(?:is|are|was|were|be|been|being)$/i

/** A passage of a certain text, or something that was mentioned before. */
const TEXT_REFERENCE =
  /\b(?:according to|as (?:stated|described|defined) in|in|per|under|does|did) the (?:[\p{L}-]+ )?(?:manual|handbook|guide|report|article|paper|letter|section|chapter|contract|agreement|policy|document|text|instructions|notice)\b|(?<!^)\bthis\b|\b(?:these|those)\b|\bthe (?:above|following|previous|narrator|plaintiff|defendant|author(?! of))\b/iu
const PRONOUN = /^(?:he|she|him|her|his|hers|it|its|they|them|their)$/i

const isNoun = (token: TaggedToken | undefined): boolean => token?.pos === 'NOUN' || token?.pos === 'PROPN'
const isPlain = (token: TaggedToken | undefined): boolean => isNoun(token) && /^\p{Ll}/u.test(token!.text)

/** "say that engineers …" reports: it describes no noun; "that rescued …", which the tagger may take for a noun, does. */
const reports = (token: TaggedToken, next: TaggedToken | undefined): boolean =>
  /^that$/i.test(token.text) && isPlain(next) && !PARTICIPLE.test(next!.text)

/** A thing that is described instead of named: by a clause, by what was done to it, or by whom it belongs to. */
function isDescribed(tokens: readonly TaggedToken[], at: number): boolean {
  const [before, token, next] = [tokens[at - 1], tokens[at]!, tokens[at + 1]]
  if (RELATIVE.test(token.text)) {
    const described = before?.pos === 'ADP' ? tokens[at - 2] : before
    return /^who(?:m)?ever$/i.test(token.text) || (isNoun(described) && !reports(token, next))
  }
  // "the bell forged by"; not "was forged by", which is the sentence's own verb.
  if (PARTICIPLE.test(token.text) && AFTER_PARTICIPLE.test(next?.text ?? ''))
    return isPlain(before) && !BE.test(tokens[at - 2]?.text ?? '')
  // "the founder of …" after another noun or verb, "Mozart's sister"; "Who was the captain of …" asks for the role itself.
  if (!isPlain(token)) return false
  if (/['’]s?$/.test(before?.text ?? '')) return isRole(token.text)
  const isAsked = at <= 5 && BE.test(tokens[1]?.text ?? '')
  return (
    /^(?:of|behind)$/.test(next?.text ?? '') && (isRole(token.text) || /(?:er|or|ist)s?$/.test(token.text)) && !isAsked
  )
}

/** A noun, or a plural that the tagger takes for a verb ("leaves"). */
const isThing = (token: TaggedToken): boolean => isNoun(token) || (token.pos === 'VERB' && /[^s]s$/.test(token.text))

/** True when a pronoun has nothing before it in the question that it can refer to. */
const hasFreePronoun = (tokens: readonly TaggedToken[]): boolean =>
  tokens.some(
    (token, at) =>
      PRONOUN.test(token.text) && !tokens.slice(0, at).some((before) => isThing(before) && !isAskedFor(tokens, before)),
  )

/** "Which side did they support?": what is asked for is not who they are. */
const isAskedFor = (tokens: readonly TaggedToken[], noun: TaggedToken): boolean =>
  /^(?:which|what|whose|many|much)$/i.test(tokens[tokens.indexOf(noun) - 1]?.text ?? '')

/** Reads the shape of a question from its words. */
export function questionShape(text: string): QuestionShape {
  const tokens = taggedTokens(text)
  const steps = tokens.filter((_, at) => at > 0 && isDescribed(tokens, at)).length
  return {
    hops: 1 + Math.min(3, steps),
    codes: termsOf(text).flatMap(({ kind, norm }) => (kind === 'code' ? [norm] : [])),
    names: namesOf(text).length,
    relational: RELATION.test(text),
    comparative: COMPARISON.test(text) || CHOICE.test(text) || TWO_NAMES.test(text),
    contextual: TEXT_REFERENCE.test(text) || hasFreePronoun(tokens),
  }
}
