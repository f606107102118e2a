import { numberWords } from './number-words.ts'

/** Signs that are said. */
const SIGNS: Readonly<Record<string, string>> = {
  '%': 'percent',
  '&': 'and',
  '°': 'degrees',
  '+': 'plus',
  $: 'dollars',
  '€': 'euros',
  '£': 'pounds',
}
/** A word, a number or a said sign; everything else only parts them. */
const TOKEN = /\p{L}+(?:['’]\p{L}+)*|\d+(?:,\d{3})*(?:\.\d+)?(?:st|nd|rd|th|s)?(?![\p{L}\d])|\d+|[%&°+$€£]/gu

/** How the words of a text are said: sentence by sentence, in lower case, numbers and codes written out. */
export function spokenSentences(text: string): string[][] {
  return text
    .replace(/```[\s\S]*?```|https?:\/\/\S+/g, '\n\n')
    .split(/\n\s*\n|\n(?=\s*(?:[-*#|>]|\d+\.\s))|(?<=[.!?…:;]["”’)\]]?)\s+/u)
    .map((sentence) => (sentence.match(TOKEN) ?? []).flatMap(said))
    .filter((words) => words.length > 0)
}

function said(token: string): string[] {
  const sign = SIGNS[token]
  if (sign !== undefined) return [sign]
  const number = numberWords(token)
  if (number !== null) return number
  // Capitals that make no word are said letter by letter.
  if (/^[A-Z]{2,}$/.test(token) && (token.length <= 3 || !/[AEIOUY]/.test(token)))
    return Array.from(token.toLowerCase(), (letter) => `${letter}.`)
  const word = token.toLowerCase().replaceAll('’', "'").normalize('NFKD').replace(/\p{M}/gu, '')
  // A letter of a code, such as the E of E-4417, is said by its name; `a` and `i` are words.
  return [/^[b-hj-z]$/.test(word) ? `${word}.` : word]
}
