/** A cell as the spreadsheet library reads it: kind, stored value, what the library would show, and its number format. */
export interface SpreadsheetCell {
  t?: string
  v?: string | number | boolean | Date | null
  w?: string
  z?: number | string
}

/** The library's formatter; it throws on formats that it does not know. */
export type FormatNumber = (format: string, value: number, options: { date1904: boolean }) => string

export interface ShownCell {
  text: string
  /** False where the format could not be applied, and the text is the plain date, share or number. */
  isFormatted: boolean
}

/** Formats that each country shows differently, with a year of two digits: dates are written in full. */
const OF_THE_COUNTRY: Readonly<Record<string, string>> = {
  'm/d/yy': 'yyyy-mm-dd',
  'm/d/yy h:mm': 'yyyy-mm-dd hh:mm',
}

/** Returns what a spreadsheet program shows in a cell, with all digits of a number. The one place that knows what the library's formatter cannot do. */
export function cellText({ t, v, w, z }: SpreadsheetCell, format: FormatNumber, date1904 = false): ShownCell {
  if (t !== 'n' || typeof v !== 'number' || typeof z !== 'string')
    return { text: w ?? (v === undefined || v === null ? '' : String(v)), isFormatted: true }
  if (z === '' || /^general$/i.test(z)) return { text: allDigits(v), isFormatted: true }
  const pattern = OF_THE_COUNTRY[z] ?? z
  const options = { date1904 }
  try {
    const { known, percent } = knownFormat(pattern)
    return { text: format(known, v, options).replaceAll('%', percent), isFormatted: true }
  } catch {
    const kind = kindOf(tokensOf(pattern))
    const plain = kind === 'date' ? format('yyyy-mm-dd hh:mm:ss', v, options).replace(' 00:00:00', '') : null
    return { text: plain ?? (kind === 'share' ? `${allDigits(v * 100)}%` : allDigits(v)), isFormatted: false }
  }
}

/** Excel computes with 15 digits; what lies beyond is noise of the computer's arithmetic. */
const allDigits = (value: number): string => String(Number(value.toPrecision(15)))

const tokensOf = (pattern: string): string[] =>
  pattern.match(/"[^"]*"?|[\\_*].|\[[^\]]*\]|General|AM\/PM|A\/P|./gsu) ?? []

function kindOf(tokens: readonly string[]): 'date' | 'share' | 'number' {
  if (tokens.some((token) => /^[ymdhs]$|^\[[hms]+\]$/i.test(token))) return 'date'
  return tokens.includes('%') ? 'share' : 'number'
}

/** Matches what the formatter takes as it is. */
const KNOWN = /^(?:"[^"]*"|[\\_*].|\[[^\]]*\]|General|AM\/PM|A\/P|[\s\d,$+/():!^&'~{}<>=€#?.%@;-])$/is
const KNOWN_LETTER = { date: /^[ymdhsbeg]$/i, number: /^E$/i, share: /^E$/i }

/**
 * A format in the terms of the formatter. It stops at letters of other languages, at points between parts of a date and at a space before a percent
 * sign: the first two are quoted, the space is put back afterwards.
 */
function knownFormat(pattern: string): { known: string; percent: string } {
  const tokens = tokensOf(pattern)
  const kind = kindOf(tokens)
  const isDate = kind === 'date'
  let percent = '%'
  const known = tokens.map((token, index) => {
    const next = tokens.slice(index + 1).find((each) => !isSpace(each))
    if (isSpace(token) && next === '%' && !isDate) {
      percent = ' %'
      return ''
    }
    if (token === '.' && isDate && tokens[index + 1] !== '0') return '"."'
    return KNOWN.test(token) || KNOWN_LETTER[kind].test(token) ? token : `"${token}"`
  })
  return { known: known.join(''), percent }
}

const isSpace = (token: string): boolean => /^(?:[\\_]?\s|_.|"\s*")$/su.test(token)
