/** A list writes its numbers in one of these ways. In Office z is followed by aa, bb, cc, in HTML by aa, ab, ac. */
export type NumberStyle =
  | 'decimal'
  | 'paddedDecimal'
  | 'ordinal'
  | 'lowerRoman'
  | 'upperRoman'
  | `${'lower' | 'upper'}Letter${'' | 'Html'}`

export function numeral(number: number, style: NumberStyle): string {
  if (style.startsWith('upper')) return numeral(number, style.replace('upper', 'lower') as NumberStyle).toUpperCase()
  if (number >= 1) {
    if (style === 'lowerLetterHtml') return htmlLetters(number)
    if (style === 'lowerLetter' && number <= MOST_LETTERS)
      return LETTERS[(number - 1) % 26]!.repeat(Math.ceil(number / 26))
    if (style === 'lowerRoman' && number < 4000) return roman(number)
  }
  if (style === 'ordinal') return `${number}${ORDINALS[ENDINGS.select(number)] ?? 'th'}`
  return style === 'paddedDecimal' ? String(number).padStart(2, '0') : String(number)
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
/** Longer repetitions are not numbers that a person wrote. */
const MOST_LETTERS = 26 * 30
const ENDINGS = new Intl.PluralRules('en', { type: 'ordinal' })
const ORDINALS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }

const htmlLetters = (number: number): string =>
  number <= 0 ? '' : htmlLetters(Math.floor((number - 1) / 26)) + LETTERS[(number - 1) % 26]!

const ROMANS = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
] as const

function roman(number: number): string {
  let rest = number
  return ROMANS.map(([value, letters]) => {
    const count = Math.floor(rest / value)
    rest %= value
    return letters.repeat(count)
  }).join('')
}
