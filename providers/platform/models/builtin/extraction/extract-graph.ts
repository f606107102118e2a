import type { ExtractedEntity, ExtractedRelation, Extraction, ExtractTask } from '../../prompts/extract-task.ts'
import { isEnglishWord } from '../language/lexicon.ts'
import { isRole } from '../language/name-words.ts'
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

/** Defines how strongly each way of joining two names states a relation, 1 to 10. */
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

  const relations = new Map<string, WeightedRelation>()
  const spoken: Spoken[] = []
  for (const { sentence, mentions } of sentences) {
    const named = mentions.map((mention) => ({ ...mention, name: canonical(mention.name) }))
    for (const clause of clausesOf(sentence.text)) {
      const referred = impliedSubject(clause, spoken)
      const implied = referred ?? subject
      for (const pair of relationsInClause(sentence.text, clause, named, implied)) {
        if (pair.source === pair.target) continue
        const weight = pair.how !== 'implied' ? WEIGHT[pair.how] : referred === null ? TOPIC_WEIGHT : IMPLIED_WEIGHT
        addRelation(relations, { ...pair, weight }, keywordsOf(clause, named), shortened(sentence.text))
      }
      for (const mention of named.filter((each) => each.start >= clause.start && each.end <= clause.end)) {
        spoken.push({ name: mention.name, isPerson: people.has(mention.name) })
      }
    }
  }
  return { entities, relations: Array.from(relations.values(), ({ weight: _, ...relation }) => relation) }
}

/** `weight`: how surely the text states the relation, 0 to 10. */
type WeightedRelation = ExtractedRelation & { weight: number }

/** Adds a relation, or makes a known one (in either direction) surer: what is stated twice is meant. */
function addRelation(
  relations: Map<string, WeightedRelation>,
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

/** A name in the order of the text. */
interface Spoken {
  name: string
  isPerson: boolean
}

/** The name that a pronoun at the start of a clause refers to: "he" and "she" are the last person, "it" the last other thing. */
function impliedSubject({ tokens }: Clause, spoken: readonly Spoken[]): string | null {
  const verb = tokens.findIndex(isVerb)
  const pronoun = tokens.slice(0, verb === -1 ? tokens.length : verb).find(({ pos }) => pos === 'PRON')?.text ?? ''
  if (!/^(?:he|she|it)$/i.test(pronoun)) return null
  const wantsPerson = !/^it$/i.test(pronoun)
  return spoken.findLast(({ isPerson }) => isPerson === wantsPerson)?.name ?? null
}

const LONGEST_TITLE_NAME = 3

const contentWords = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []).filter((word) => !isStopWord(normalizeWord(word)))

/**
 * The names of a document's title: all of them when the title is written like a sentence; when every word has a
 * capital, only those that the text mentions, or the title itself when it is as short as a name.
 */
function titleMentions(title: string, body: readonly MentionedSentence[]): MentionedSentence {
  const sentence = { text: title, kind: 'heading', start: 0, end: title.length, block: 0, whole: true } as const
  const content = contentWords(title)
  const isCapitals = content.length > 0 && content.every((word) => /^[\p{Lu}\p{N}]/u.test(word))
  const isPlainWord = content.length === 1 && isEnglishWord(normalizeWord(title)) && title !== title.toUpperCase()
  if (isCapitals && !isPlainWord && title.trim().split(/\s+/).length <= LONGEST_TITLE_NAME) {
    const name = { name: title.trim(), start: 0, end: title.length, addressed: false }
    return { sentence, mentions: [name] }
  }
  const inBody = new Set(body.flatMap(({ mentions }) => mentions.map((mention) => mention.name)))
  const certain = !isCapitals || content.length === 1
  return { sentence, mentions: cleanedMentions(title).filter((mention) => certain || inBody.has(mention.name)) }
}
