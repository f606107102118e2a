import { isEnglishWord } from '../language/lexicon.ts'
import { isRole, typeOfNoun } from '../language/name-words.ts'
import { namesOf } from '../language/names.ts'
import { sentencesOf } from '../language/sentences.ts'
import type { Sentence } from '../language/sentences.ts'
import { isCalendarWord, isStopWord } from '../language/stop-words.ts'
import { normalizeWord } from '../language/tokens.ts'

/** A name where it appears in a sentence's plain text. `addressed`: with a form of address such as "Dr". */
export type Mention = { name: string; start: number; end: number; addressed: boolean }

/** A sentence with its mentions in order. */
export type MentionedSentence = { sentence: Sentence; mentions: readonly Mention[] }

const NOT_A_NAME =
  /^(?:(?:part|chapter|section|table|figure|page|volume|appendix|article|item|note)\s+(?:[ivxlc]+|\d+|[a-z])|[ivxlc]+|\p{L}|tlp(?:[: ]+\w+)?|ps|ms|nb|ok|[ap]m)$/iu
const FORM_OF_ADDRESS =
  /^(?:the\s+)?(?:mr|mrs|ms|miss|dr|prof|professor|sir|dame|lord|capt|captain|judge|herr|frau)\.?\s+(?=\p{Lu})/iu
/** "Norwegian", "Turkish": what they qualify is the name, if there is one. */
const DEMONYM = /(?:ian|ean|ish|ese|man|men|woman)$/

/** A longer text is not a sentence: data, or text without punctuation. */
const LONGEST_SENTENCE = 2000

const words = (name: string): string[] => name.split(/[\s-]+/)
const isGrammar = (word: string): boolean => isCalendarWord(word) || isStopWord(normalizeWord(word))

/** A run of capitals as a mention: without form of address and without stop words at its end ("To" ends no name; "Mine" does). */
function cleaned(run: { text: string; start: number }): Mention | null {
  const address = FORM_OF_ADDRESS.exec(run.text)?.[0] ?? ''
  let name = run.text.slice(address.length)
  for (let last = name.lastIndexOf(' '); last > 0; last = name.lastIndexOf(' ')) {
    const word = name.slice(last + 1)
    if (!isStopWord(normalizeWord(word)) || typeOfNoun(word) !== null) break
    name = name.slice(0, last).trimEnd()
  }
  const start = run.start + address.length
  if (NOT_A_NAME.test(name) || words(name).every(isGrammar)) return null
  return { name, start, end: start + name.length, addressed: address !== '' }
}

/** The names of a plain text as mentions. */
export function cleanedMentions(text: string): Mention[] {
  // In a text without lower-case letters capitals mean nothing: "CAUTION: KEEP AWAY FROM HEAT".
  if (/\p{Lu}{2}/u.test(text) && !/\p{Ll}/u.test(text) && text.trim().includes(' ')) return []
  // "Article 2" and "Room 7" count things; codes such as "Boeing 747B" keep their number in the name.
  const isCounted = (name: { text: string; end: number }): boolean =>
    isEnglishWord(normalizeWord(name.text)) && /^ \d/.test(text.slice(name.end))
  return namesOf(text)
    .filter((name) => !isCounted(name))
    .map(cleaned)
    .filter((mention) => mention !== null)
}

/** Adds the surname that opens a sentence: alone, a capital there shows too little about a dictionary word ("Hale"). */
function withOpeningSurname(
  text: string,
  mentions: readonly Mention[],
  surnames: ReadonlySet<string>,
): readonly Mention[] {
  const name = /^\p{Lu}\p{Ll}+/u.exec(text)?.[0]
  if (name === undefined || !surnames.has(name) || mentions.some(({ start }) => start < name.length)) return mentions
  return [{ name, start: 0, end: name.length, addressed: false }, ...mentions]
}

/**
 * The names of a text, sentence by sentence. A single capitalized dictionary word, or one that may only be an
 * adjective of nationality, must be met elsewhere as a name to count; headings and cells are where capitals mean least.
 */
export function mentionedSentences(source: string, title: string): MentionedSentence[] {
  const found = sentencesOf(source)
    .filter(({ kind, text }) => kind !== 'heading' && text.length <= LONGEST_SENTENCE)
    .map((sentence) => ({ sentence, mentions: cleanedMentions(sentence.text) }))

  const counts = new Map<string, number>()
  const sure = new Set<string>(namesOf(title).map((name) => name.text))
  for (const { sentence, mentions } of found) {
    for (const { name, start, addressed } of mentions) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      const opens = /(?:^|[.!?:…"“‘(])\s*$/.test(sentence.text.slice(0, start))
      if ((!opens && sentence.kind === 'prose') || addressed || name.includes(' ')) sure.add(name)
    }
  }
  const severalWords = [...sure].filter((name) => name.includes(' ')).map(words)
  const parts = new Set(severalWords.flat())
  const surnames = new Set(severalWords.map((name) => name.at(-1)!))
  const counted = ({ name, addressed }: Mention): boolean => {
    if (addressed || /[ \d]/.test(name)) return true
    const word = normalizeWord(name)
    if (/^\p{Lu}{3,}$/u.test(name)) return !isEnglishWord(word) || sure.has(name)
    if (parts.has(name)) return true
    if (isRole(word)) return false
    if (isEnglishWord(word)) return sure.has(name) && (counts.get(name) ?? 0) > 1
    return !DEMONYM.test(word)
  }
  return found.map(({ sentence, mentions }) => ({
    sentence,
    mentions: withOpeningSurname(sentence.text, mentions, surnames).filter(counted),
  }))
}
