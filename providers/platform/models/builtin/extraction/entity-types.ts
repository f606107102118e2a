import { ENTITY_TYPES } from '../../prompts/extract-task.ts'
import type { EntityType } from '../../prompts/extract-task.ts'
import { isEnglishWord } from '../language/lexicon.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import type { TaggedToken } from '../language/part-of-speech.ts'
import { normalizeWord } from '../language/tokens.ts'
import type { Mention, MentionedSentence } from './mentions.ts'
import { isGivenName, typeOfNoun } from '../language/name-words.ts'

type Votes = Map<EntityType, number>

/** Lists what each kind of cue weighs. A name's own head noun weighs most, its surroundings little each time. */
const WEIGHT = { head: 5, given: 4, explained: 3, shape: 1.5, near: 1 } as const

const PERSONAL_VERB =
  /^(?:say|write|marry|study|die|bear|tell|think|resign|retire|teach|paint|invent|recall|argue|believe|feel|learn)$/

const vote = (votes: Votes, type: EntityType | null, weight: number): void => {
  if (type !== null) votes.set(type, (votes.get(type) ?? 0) + weight)
}

/** The noun that a phrase is about: the last of its first run of nouns, before "of", "in" or a comma. */
function headNoun(tokens: readonly TaggedToken[]): string {
  let noun = ''
  for (const token of tokens) {
    if (token.pos === 'NOUN') noun = token.lemma.toLowerCase()
    else if (!['DET', 'ADJ', 'NUM', 'ADV', 'PROPN', 'PART'].includes(token.pos) && token.text !== '-') break
  }
  return noun
}

/** The head of a name: the word before "of", else its last one. */
function nameHead(name: string): string {
  const before = /^(.*?)(?<!\s)\s+(?:of|for|on|in)\s/.exec(name)?.[1] ?? name
  return before.split(/[\s-]+/).at(-1)!
}

function votesOfName(name: string, votes: Votes): void {
  const parts = name.split(/\s+/)
  if (/\d/.test(name) && parts.length === 1) vote(votes, 'identifier', WEIGHT.head)
  if (parts.length === 1) return
  const head = typeOfNoun(nameHead(name))
  // A role as last word ("Flying Dutchman") makes no person.
  if (head !== null && head !== 'person') vote(votes, head, WEIGHT.head)
  const first = parts[0]!.toLowerCase()
  if (['port', 'cape', 'lake', 'mount', 'isle', 'saint', 'san'].includes(first)) vote(votes, 'place', WEIGHT.shape)
  const isPersonShaped =
    parts.length <= 4 &&
    head === null &&
    !parts.slice(0, -1).some((part) => /['’]s?$/.test(part)) &&
    parts.every((part) => /^\p{Lu}[\p{L}'’.-]*$|^(?:de|van|von|da|der)$/u.test(part))
  if (!isPersonShaped) return
  if (isGivenName(first)) vote(votes, 'person', WEIGHT.given)
  else if (parts.some((part) => !isEnglishWord(normalizeWord(part)))) vote(votes, 'person', WEIGHT.shape)
}

function votesOfMention(text: string, mention: Mention, votes: Votes): void {
  const tokens = taggedTokens(text)
  const before = tokens.filter((token) => token.end <= mention.start)
  const after = tokens.filter((token) => token.start >= mention.end)
  if (mention.addressed) vote(votes, 'person', WEIGHT.given)
  // "the steamer Queen Mary", "engineer Ann Lee"
  const last = before.at(-1)
  if (last?.pos === 'NOUN') vote(votes, typeOfNoun(last.lemma), WEIGHT.explained)
  // "X, a college in Y" and "X is a college"
  const [next, second] = after
  const explains = next?.text === ',' || /^(?:is|was|are|were)$/.test(next?.text ?? '')
  if (explains && second?.pos === 'DET') vote(votes, typeOfNoun(headNoun(after.slice(1))), WEIGHT.explained)
  else if (next?.text === ',' && second?.text === 'who') vote(votes, 'person', WEIGHT.explained)
  const verb = after.find((token) => token.pos !== 'AUX' && token.pos !== 'ADV')
  if (verb?.pos === 'VERB' && PERSONAL_VERB.test(verb.lemma)) vote(votes, 'person', WEIGHT.near)
  if (/^(?:in|near|at|from|off)$/i.test(last?.text ?? '')) vote(votes, 'place', WEIGHT.near)
}

/** Lists what a profile may call our types; the first one that it lists is used. */
const OTHER_NAMES: Partial<Record<EntityType, readonly string[]>> = {
  group: ['organization'],
  place: ['location'],
  facility: ['place', 'location', 'organization'],
  vessel: ['vehicle', 'product', 'artifact'],
  project: ['initiative', 'event'],
  agreement: ['law', 'contract', 'document'],
  publication: ['work', 'document'],
  artifact: ['product', 'object', 'work'],
  product: ['artifact', 'object'],
  software: ['product', 'tool', 'technology'],
  technique: ['method', 'technology', 'concept'],
  law: ['agreement', 'document'],
  condition: ['disease', 'disorder', 'concept'],
  substance: ['chemical', 'drug', 'material', 'product'],
  identifier: ['code', 'concept'],
}
const NO_TYPE = 'concept'

/** The type by its name in a profile's list; null where the list has nothing for it. */
function nameIn(types: readonly string[], type: EntityType): string | null {
  return [type, ...(OTHER_NAMES[type] ?? [])].find((name) => types.includes(name)) ?? null
}

/**
 * The type of each entity, one of `types`, from its name and from the text around its mentions. `concept` when nothing decides it, or
 * `other` where a list has that instead.
 */
export function entityTypes(
  sentences: readonly MentionedSentence[],
  canonical: (name: string) => string,
  types: readonly string[] = ENTITY_TYPES,
): Map<string, string> {
  const votes = new Map<string, Votes>()
  for (const { sentence, mentions } of sentences) {
    for (const mention of mentions) {
      const name = canonical(mention.name)
      if (!votes.has(name)) {
        votes.set(name, new Map())
        votesOfName(name, votes.get(name)!)
      }
      votesOfMention(sentence.text, mention, votes.get(name)!)
    }
  }
  const order = (type: EntityType): number => ENTITY_TYPES.indexOf(type)
  return new Map(
    [...votes].map(([name, counted]) => {
      const ordered = [...counted].toSorted((a, b) => b[1] - a[1] || order(a[0]) - order(b[0]))
      const listed = ordered.map(([type]) => nameIn(types, type)).find((type) => type !== null)
      return [name, listed ?? (types.includes('other') && !types.includes(NO_TYPE) ? 'other' : NO_TYPE)]
    }),
  )
}
