import type { ExtractedEntity, ExtractedRelation, Extraction, ExtractTask } from '../../prompts/extract-task.ts'
import { isEnglishWord } from '../language/lexicon.ts'
import { isRole } from '../language/name-words.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import type { TaggedToken } from '../language/part-of-speech.ts'
import { isStopWord } from '../language/stop-words.ts'
import { normalizeWord } from '../language/tokens.ts'
import { canonicalNames } from './canonical-names.ts'
import { clausesOf, isVerb } from './clauses.ts'
import type { Clause } from './clauses.ts'
import { entityTypes } from './entity-types.ts'
import { cleanedMentions, mentionedSentences } from './mentions.ts'
import type { Mention, MentionedSentence } from './mentions.ts'
import { relationsInClause } from './relations-in-clause.ts'
import type { NamePair } from './relations-in-clause.ts'

/** How strongly each way of joining two names states a relation, 1 to 10. */
const WEIGHT: Readonly<Record<Exclude<NamePair['how'], 'implied'>, number>> = { verb: 8, attached: 7, shared: 4 }
/** A pronoun or definite noun may be traced wrongly; that a document is about its title's subject is a guess. */
const IMPLIED_WEIGHT = 6
const TOPIC_WEIGHT = 3
const LONGEST_DESCRIPTION = 300

const shortened = (text: string): string =>
  text.length <= LONGEST_DESCRIPTION ? text : `${text.slice(0, LONGEST_DESCRIPTION).replace(/\s+\S*$/, '')} …`

/** The clause's content verbs, and nouns for roles such as "daughter": what kind of relation it is. */
function keywordsOf(clause: Clause, mentions: readonly Mention[]): string[] {
  const outside = clause.tokens.filter(
    (token) => !mentions.some((mention) => token.start < mention.end && token.end > mention.start),
  )
  const verbs = outside.filter((token) => token.pos === 'VERB').map((token) => token.lemma.toLowerCase())
  const roles = outside
    .filter((token) => token.pos === 'NOUN' && isRole(token.lemma))
    .map((token) => token.lemma.toLowerCase())
  return [...new Set([...verbs, ...roles])].filter((word) => !isStopWord(word)).slice(0, 3)
}

/** Common nouns that a name is called by: the words of the name, and the noun in front of it or explaining it. */
function nounsFor(name: string, text: string, mention: Mention): Set<string> {
  const nouns = new Set(name.toLowerCase().split(/\s+/))
  const tokens = taggedTokens(text)
  const before = tokens.findLast((token) => token.end <= mention.start)
  if (before?.pos === 'NOUN') nouns.add(before.lemma.toLowerCase())
  const after = tokens.filter((token) => token.start >= mention.end)
  if ([',', 'is', 'was'].includes(after[0]?.text ?? '') && after[1]?.pos === 'DET') {
    for (const token of after.slice(2, 8)) {
      if (token.pos === 'NOUN') nouns.add(token.lemma.toLowerCase())
      else if (token.pos !== 'ADJ' && token.pos !== 'PROPN') break
    }
  }
  return nouns
}

/** Entities in the order in which they appear, each described by the first sentence that opens with it. */
function entitiesOf(
  sentences: readonly MentionedSentence[],
  canonical: (name: string) => string,
  wanted: readonly string[] | undefined,
): ExtractedEntity[] {
  const types = entityTypes(sentences, canonical, wanted)
  const described = new Map<string, { description: string; worth: number }>()
  for (const { sentence, mentions } of sentences) {
    mentions.forEach((mention, at) => {
      const name = canonical(mention.name)
      const opens = at === 0 && mention.start < 12
      const worth = sentence.kind === 'heading' ? 0 : opens ? 2 : 1
      if (worth > (described.get(name)?.worth ?? -1))
        described.set(name, { description: shortened(sentence.text), worth })
    })
  }
  return [...described].map(([name, { description }]) => ({ name, type: types.get(name)!, description }))
}

/** The person whom a title names: who "I" is in an interview or a memoir. */
const speakerOf = (titleNames: readonly string[], entities: readonly ExtractedEntity[]): string | null => {
  const people = entities.filter((entity) => entity.type === 'person' && titleNames.includes(entity.name))
  return people.length === 1 ? people[0]!.name : null
}

/**
 * The named entities of a text and the relations between those that a clause joins. Names are found by capitals, typed
 * by their head nouns and by the text around them; short names and pronouns are traced to the full name.
 */
