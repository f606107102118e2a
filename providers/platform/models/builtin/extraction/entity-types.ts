import { ENTITY_TYPES } from '../../prompts/extract-task.ts'
import type { EntityType } from '../../prompts/extract-task.ts'
import { isEnglishWord } from '../language/lexicon.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import type { TaggedToken } from '../language/part-of-speech.ts'
import { normalizeWord } from '../language/tokens.ts'
import type { Mention, MentionedSentence } from './mentions.ts'
import { isGivenName, isSurname, typeOfNoun } from '../language/name-words.ts'

type Votes = Map<EntityType, number>

/** What each kind of cue weighs. A name's own head noun weighs most, its surroundings little each time. */
const WEIGHT = {
  head: 5,
  given: 3,
  addressed: 4,
  explained: 3,
  introduced: 3,
  verb: 1,
  preposition: 1,
  shape: 1.5,
  titled: 1.5,
  kind: 8,
} as const

const PERSONAL_VERB =
  /^(?:say|write|marry|study|die|bear|tell|think|resign|retire|graduate|teach|paint|invent|wed|recall|remember|testify|swear|argue|insist|believe|feel|learn|ask|reply|smile)$/

const SUBJECT_VERBS: readonly (readonly [RegExp, EntityType])[] = [
  [PERSONAL_VERB, 'person'],
  [/^(?:sail|sink|dock|moor|capsize|anchor|steam|tow|drift)$/, 'vessel'],
  [
    /^(?:employ|own|acquire|publish|fund|supply|insure|operate|manufacture|sponsor|announce|merge|issue|advise)$/,
    'organization',
  ],
]

const vote = (votes: Votes, type: EntityType | null, weight: number): void => {
  if (type !== null) votes.set(type, (votes.get(type) ?? 0) + weight)
}

/** The noun that a phrase is about: the last of its first run of nouns, before "of", "in" or a comma. */
function headNoun(tokens: readonly TaggedToken[]): string | null {
  let noun: string | null = null
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
  const inner = parts.length > 1
  if (/\d/.test(name) && /^\S+$/.test(name)) vote(votes, 'identifier', WEIGHT.head)
  const head = typeOfNoun(nameHead(name))
  // One dictionary word alone ("Mercy", "Heron") is no kind; a role as last word ("Iron Pilgrim") makes no person.
  if (inner && head !== null && head !== 'person') vote(votes, head, WEIGHT.head)
  const first = parts[0]!.toLowerCase()
  if (inner && /^(?:port|cape|lake|mount|isle|fort|saint|san|santa|great|new|upper|lower|gulf|bay)$/.test(first))
    vote(votes, 'place', 1.5)
  const given = inner && parts.length <= 4 && isGivenName(first)
  if (given && head === null) vote(votes, 'person', WEIGHT.given)
  if (given && isSurname(parts.at(-1)!)) vote(votes, 'person', WEIGHT.head + 1)
  if (inner && first === 'operation') vote(votes, 'project', WEIGHT.head)
  if (/\s&\s|\bBrothers\b|\bSons\b/.test(name)) vote(votes, 'organization', WEIGHT.head)
  const unknown = parts.filter((part) => !isEnglishWord(normalizeWord(part)))
  const personShaped =
    parts.length >= 2 &&
    parts.length <= 4 &&
    head === null &&
    !parts.slice(0, -1).some((part) => /['’]s?$/.test(part)) &&
    parts.every((part) => /^\p{Lu}[\p{L}'’.-]*$|^(?:de|van|von|da|der)$/u.test(part))
  if (personShaped && unknown.length > 0) vote(votes, 'person', WEIGHT.shape + (unknown.length > 1 ? 0.5 : 0))
}

function votesOfMention(text: string, mention: Mention, votes: Votes): void {
  const tokens = taggedTokens(text)
  const before = tokens.filter((token) => token.end <= mention.start)
  const after = tokens.filter((token) => token.start >= mention.end)
  if (mention.kind !== undefined) vote(votes, mention.kind, WEIGHT.kind)
  if (mention.addressed) vote(votes, 'person', WEIGHT.addressed)
  if (mention.titled) vote(votes, 'publication', WEIGHT.titled)

  // "the trawler Hopeful Margery", "engineer Ann Lee"
  const last = before.at(-1)
  if (last?.pos === 'NOUN' && /\s$/.test(text.slice(0, mention.start)))
    vote(votes, typeOfNoun(last.lemma), WEIGHT.introduced)

  const [next, second] = after
  // "X, a college in Y" and "X is a college"
  if (next?.text === ',' && second !== undefined && /^(?:an?|the|its|his|her)$/i.test(second.text)) {
    vote(votes, typeOfNoun(headNoun(after.slice(1)) ?? ''), WEIGHT.explained)
  } else if (next !== undefined && /^(?:is|was|are|were)$/.test(next.text) && second?.pos === 'DET') {
    vote(votes, typeOfNoun(headNoun(after.slice(1)) ?? ''), WEIGHT.explained)
  } else if (next?.text === ',' && second?.text === 'who') vote(votes, 'person', WEIGHT.explained)
  const verb = after.find((token) => token.pos !== 'AUX' && token.pos !== 'ADV')
  if (verb?.pos === 'VERB') {
    vote(votes, SUBJECT_VERBS.find(([pattern]) => pattern.test(verb.lemma))?.[1] ?? null, WEIGHT.verb)
  }
  const lead = text.slice(0, mention.start)
  if (/\b(?:in|near|at|from|off)\s+$/.test(lead)) vote(votes, 'place', WEIGHT.preposition)
  if (/\b(?:aboard|on board)\s+$/.test(lead)) vote(votes, 'vessel', WEIGHT.introduced)
  if (/\b(?:wrote|published|edited|translated|author of)\s+$/.test(lead)) vote(votes, 'publication', WEIGHT.introduced)
  if (/^,? (?:is|was|were) (?:[\p{Ll}]+ )?(?:written|published|edited|translated)\b/u.test(text.slice(mention.end)))
    vote(votes, 'publication', WEIGHT.introduced)
  if (/\b(?:signed|ratified|negotiated)\s+(?:the\s+)?$/.test(lead)) vote(votes, 'agreement', WEIGHT.introduced)
  if (/\b(?:sailed|commanded|skippered|launched|steered|boarded)\s+(?:the\s+)?$/.test(lead))
    vote(votes, 'vessel', WEIGHT.verb)
}

/** What a profile may call our types; the first one that it lists is used. */
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
