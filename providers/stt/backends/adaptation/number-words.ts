const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const SCALES = [
  [1_000_000_000, 'billion'],
  [1_000_000, 'million'],
  [1000, 'thousand'],
  [100, 'hundred'],
] as const
const ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}
const LONGEST_NUMBER = 12

/** Words of a number in figures, as it is read out: `1,250`, `1853` (a year), `3.5`, `21st`, `1850s`, `007`; null for anything else. */
export function numberWords(figures: string): string[] | null {
  const [, whole, decimals, ending] = /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?(st|nd|rd|th|s)?$/.exec(figures) ?? []
  if (whole === undefined) return null
  const digits = whole.replaceAll(',', '')
  const words = /^0\d|^\d{13}/.test(digits) ? digitByDigit(digits) : spoken(digits, whole.includes(','))
  if (decimals !== undefined) return [...words, 'point', ...digitByDigit(decimals)]
  if (ending === undefined) return words
  return [...words.slice(0, -1), ending === 's' ? plural(words.at(-1)!) : ordinal(words.at(-1)!)]
}

function spoken(digits: string, hasCommas: boolean): string[] {
  if (digits.length > LONGEST_NUMBER) return digitByDigit(digits)
  const value = Number(digits)
  return /^(?:1[1-9]|20)\d\d$/.test(digits) && !hasCommas && value % 1000 >= 10 ? yearWords(value) : cardinal(value)
}

function yearWords(year: number): string[] {
  const [century, rest] = [Math.floor(year / 100), year % 100]
  if (rest === 0) return [...cardinal(century), 'hundred']
  return [...cardinal(century), ...(rest < 10 ? ['oh'] : []), ...cardinal(rest)]
}

function cardinal(value: number): string[] {
  if (value < 20) return [SMALL[value]!]
  if (value < 100) return [TENS[Math.floor(value / 10) - 2]!, ...(value % 10 === 0 ? [] : [SMALL[value % 10]!])]
  const [size, name] = SCALES.find(([scale]) => value >= scale)!
  const rest = value % size
  return [...cardinal(Math.floor(value / size)), name, ...(rest === 0 ? [] : cardinal(rest))]
}

function digitByDigit(digits: string): string[] {
  return Array.from(digits, (digit) => SMALL[Number(digit)]!)
}

function ordinal(word: string): string {
  return ORDINALS[word] ?? (word.endsWith('y') ? `${word.slice(0, -1)}ieth` : `${word}th`)
}

function plural(word: string): string {
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`
}
