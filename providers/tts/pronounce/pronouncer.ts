import { toAscii } from '../text/plain-speech.ts'
import { kokoroSymbols } from './kokoro-symbols.ts'
import { WordPhones } from './word-phones.ts'
import type { SpellingReader } from './word-phones.ts'

/** What turns written text into words: numbers, dates, amounts and abbreviations written out. */
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
/** Ends of a stretch that is said in one breath. A full stop counts at the end only: one sentence is given, any other is an abbreviation's. */
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

  /** One sentence; empty when nothing in it can be said. */
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
