import { learnLetterSounds } from './letter-sounds.ts'

const VOICELESS = new Set(['P', 'T', 'K', 'F', 'TH'])
const SIBILANT = new Set(['S', 'Z', 'SH', 'ZH', 'CH', 'JH'])
/** Shorter words are mostly abbreviations, which teach nothing of spelling. */
const TEACHING_WORD = /^[a-z]{3,}$/

/** The first pronunciation of each word of a dictionary: lines of a word, or `word(2)` for a further one, and its phones. */
export function readDictionary(text: string): Map<string, string[]> {
  const known = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [name = '', ...phones] = line.trim().split(/\s+/)
    const word = name.replace(/\(\d+\)$/, '')
    if (phones.length > 0 && !known.has(word)) known.set(word, phones)
  }
  return known
}

/** Pronunciations of the words that a dictionary does not hold: of a possessive by its stem, of any other by the spelling of the known ones. */
export function addedEntries(
  known: ReadonlyMap<string, readonly string[]>,
  words: ReadonlySet<string>,
): Map<string, readonly string[]> {
  const unknown = [...words].filter((word) => !known.has(word))
  const added = new Map<string, readonly string[]>()
  if (unknown.length === 0) return added
  const spelling = learnLetterSounds([...known].filter(([word]) => TEACHING_WORD.test(word)))
  for (const word of unknown) {
    const stem = /^(.+)'s$/.exec(word)?.[1]
    const phones = known.get(stem ?? word) ?? spelling.phonesOf(stem ?? word)
    if (phones.length > 0) added.set(word, stem === undefined ? phones : [...phones, ...possessive(phones.at(-1)!)])
  }
  return added
}

function possessive(last: string): string[] {
  if (SIBILANT.has(last)) return ['IH', 'Z']
  return [VOICELESS.has(last) ? 'S' : 'Z']
}
