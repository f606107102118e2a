import { typeOfNoun } from '../language/name-words.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import type { TaggedToken } from '../language/part-of-speech.ts'
import { isComparison } from '../matching/comparison.ts'
import { analyseQuestion } from '../matching/question.ts'
import { refersToItsText } from './text-reference.ts'

/** How a question is built, as far as its words show. */
export type QuestionShape = {
  /** Separate facts to join, 1 to 4: the one that is asked for and one for each thing that is described by another instead of named. */
  hops: number
  /** Codes and long numbers that must be found letter by letter. */
  codes: readonly string[]
  names: number
  /** Asks how things are related, or for all of a kind. */
  relational: boolean
  comparative: boolean
  /** Asks what a certain text states, or speaks of something that only the text around it names. */
  contextual: boolean
}

const RELATION =
  /\b(?:relat(?:ed|ion|ionship)s?|connect(?:ed|ion)s?|linked|links? between|associat(?:ed|ion)s?|in common|shared?|who else|through (?:whom|which)|another)\b/i
const RELATIVE = new Set(['that', 'which', 'who', 'whose', 'whom', 'where'])
const WHOEVER = new Set(['whoever', 'whomever'])
/** What follows a thing that is described by what happened to it: "the barque wrecked in", "the company started by". */
const AFTER_PARTICIPLE = new Set(['by', 'in', 'from', 'under', 'against', 'during', 'at', 'on', 'after', 'for'])
const OWNED_BY = new Set(['of', 'behind', 'at'])
const BE = new Set(['is', 'are', 'was', 'were', 'be', 'been', 'being'])
/** Something other than what was just mentioned: "a second customer", "another pupil". */
const OTHER = new Set(['another', 'other', 'second'])

const lower = (token: TaggedToken | undefined): string => token?.text.toLowerCase() ?? ''
const isNoun = (token: TaggedToken | undefined): boolean => token?.pos === 'NOUN' || token?.pos === 'PROPN'
/** A word of the language, not a name. */
const isPlain = (token: TaggedToken | undefined): boolean => token !== undefined && /^\p{Ll}/u.test(token.text)

/** "the firm that …", "the museum in which …", "whoever …": a clause in place of a name. */
function isRelativeClause(tokens: readonly TaggedToken[], at: number): boolean {
  const word = lower(tokens[at])
  if (WHOEVER.has(word)) return true
  if (!RELATIVE.has(word)) return false
  const before = tokens[at - 1]?.pos === 'ADP' ? tokens[at - 2] : tokens[at - 1]
  // "that engineer" points, "say that it" reports: neither describes the noun before it.
  return isNoun(before) && !(word === 'that' && isNoun(tokens[at + 1]) && isPlain(tokens[at + 1]))
}

/** "the oldest man killed in …": a noun with what was done to it; not "was designed by", which is the sentence's own verb. */
function isReducedClause(tokens: readonly TaggedToken[], at: number): boolean {
  const [noun, participle, next] = [tokens[at - 1], tokens[at], tokens[at + 1]]
  return (
    participle !== undefined &&
    // The tagger takes "the pilot rescued from" for two nouns.
    (participle.pos === 'VERB' || participle.text.endsWith('ed')) &&
    isNoun(noun) &&
    isPlain(noun) &&
    /(?:ed|en|wn|ght|ound|old|eft|uilt|elt|ade)$/.test(participle.text) &&
    AFTER_PARTICIPLE.has(lower(next)) &&
    !BE.has(lower(tokens[at - 2]))
  )
}

/** Kinds of things that act, and so are named elsewhere by a name of their own; a part or a place of a thing is not. */
const ACTORS = new Set(['person', 'group', 'organization'])

/** Nouns in -er and -or that name no one who acts. */
const NOT_ACTORS = new Set(
  'number order power paper border chapter letter matter center colour color water character corner cover factor layer river tower winter summer computer computer error floor door manner member master minister order'.split(
    ' ',
  ),
)
/** "discoverer", "neighbour", "successor": someone named by what they do, when "of" follows. */
const isAgent = (word: string): boolean =>
  /^\p{Ll}{3,}(?:er|or|ours?|ist|eur)s?$/u.test(word) &&
  !NOT_ACTORS.has(word.replace(/s$/, '')) &&
  typeOfNoun(word) === null

const isRole = (tokens: readonly TaggedToken[], at: number): boolean => {
  const role = tokens[at]
  if (!isNoun(role) || !isPlain(role)) return false
  return ACTORS.has(typeOfNoun(role!.text) ?? '') || (isAgent(role!.text) && lower(tokens[at + 1]) === 'of')
}

/** "the founder of …", "the bank behind …", "Dalgaard's wife": named by whom or what they belong to. */
function isOwnedRole(tokens: readonly TaggedToken[], at: number): boolean {
  if (!isRole(tokens, at)) return false
  return (
    OWNED_BY.has(lower(tokens[at + 1])) ||
    /^['’]s?$/.test(lower(tokens[at - 1])) ||
    /['’]s?$/.test(lower(tokens[at - 1]))
  )
}

/** "Who was the first master of …": the role is what is asked for, not a step on the way to it. */
function isAskedRole(tokens: readonly TaggedToken[], at: number): boolean {
  const before = tokens.slice(0, at).map(lower)
  const isCopula = BE.has(before[1] ?? '') || before[1] === 'turned'
  return /^(?:who|what)$/.test(before[0] ?? '') && isCopula && at <= 7 && !before.slice(2).includes('of')
}

function countSteps(text: string): number {
  const tokens = taggedTokens(text)
  let steps = 0
  for (let at = 1; at < tokens.length; at += 1) {
    if (isRelativeClause(tokens, at) || isReducedClause(tokens, at)) steps += 1
    else if (isOwnedRole(tokens, at) && !isAskedRole(tokens, at)) steps += 1
    else if (OTHER.has(lower(tokens[at])) && isNoun(tokens[at + 1])) steps += 1
  }
  return steps
}

/** Numbers that name something: "section 230", "article 17"; not a year or a quantity. */
const NUMBERED =
  /\b(?:section|article|rule|form|title|bug|issue|error|status|version|model|flight|route|class|type|grade)s? (\d[\d.]*)/gi

/** Reads the shape of a question from its words. */
export function questionShape(text: string): QuestionShape {
  const question = analyseQuestion(text)
  const codes = question.terms.filter((term) => term.kind === 'code').map((term) => term.norm)
  return {
    hops: 1 + Math.min(3, countSteps(text)),
    codes: [...codes, ...[...text.matchAll(NUMBERED)].map((match) => match[1]!)],
    names: question.names.length,
    relational: RELATION.test(text),
    comparative: isComparison(text),
    contextual: refersToItsText(text),
  }
}
