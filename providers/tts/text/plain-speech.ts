/**
 * Text as a synthesizer that knows only ASCII must be given it, without a changed meaning: signs, fractions, powers, amounts and Greek letters
 * become words before accents are dropped, so that −3 does not turn into 3 nor 10³ into 103.
 */

const GREEK =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega'.split(
    ' ',
  )
const FIRST_GREEK = 'α'.codePointAt(0)!

const FRACTIONS: Readonly<Record<string, string>> = {
  '½': 'one half',
  '⅓': 'one third',
  '⅔': 'two thirds',
  '¼': 'one quarter',
  '¾': 'three quarters',

  '⅕': 'one fifth',
  '⅖': 'two fifths',
  '⅗': 'three fifths',
  '⅘': 'four fifths',
  '⅙': 'one sixth',
  '⅚': 'five sixths',
  '⅛': 'one eighth',
  '⅜': 'three eighths',
  '⅝': 'five eighths',
  '⅞': 'seven eighths',
}
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'
const MICRO_UNITS: Readonly<Record<string, string>> = {
  m: 'micrometers',
  s: 'microseconds',
  g: 'micrograms',
  l: 'microliters',
  L: 'microliters',
  A: 'microamperes',
  V: 'microvolts',
  W: 'microwatts',
  M: 'micromolar',
}
const CURRENCIES: Readonly<Record<string, string>> = {
  '€': 'euros',
  '£': 'pounds',
  '¥': 'yen',
  '₹': 'rupees',
  '₽': 'rubles',
  '₩': 'won',
  '₺': 'lira',
  '₪': 'shekels',
  '₿': 'bitcoins',
}
const AMOUNT = String.raw`\d[\d.,]*\d|\d`
const SIGN = Object.keys(CURRENCIES).join('')

const power = (superscript: string): string => {
  const digits = Array.from(superscript)
    .map((sign) => (sign === '⁻' ? '-' : SUPERSCRIPTS.indexOf(sign)))
    .join('')
  if (digits === '2') return ' squared '
  if (digits === '3') return ' cubed '
  return ` to the power of ${digits.replace('-', 'minus ')} `
}

type Rule = readonly [RegExp, string | ((...parts: string[]) => string)]

