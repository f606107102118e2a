/** Reads words that no dictionary has, by rules of spelling. */
export interface SpellingReader {
  /** Phones of one word in lower case, `ax` for the reduced vowel, without stress. */
  phonesOf(word: string, signal: AbortSignal): Promise<string[]>
}

const VOICELESS = new Set(['P', 'T', 'K', 'F', 'TH'])
const SIBILANT = new Set(['S', 'Z', 'SH', 'ZH', 'CH', 'JH'])
const VOWEL = /^(?:aa|ae|ah|ao|aw|ax|ay|eh|er|ey|ih|iy|ow|oy|uh|uw)$/
const KEPT_READINGS = 2000

/** Phones of single words in ARPABET with stress: from the CMU dictionary, else by rules of spelling. */
export class WordPhones {
  readonly #spelling: SpellingReader
  readonly #read = new Map<string, string[]>()
  #dictionary: Promise<Readonly<Record<string, string>>> | null = null

  constructor(spelling: SpellingReader) {
    this.#spelling = spelling
  }

  /** `word` in the writer's own letters: capitals mark what is spelled out. `before` is the word before it, in lower case. */
  async of(word: string, before: string | null, signal: AbortSignal): Promise<readonly string[]> {
    // Loaded by the first word that is asked for: an object of 135,000 entries.
    this.#dictionary ??= import('cmu-pronouncing-dictionary').then(({ dictionary }) => dictionary)
    const dictionary = await this.#dictionary
    const known = lookUp(dictionary, word.toLowerCase(), before)
    if (known !== null) return known
    if (isSpelledOut(word))
      return Array.from(word.toLowerCase()).flatMap(
        (letter) => lookUp(dictionary, letter === 'a' ? 'a(2)' : letter, null) ?? [],
      )
    const parts = word.split('-').filter((part) => part !== '')
    if (parts.length > 1) return (await Promise.all(parts.map((part) => this.of(part, null, signal)))).flat()
    return this.#spelled(word.toLowerCase(), signal)
  }

  async #spelled(word: string, signal: AbortSignal): Promise<string[]> {
    const known = this.#read.get(word)
    if (known !== undefined) return known
    const phones = withStress(await this.#spelling.phonesOf(word, signal))
    if (this.#read.size >= KEPT_READINGS) this.#read.delete(this.#read.keys().next().value!)
    this.#read.set(word, phones)
    return phones
  }
}

/** The dictionary's pronunciation, also of a possessive of which it has only the stem; null for a word that it does not have. */
function lookUp(
  dictionary: Readonly<Record<string, string>>,
  word: string,
  before: string | null,
): readonly string[] | null {
  const names = [word, `${word}(2)`, `${word}(3)`].filter((name) => Object.hasOwn(dictionary, name))
  if (names.length > 0)
    return fittingStress(
      names.map((name) => dictionary[name]!.split(' ')),
      before,
    )
  const stem = /^(.+?)'s?$/.exec(word)?.[1]
  if (stem === undefined || !Object.hasOwn(dictionary, stem)) return null
  const phones = dictionary[stem]!.split(' ')
  if (word.endsWith("'")) return phones
  const last = phones.at(-1)!
  return [...phones, ...(SIBILANT.has(last) ? ['IH0', 'Z'] : VOICELESS.has(last) ? ['S'] : ['Z'])]
}

/** Capitals that make no word: `XKR`, `HTTP`. Longer ones with a vowel are spoken as a word. */
function isSpelledOut(word: string): boolean {
  return /^[A-Z]{2,}$/.test(word) && (word.length <= 3 || !/[AEIOUY]/.test(word))
}

/** Rules of spelling give no stress: it goes to the first full vowel. */
function withStress(phones: readonly string[]): string[] {
  const first = phones.findIndex((phone) => VOWEL.test(phone) && phone !== 'ax')
  return phones.map((phone, i) => {
    if (!VOWEL.test(phone)) return phone.toUpperCase()
    return (phone === 'ax' ? 'AH' : phone.toUpperCase()) + (i === first ? '1' : '0')
  })
}

/** Words after which a verb is likely, and words after which a noun is. */
const BEFORE_VERB = new Set(
  "to will would can could may might must shall should not don't didn't won't i you we they who".split(' '),
)
const BEFORE_NOUN = new Set(
  'a an the this these those my your his her its our their each every no any some one of in on by for'.split(' '),
)

/**
 * The pronunciation that fits the word before: English stresses many words of two syllables on the first as nouns and on the last as verbs, such
 * as `record`. The first of them where the word before does not decide, or where they do not differ so.
 */
function fittingStress(variants: readonly (readonly string[])[], before: string | null): readonly string[] {
  const [first] = variants
  if (first === undefined) throw new Error('a word without a pronunciation')
  if (before === null) return first
  const noun = variants.find((phones) => stressedSyllable(phones) === 'first')
  const verb = variants.find((phones) => stressedSyllable(phones) === 'last')
  if (noun === undefined || verb === undefined) return first
  return BEFORE_VERB.has(before) ? verb : BEFORE_NOUN.has(before) ? noun : first
}

/** Which of two syllables bears the stress; null for words of another length. */
function stressedSyllable(phones: readonly string[]): 'first' | 'last' | null {
  const stresses = phones.filter((phone) => /\d$/.test(phone)).map((phone) => phone.at(-1))
  if (stresses.length !== 2) return null
  return stresses[0] === '1' ? 'first' : stresses[1] === '1' ? 'last' : null
}
