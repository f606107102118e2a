import { isCalendarWord } from '../language/dates.ts'
import { isEnglishWord } from '../language/lexicon.ts'
import { namesOf } from '../language/names.ts'
import { sentencesOf } from '../language/sentences.ts'
import type { Sentence } from '../language/sentences.ts'
import { isStopWord } from '../language/stop-words.ts'
import { normalizeWord } from '../language/tokens.ts'
import type { EntityType } from '../../prompts/extract-task.ts'
import { kindOfNamedTerm, NAMED_TERM, termsOfArt } from './terms-of-art.ts'
import { isRole, typeOfNoun, withoutHonorific } from '../language/name-words.ts'

/**
 * A name where it appears in a sentence's plain text. `addressed`: with a form of address such as "Dr". `titled`: set in
 * italics or quotation marks, as titles and ships are. `kind`: the type that its form alone shows, as of a term of art.
 */
export type Mention = {
  name: string
  start: number
  end: number
  addressed: boolean
  titled: boolean
  kind?: EntityType
}

/** A sentence with its mentions in order. */
export type MentionedSentence = { sentence: Sentence; mentions: readonly Mention[] }

const MARKED_TITLE =
  /(?<![\p{L}\p{N}*])\*([^*\n]{3,80})\*(?!\*)|(?<![\p{L}\p{N}_])_([^_\n]{3,80})_|["“]([^"”\n]{3,80})["”]/gu
const NOT_A_NAME =
  /^(?:(?:part|chapter|section|table|figure|side|box|page|volume|appendix|annex|article|item|note|hall|room|draft|plate)\s+(?:[ivxlc]+|\d+|[a-z])|[ivxlc]+|\p{L}|(?:new year|may day|easter|christmas|whitsun|michaelmas)(?:\s+(?:day|eve|sunday|monday))?|god|sir|madam|highness|majesty|excellency|(?:mr|madam|dear)\s\w+|tlp(?:[: ]+(?:clear|white|green|amber|red).*)?|ps|ms|nb|ok|[ap]m|i)$/iu
/** "Dutch", "Norwegian", "Velmaran": what they qualify is the name, if there is one. */
const DEMONYM = /(?:ian|ean|an|ish|ese|ic|ch|er|man|men|woman)$/
/** Letters that a demonym shares with the name of its place. */
const DEMONYM_ROOT = 4

/** What is longer is no sentence: data, or text without punctuation. */
const LONGEST_SENTENCE = 2000

const words = (name: string): string[] => name.split(/[\s-]+/)

const looksLikeTitle = (text: string): boolean => {
  const content = words(text).filter((word) => !isStopWord(normalizeWord(word)))
  return (
    content.length > 0 &&
    /^\p{Lu}/u.test(text) &&
    !/[.!?]$/.test(text) &&
    content.every((word) => /^[\p{Lu}\d]/u.test(word))
  )
}

/** Titles that the Markdown sets apart, found again in the plain text. */
function markedTitles(source: string, sentence: Sentence): Mention[] {
  const raw = source.slice(sentence.start, sentence.end)
  return [...raw.matchAll(MARKED_TITLE)].flatMap((match): Mention[] => {
    const name = (match[1] ?? match[2] ?? match[3])!
      .replace(/\s+/g, ' ')
      .replace(/[,;:]$/, '')
      .trim()
    const start = sentence.text.indexOf(name)
    if (start === -1 || !looksLikeTitle(name)) return []
    return [{ name, start, end: start + name.length, addressed: false, titled: true }]
  })
}

/** "To" and "I" end no name; "Mine" does. */
const isTrailing = (word: string): boolean => isStopWord(normalizeWord(word)) && typeOfNoun(word) === null

/** A run of capitals as a mention: without form of address and without stop words and calendar words at its ends. */
function cleaned(run: { text: string; start: number; end: number }): Mention | null {
  const { name: bare, addressed } = withoutHonorific(run.text)
  let name = bare
  const trailing = /(?<!\s)\s+(\S+)$/
  for (let match = trailing.exec(name); match && isTrailing(match[1]!); match = trailing.exec(name)) {
    name = name.slice(0, match.index)
  }
  const start = run.start + run.text.length - bare.length
  if (NOT_A_NAME.test(name) || words(name).every((word) => isCalendarWord(word) || isStopWord(normalizeWord(word))))
    return null
  return { name, start, end: start + name.length, addressed, titled: false }
}

/** The names of a plain text as mentions. */
export function cleanedMentions(text: string): Mention[] {
  // "Article 2" and "Room 7" count things; codes such as "Tarnflow 200M" keep their number in the name.
  const isCounted = (name: { text: string; end: number }): boolean =>
    isEnglishWord(normalizeWord(name.text)) && /^ \d/.test(text.slice(name.end))
  return namesOf(text)
    .filter((name) => !isCounted(name))
    .map(cleaned)
    .filter((mention) => mention !== null)
}

function mentionsOf(source: string, sentence: Sentence): Mention[] {
  const titles = markedTitles(source, sentence)
  const isFree = (span: { start: number; end: number }): boolean =>
    !titles.some((title) => span.start < title.end && span.end > title.start)
  const runs = joinedCases(sentence.text, cleanedMentions(sentence.text).filter(isFree)).map((run) =>
    withTermHead(sentence.text, run),
  )
  const named = [...titles, ...(isShouted(sentence.text) ? runs.filter(hasRareWord) : runs)]
  const terms = termsOfArt(sentence.text)
    .filter((term) => !named.some((mention) => term.start < mention.end && term.end > mention.start))
    .map(({ text, start, end, kind }): Mention => ({ name: text, start, end, addressed: false, titled: false, kind }))
  return [...named, ...terms].toSorted((a, b) => a.start - b.start)
}

/** In a sentence without lower-case letters capitals mean nothing: "CAUTION: KEEP AWAY FROM HEAT". */
const isShouted = (text: string): boolean =>
  /\p{Lu}{2}/u.test(text) && !/\p{Ll}/u.test(text) && text.trim().includes(' ')
const hasRareWord = ({ name }: Mention): boolean =>
  words(name).every((word) => !isStopWord(normalizeWord(word)) && !isEnglishWord(normalizeWord(word)))

/** The species after the genus: "Paenibacillus larvae". */
const SPECIES = /^ (\p{Ll}{3,}(?:us|a|um|is|ii|ae|ens|or|es|i))(?![\p{L}-])/u

/** A scientific name with its part in lower case; both are words of no English dictionary. */
function withSpecies(text: string, mention: Mention): Mention | null {
  const species = SPECIES.exec(text.slice(mention.end))
  const isGenus = /^\p{Lu}\p{Ll}{2,}$/u.test(mention.name) && !isEnglishWord(normalizeWord(mention.name))
  if (species === null || !isGenus || mention.addressed || isEnglishWord(species[1]!)) return null
  const end = mention.end + species[0].length
  return { ...mention, name: text.slice(mention.start, end), end, kind: 'concept' }
}

/** "Marfan syndrome", "Crohn's disease": a name with the head noun of a term is one name. */
function withTermHead(text: string, mention: Mention): Mention {
  const species = withSpecies(text, mention)
  if (species !== null) return species
  const head = NAMED_TERM.exec(text.slice(mention.end))
  if (head === null || mention.name.includes(' ') || mention.addressed) return mention
  const end = mention.end + head[0].length
  return { ...mention, name: text.slice(mention.start, end), end, kind: kindOfNamedTerm(head[1]!) }
}

/** "Rowe v. Tidewater Holdings": the names of a case's parties are the name of the case. */
function joinedCases(text: string, mentions: readonly Mention[]): Mention[] {
  const joined: Mention[] = []
  for (const mention of mentions) {
    const before = joined.at(-1)
    if (before !== undefined && /^ vs?\. $/.test(text.slice(before.end, mention.start)))
      joined[joined.length - 1] = {
        ...before,
        name: text.slice(before.start, mention.end),
        end: mention.end,
        kind: 'law',
      }
    else joined.push(mention)
  }
  return joined
}

const opensSentence = (sentence: Sentence, mention: Mention): boolean =>
  /(?:^|[.!?:…"“‘(])\s*$/.test(sentence.text.slice(0, mention.start))

/** Cuts a run in which two known names met: "After the Lucy Storm Ann Reed …". */
function splitAtKnownNames(mention: Mention, known: ReadonlySet<string>): Mention[] {
  const parts = mention.name.split(' ')
  const rest = parts.slice(1).join(' ')
  if (/^(?:old|young|little|poor|dear|late)$/i.test(parts[0]!) && known.has(rest)) {
    return [{ ...mention, name: rest, start: mention.start + parts[0]!.length + 1 }]
  }
  if (mention.titled || parts.length < 3 || known.has(mention.name)) return [mention]
  for (let cut = parts.length - 1; cut > 0; cut -= 1) {
    const left = parts.slice(0, cut).join(' ')
    const right = parts.slice(cut).join(' ')
    if (!known.has(left) || !(known.has(right) || [...known].some((name) => name.endsWith(` ${right}`)))) continue
    const middle = mention.start + left.length
    return [
      { ...mention, name: left, end: middle },
      { ...mention, name: right, start: middle + 1 },
    ]
  }
  return [mention]
}

/** Adds the surname that opens a sentence: alone, a capital there shows too little about a dictionary word ("Hale"). */
function withOpeningSurname(
  sentence: Sentence,
  mentions: readonly Mention[],
  surnames: ReadonlySet<string>,
): readonly Mention[] {
  const name = /^\p{Lu}\p{Ll}+/u.exec(sentence.text)?.[0]
  if (name === undefined || !surnames.has(name) || mentions.some((mention) => mention.start < name.length))
    return mentions
  return [{ name, start: 0, end: name.length, addressed: false, titled: false }, ...mentions]
}

/**
 * The names of a text, sentence by sentence. A single capitalized dictionary word, or one that may only be an
 * adjective of nationality, must be met elsewhere as a name to count; headings and cells are where capitals mean least.
 */
export function mentionedSentences(source: string, title: string): MentionedSentence[] {
  const found = sentencesOf(source)
    .filter((sentence) => sentence.kind !== 'heading' && sentence.text.length <= LONGEST_SENTENCE)
    .map((sentence) => ({ sentence, mentions: mentionsOf(source, sentence) }))

  const counts = new Map<string, number>()
  const sure = new Set<string>(namesOf(title).map((name) => name.text))
  for (const { sentence, mentions } of found) {
    for (const mention of mentions) {
      counts.set(mention.name, (counts.get(mention.name) ?? 0) + 1)
      const weak = opensSentence(sentence, mention) || sentence.kind === 'table_row' || sentence.kind === 'list_item'
      if (!weak || mention.titled || mention.addressed || mention.name.includes(' ')) sure.add(mention.name)
    }
  }
  const known = new Set([...counts].filter(([name, count]) => count > 1 || sure.has(name)).map(([name]) => name))
  const partOfLonger = (name: string): boolean =>
    [...sure].some((other) => other !== name && words(other).includes(name))

  const surnames = new Set(
    [...sure].filter((name) => /^\S+(?: \S+){1,2}$/.test(name)).map((name) => words(name).at(-1)!),
  )
  const places = [...known].filter((name) => !name.includes(' ')).map(normalizeWord)
  const isDemonym = (word: string): boolean =>
    /(?:ian|ean|ish|ese|man|men|woman)$/.test(word) ||
    places.some((place) => place !== word && place.startsWith(word.slice(0, Math.max(DEMONYM_ROOT, word.length - 4))))

  const counted = (mention: Mention): boolean => {
    if (mention.kind !== undefined) return true
    if (mention.titled || mention.addressed || mention.name.includes(' ') || /\d/.test(mention.name)) return true
    const word = normalizeWord(mention.name)
    if (/^\p{Lu}{3,}$/u.test(mention.name)) return !isEnglishWord(word) || sure.has(mention.name)
    if (partOfLonger(mention.name)) return true
    if (isRole(word)) return false
    if (isEnglishWord(word)) return sure.has(mention.name) && (counts.get(mention.name) ?? 0) > 1
    return !DEMONYM.test(word) || !isDemonym(word)
  }
  return found.map(({ sentence, mentions }) => ({
    sentence,
    mentions: withOpeningSurname(sentence, mentions, surnames)
      .flatMap((mention) => splitAtKnownNames(mention, known))
      .filter(counted),
  }))
}