/** In this order: a rule may rely on those before it. */
const SPOKEN: readonly Rule[] = [
  [/[\u2018\u2019\u201a\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u00ab\u00bb\u2033]/g, '"'],
  [/\u2026/g, '...'],
  // A run of signs means no more than three of them, and the synthesizer fails on thousands.
  [/([.!?,;:-])\1{3,}/g, '$1$1$1'],
  [/\bhttps?:\/\/(?:www\.)?(\S+?)(?=[.,;:!?)\]]*(?:\s|$))/g, (_, address: string) => spokenAddress(address)],
  [/\b([A-G])#/g, '$1 sharp'],
  [/([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/g, (_, superscript: string) => power(superscript)],
  [/(\d)\s?([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])/g, (_, whole: string, part: string) => `${whole} and ${FRACTIONS[part]} `],
  [/[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]/g, (part: string) => `${FRACTIONS[part]} `],
  [/[\u00b5\u03bc]([msglLAVWM])\b/g, (_, unit: string) => ` ${MICRO_UNITS[unit]}`],
  [
    new RegExp(`([${SIGN}])\\s?(${AMOUNT})(\\s(?:thousand|million|billion|trillion)\\b)?`, 'g'),
    (_, sign: string, amount: string, scale?: string) => `${amount}${scale ?? ''} ${CURRENCIES[sign]}`,
  ],
  [new RegExp(`[${SIGN}]`, 'g'), (sign: string) => ` ${CURRENCIES[sign]}`],
  // A dash between figures is a range, a minus before a figure is its sign, every other dash is a pause.
  [/(\d)\s?\u2013\s?(?=\d)/g, '$1 to '],
  [/(^|[\s(=<>≤≥,:/])[\u2212\u2013](?=[\d.])/g, '$1minus '],
  [/\s*\u2212\s*/g, ' minus '],
  [/\s*[\u2013\u2014]\s*/g, ', '],
  [/°\s?C\b/g, ' degrees Celsius'],
  [/°\s?F\b/g, ' degrees Fahrenheit'],
  [/°/g, ' degrees '],
  [/×/g, ' times '],
  [/÷/g, ' divided by '],
  [/±/g, ' plus or minus '],
  [/≤/g, ' is at most '],
  [/≥/g, ' is at least '],
  [/≠/g, ' is not equal to '],
  [/[≈≃∼]/g, ' is about '],
  [/(?<=[\w)])\s<\s(?=[\w(.])/g, ' is less than '],
  [/(?<=[\w)])\s>\s(?=[\w(.])/g, ' is greater than '],
  [/(?<=[\w)])\s=\s(?=[\w(.-])/g, ' equals '],
  [/√/g, ' the square root of '],
  [/∞/g, ' infinity '],
  [/→/g, ' to '],
  [/[α-ωΑ-Ω]+/g, (letters: string) => ` ${Array.from(letters).map(greekName).join(' ')} `],
  [/ß/g, 'ss'],
  [/[æÆ]/g, 'ae'],
  [/[œŒ]/g, 'oe'],
  [/[øØ]/g, 'o'],
  [/[łŁ]/g, 'l'],
  [/[ðÐđĐ]/g, 'd'],
  [/þ/g, 'th'],
  [/Þ/g, 'Th'],
  [/ı/g, 'i'],
]

const greekName = (letter: string): string => GREEK[letter.toLowerCase().codePointAt(0)! - FIRST_GREEK] ?? letter

/** An address without its scheme, its signs in words. */
function spokenAddress(address: string): string {
  const signs: Record<string, string> = {
    '.': 'dot',
    '/': 'slash',
    '?': 'question mark',
    '=': 'equals',
    '&': 'and',
    '-': 'dash',
    _: 'underscore',
  }
  return address.replace(/\/$/, '').replace(/[./?=&_-]/g, (sign) => ` ${signs[sign]} `)
}

/** Speech markup, of which only the words are spoken. */
const withoutSpeechMarkup = (text: string): string =>
  /^\s*<speak[\s>]/.test(text) ? text.replace(/<break\b[^>]*>/g, ', ').replace(/<[^<>]{1,500}>/g, ' ') : text

/** The text without what is written for the eye: speech markup, markdown emphasis, code fences, heading and list signs, link targets and emoji. */
export function withoutMarkup(text: string): string {
  return withoutSpeechMarkup(text)
    .replace(/```[^\n]*\n?/g, '')
    .replace(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|[-*+>])[ \t]+/gm, '')
    .replace(/(\*\*|__|~~|`)(?=\S)(.+?)\1/g, '$2')
    .replace(/(?<![\w*])[*_](?=\S)([^*_\n]+?)[*_](?![\w*])/g, '$1')
    .replace(/\p{Extended_Pictographic}(?:\u200d\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)*/gu, '')
    .replace(/[ \t]+/g, ' ')
    .trim()
}

/** The text in plain ASCII, signs in words and accents dropped; letters of other scripts are left out, see `unspokenLetters`. */
export function toAscii(text: string): string {
  return inLatin(text)
    .replace(/[^\x20-\x7e]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .replace(/ ([,;:!?]|\.(?!\.))/g, '$1')
    .trim()
}

/** Counts the letters and digits of the text that an English voice leaves out because it has no sound for them. */
export const unspokenLetters = (text: string): number =>
  inLatin(text)
    .match(/[^\x00-\x7f]/gu)
    ?.filter((sign) => /[\p{L}\p{N}]/u.test(sign)).length ?? 0

function inLatin(text: string): string {
  let plain = text.normalize('NFC')
  for (const [sign, words] of SPOKEN)
    plain = typeof words === 'string' ? plain.replace(sign, words) : plain.replace(sign, words)
  return plain.normalize('NFKD').replace(/\p{M}/gu, '')
}

/** Returns true when English voices can speak anything of it: a Latin letter or a digit is left of it. */
export function isSpeakable(text: string): boolean {
  return /[A-Za-z0-9]/.test(toAscii(text))
}
