import { toAscii } from '../text/plain-speech.ts'
import { WordPhones, type SpellingReader } from './word-phones.ts'

/** Turns written text into words: numbers, dates, amounts and abbreviations written out. */
export interface TextReader extends SpellingReader {
  wordsOf(text: string, signal: AbortSignal): Promise<string[]>
}

/** Words that bear no stress in running speech. */
const WEAK = new Set(
  (
    'a an the and or but nor of to in on at for from with by as than if is are was were be been am do does did have has had can could ' +
    'will would shall should may might must it its he she they we you him her them us me my your his our their'
  ).split(' '),
)
/** Ends of a stretch that is spoken in one breath. A full stop counts at the end only: one sentence is given, any other is an abbreviation's. */
const BREAK = /((?<![,;:!?])[,;:!?]+(?=\s|$)|(?<!\.)\.+(?=\s*$))/
const PLAIN = /^[A-Za-z' -]*$/
const VOWEL_SOUND = /^[ˈˌ]?[ɑæʌɔWIɛɜAɪiOYʊuə]/

/**
 * English sentences in the symbols that Kokoro reads, American pronunciation. Words come from the CMU dictionary; everything written otherwise
 * than as words, and words that it does not have, from `reader`.
 */
export class Pronouncer {
  readonly #reader: TextReader
  readonly #phones: WordPhones

  constructor(reader: TextReader) {
    this.#reader = reader
    this.#phones = new WordPhones(reader)
  }

  /** One sentence; empty when nothing in it can be spoken. */
  async symbols(sentence: string, signal: AbortSignal): Promise<string> {
    const parts = toAscii(sentence)
      .replace(/["()[\]{}]/g, ' ')
      .split(BREAK)
    let spoken = ''
    for (const [i, part] of parts.entries()) {
      // Stretches of words and what breaks them take turns.
      if (i % 2 === 1) spoken += spoken === '' ? '' : part[0]!
      else {
        const words = await this.#words(part, signal)
        if (words !== '') spoken += (spoken === '' ? '' : ' ') + words
      }
    }
    return spoken
  }

  async #words(stretch: string, signal: AbortSignal): Promise<string> {
    const words = PLAIN.test(stretch) ? stretch.split(/\s+/) : await this.#reader.wordsOf(stretch, signal)
    const spoken: string[] = []
    // From the end, because `the` sounds as what follows it begins.
    words.reverse()
    for (const [i, word] of words.entries()) {
      const bare = word.replace(/^[^A-Za-z]+|(?<![^A-Za-z'])[^A-Za-z']+$/g, '')
      if (bare === '') continue
      const lower = bare.toLowerCase()
      const beforeVowel = VOWEL_SOUND.test(spoken.at(-1) ?? '')
      if (lower === 'the') spoken.push(beforeVowel ? 'ði' : 'ðə')
      else
        spoken.push(
          kokoroSymbols(await this.#phones.of(bare, words[i + 1]?.toLowerCase() ?? null, signal), !WEAK.has(lower)),
        )
    }
    return spoken.reverse().join(' ')
  }
}

/** Kokoro's symbols for the phones of ARPABET. Vowels with a stress of their own are below. */
const SYMBOLS: Readonly<Record<string, string>> = {
  AA: 'ɑ',
  AE: 'æ',
  AH: 'ʌ',
  AO: 'ɔ',
  AW: 'W',
  AY: 'I',
  B: 'b',
  CH: 'ʧ',
  D: 'd',
  DH: 'ð',
  EH: 'ɛ',
  ER: 'ɜɹ',
  EY: 'A',
  F: 'f',
  G: 'ɡ',
  HH: 'h',
  IH: 'ɪ',
  IY: 'i',
  JH: 'ʤ',
  K: 'k',
  L: 'l',
  M: 'm',
  N: 'n',
  NG: 'ŋ',
  OW: 'O',
  OY: 'Y',
  P: 'p',
  R: 'ɹ',
  S: 's',
  SH: 'ʃ',
  T: 't',
  TH: 'θ',
  UH: 'ʊ',
  UW: 'u',
  V: 'v',
  W: 'w',
  Y: 'j',
  Z: 'z',
  ZH: 'ʒ',
}
const UNSTRESSED: Readonly<Record<string, string>> = { AH: 'ə', ER: 'əɹ' }
const STRESS_MARKS: Readonly<Record<string, string>> = { 1: 'ˈ', 2: 'ˌ' }

/**
 * A word's phones in ARPABET, the stress after each vowel as in `R EH1 K ER0 D`, in the symbols that Kokoro was trained on: IPA with one letter
 * for each diphthong, the mark of stress before its vowel. Throws for a phone that ARPABET does not have.
 */
export function kokoroSymbols(phones: readonly string[], stressed = true): string {
  return phones
    .map((phone) => {
      const name = phone.replace(/\d$/, '')
      const stress = phone.slice(name.length)
      const symbol = (stress === '0' ? UNSTRESSED[name] : undefined) ?? SYMBOLS[name]
      if (symbol === undefined) throw new Error(`"${phone}" is not an ARPABET phone`)
      return (stressed ? (STRESS_MARKS[stress] ?? '') : '') + symbol
    })
    .join('')
}