export function extractGraph({ title, text, types }: ExtractTask): Extraction {
  const body = mentionedSentences(text, title)
  const heading = titleMentions(title, body)
  const sentences = [heading, ...body]
  const full = canonicalNames(sentences)
  const canonical = (name: string): string => full.get(name) ?? name
  const entities = entitiesOf(sentences, canonical, types)
  const people = new Set(entities.filter((entity) => entity.type === 'person').map((entity) => entity.name))
  const titleNames = heading.mentions.map((mention) => canonical(mention.name))
  const subject = titleNames[0] ?? null
  const speaker = speakerOf(titleNames, entities)

  const relations = new Map<string, ExtractedRelation>()
  const spoken: Spoken[] = []
  for (const { sentence, mentions } of sentences) {
    const named = mentions.map((mention) => ({ ...mention, name: canonical(mention.name) }))
    for (const clause of clausesOf(sentence.text)) {
      const referred = impliedSubject(clause, spoken, speaker)
      const implied = referred ?? subject
      for (const pair of relationsInClause(sentence.text, clause, named, implied)) {
        if (pair.source === pair.target) continue
        const weight = pair.how !== 'implied' ? WEIGHT[pair.how] : referred === null ? TOPIC_WEIGHT : IMPLIED_WEIGHT
        addRelation(relations, { ...pair, weight }, keywordsOf(clause, named), shortened(sentence.text))
      }
      for (const mention of named.filter((each) => each.start >= clause.start && each.end <= clause.end)) {
        spoken.push({
          name: mention.name,
          isPerson: people.has(mention.name),
          nouns: nounsFor(mention.name, sentence.text, mention),
        })
      }
    }
  }
  return { entities, relations: [...relations.values()] }
}

/** Adds a relation, or makes a known one (in either direction) surer: what is stated twice is meant. */
function addRelation(
  relations: Map<string, ExtractedRelation>,
  { source, target, weight }: { source: string; target: string; weight: number },
  keywords: string[],
  description: string,
): void {
  const key = JSON.stringify([source, target].toSorted())
  const known = relations.get(key)
  if (known === undefined) {
    relations.set(key, { source, target, keywords, description, weight })
    return
  }
  if (weight > known.weight) known.description = description
  known.weight = Math.min(10, Math.max(known.weight, weight) + 1)
  known.keywords = [...new Set([...known.keywords, ...keywords])].slice(0, 5)
}

/** What has been spoken of so far, latest last. `nouns`: common nouns that the entity was called by. */
export type Spoken = { name: string; isPerson: boolean; nouns: ReadonlySet<string> }

const PERSONAL = /^(?:he|she)$/i
const NEUTER = /^it$/i
/** "It is no secret that …": this "it" refers to nothing. */
const EXPLETIVE = new Set(['that', 'to', 'whether', 'because', 'if'])
const FIRST_PERSON = /^(?:i|we)$/i

const latest = (spoken: readonly Spoken[], fits: (each: Spoken) => boolean): string | null =>
  spoken.findLast(fits)?.name ?? null

/**
 * The name that a clause's subject refers to when it has none of its own: "he" and "she" are the last person, "it" the
 * last other thing, "the yard" the last thing that was called a yard, and "I" the person that the text is about.
 */
function impliedSubject(clause: Clause, spoken: readonly Spoken[], speaker: string | null): string | null {
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

const LONGEST_TITLE_NAME = 3

/** Every word with content has a capital: then capitals mean nothing. */
function isTitleCase(title: string): boolean {
  const words = (title.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []).filter((word) => !isStopWord(normalizeWord(word)))
  return words.length > 1 && words.every((word) => /^[\p{Lu}\p{N}]/u.test(word))
}

const isBareName = (title: string): boolean => {
  const words = title.trim().split(/\s+/)
  if (words.length === 1 && isEnglishWord(normalizeWord(title)) && title !== title.toUpperCase()) return false
  return (
    words.length <= LONGEST_TITLE_NAME &&
    words.every((word) => /^\p{Lu}/u.test(word) && !isStopWord(normalizeWord(word)))
  )
}

/**
 * The names of a document's title: all of them when the title is written like a sentence; when every word has a
 * capital, only those that the text mentions, or the title itself when it is as short as a name.
 */
function titleMentions(title: string, body: readonly MentionedSentence[]): MentionedSentence {
  const sentence = { text: title, kind: 'heading', start: 0, end: title.length, block: 0, whole: true } as const
  const inBody = new Set(body.flatMap(({ mentions }) => mentions.map((mention) => mention.name)))
  if (isBareName(title)) {
    return {
      sentence,
      mentions: [{ name: title.trim(), start: 0, end: title.length, addressed: false, titled: false }],
    }
  }
  const certain = !isTitleCase(title)
  return { sentence, mentions: cleanedMentions(title).filter((mention) => certain || inBody.has(mention.name)) }
}
