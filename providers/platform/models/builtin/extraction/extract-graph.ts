import type { ExtractedEntity, ExtractedRelation, ExtractTask, Extraction } from '../../prompts/extract-task.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import { isStopWord } from '../language/stop-words.ts'
import { canonicalNames } from './canonical-names.ts'
import { clausesOf } from './clauses.ts'
import type { Clause } from './clauses.ts'
import { impliedSubject } from './coreference.ts'
import type { Spoken } from './coreference.ts'
import { entityTypes } from './entity-types.ts'
import { mentionedSentences } from './mentions.ts'
import type { Mention, MentionedSentence } from './mentions.ts'
import { isRole } from '../language/name-words.ts'
import { relationsInClause } from './relations-in-clause.ts'
import type { NamePair } from './relations-in-clause.ts'
import { titleMentions } from './title-mentions.ts'

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
function entitiesOf(sentences: readonly MentionedSentence[], canonical: (name: string) => string): ExtractedEntity[] {
  const types = entityTypes(sentences, canonical)
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
  return [...described].map(([name, { description }]) => ({ name, type: types.get(name) ?? 'concept', description }))
}

/** The person whom a title names: who "I" is in an interview or a memoir. */
const speakerOf = (titleNames: readonly string[], entities: readonly ExtractedEntity[]): string | null => {
  const people = entities.filter((entity) => entity.type === 'person' && titleNames.includes(entity.name))
  return people.length === 1 ? people[0]!.name : null
}

/**
 * The named entities of a text and the relations between those that a clause joins. Names are found by capitals, typed
 * by their head nouns and by what stands around them; short names and pronouns are traced to the full name.
 */
export function extractGraph({ title, text }: ExtractTask): Extraction {
  const body = mentionedSentences(text, title)
  const heading = titleMentions(title, body)
  const sentences = [heading, ...body]
  const full = canonicalNames(sentences)
  const canonical = (name: string): string => full.get(name) ?? name
  const entities = entitiesOf(sentences, canonical)
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

/** Adds a relation, or makes a known one (in either direction) surer: what is said twice is meant. */
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
