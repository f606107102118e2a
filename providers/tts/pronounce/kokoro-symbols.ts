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
 * A word's phones in ARPABET, the stress behind each vowel as in `R EH1 K ER0 D`, in the symbols that Kokoro was trained on: IPA with one letter
 * for each diphthong, the mark of stress before its vowel. Throws for a phone that ARPABET does not have.
 */
export function kokoroSymbols(phones: readonly string[], stressed = true): string {
  return phones
    .map((phone) => {
      const name = phone.replace(/\d$/, '')
      const stress = phone.slice(name.length)
      const symbol = (stress === '0' ? UNSTRESSED[name] : undefined) ?? SYMBOLS[name]
      if (symbol === undefined) throw new Error(`"${phone}" is no phone of ARPABET`)
      return (stressed ? (STRESS_MARKS[stress] ?? '') : '') + symbol
    })
    .join('')
}
