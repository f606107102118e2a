// How numbers are written for people, everywhere: command line, reports, charts and pages show each figure in the same words.

/**
 * A duration in the unit that reads best: 4.2 ms, 840 ms, 12.4 s, 3 min 20 s, 2 h 5 min. Rounded before it is split, so that no part reaches
 * 60.
 */
export function durationWords(milliseconds: number): string {
  if (milliseconds < 0.05) return '0 ms'
  if (milliseconds < 9.95) return `${milliseconds.toFixed(1)} ms`
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 99_950) return `${(milliseconds / 1000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const digitGroups = (digits: string): string => digits.replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009')

/** A count with thin spaces between the thousands: 21 420. */
export const countWords = (value: number): string => digitGroups(String(Math.round(value)))

/** `1 question`, `24 questions`; `many` where the plural has another form. */
export const plural = (value: number, noun: string, many = `${noun}s`): string =>
  `${countWords(value)} ${value === 1 ? noun : many}`

/** A score with two decimals and a true minus: 0.83, −0.10; a negative zero is none. */
export function scoreWords(value: number): string {
  const text = value.toFixed(2)
  return text === '-0.00' ? '0.00' : text.replace('-', '−')
}

/** A mean of counts, whole where it is: 3, 4.5, 2.67 with two digits. */
export const meanWords = (value: number, digits = 1): string =>
  Number.isInteger(value) ? countWords(value) : value.toFixed(digits)

/** Things in a second, without the unit: 3.4, 85. */
export const rateWords = (perSecond: number): string => (perSecond < 10 ? perSecond.toFixed(1) : countWords(perSecond))

/** A p-value: 0.23; 0.004 below a hundredth; < 0.001. */
export const pWords = (p: number): string => (p < 0.001 ? '< 0.001' : p < 0.01 ? p.toFixed(3) : p.toFixed(2))

/** A difference with its sign: +0.12, −840 ms; ±0.00 for what rounds to nothing. `write` writes its size. */
export function signedWords(value: number, write: (size: number) => string = scoreWords): string {
  const text = write(Math.abs(value))
  return `${Number.parseFloat(text) === 0 ? '±' : value < 0 ? '−' : '+'}${text}`
}

/** An amount of money, with more digits the smaller it is: 12.40 USD, 0.0042 USD. */
export function amountWords(amount: number, currency: string): string {
  const digits = amount === 0 || amount >= 1 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(amount)))
  return `${amount.toFixed(Math.max(2, digits))} ${currency}`
}

/** `0.0042 USD`; `at least 0.0042 USD` where a part is not known, and `unknown` where nothing is. */
export function costWords({
  amount,
  currency,
  unknown,
}: {
  amount: number
  currency: string
  unknown: readonly string[]
}): string {
  if (unknown.length === 0) return amountWords(amount, currency)
  return amount === 0 ? 'unknown' : `at least ${amountWords(amount, currency)}`
}

/** Bytes in decimal units: 840 B, 12.4 kB, 3.1 MB, 2.05 GB. */
export function bytesWords(value: number): string {
  if (value < 1000) return `${value} B`
  if (value < 1_000_000) return `${(value / 1000).toFixed(1)} kB`
  if (value < 1_000_000_000) return `${(value / 1_000_000).toFixed(1)} MB`
  return `${(value / 1_000_000_000).toFixed(2)} GB`
}

/** An interval with its bounds as `write` writes a value: [0.71, 0.85]. */
export const intervalWords = (
  { low, high }: { low: number; high: number },
  write: (value: number) => string = scoreWords,
): string => `[${write(low)}, ${write(high)}]`

/** What the questions of a dataset decide; null where no two approaches are compared. Differences are shares. */
export function plannedWords({
  pairs,
  alone,
  among,
}: {
  pairs: number
  alone: number | null
  among: number | null
}): string | null {
  if (pairs === 0) return null
  if (alone === null || among === null)
    return 'decides nothing yet: intervals need 8 groups of answerable questions that share no gold document'
  const points = (share: number): number => Math.ceil(Math.min(1, share) * 100)
  const rest = pairs === 1 ? '' : `, of about ${points(among)} in each of ${countWords(pairs)} pairs`
  return `decides a difference of about ${points(alone)} percentage points between two approaches${rest}`
}

/** `3 of 10 pairs of approaches differ significantly (95 %, Holm-corrected)`. `level`: of the intervals, 0 to 1. */
export function decidedPairsWords(decided: number, pairs: number, level: number): string {
  const basis = `${Number((level * 100).toPrecision(4))} %, Holm-corrected`
  return decided === 0
    ? `No pair of approaches differs significantly (${plural(pairs, 'pair')}, ${basis})`
    : `${countWords(decided)} of ${plural(pairs, 'pair')} of approaches ${decided === 1 ? 'differs' : 'differ'} significantly (${basis})`
}

/** Beneath what a rung decides by itself; null for a run of one rung, whose result corrects over the same pairs. */
export const rungPairsWords = (rungs: number): string | null =>
  rungs < 2
    ? null
    : `Decisions of a rung are corrected over its own pairs; the result of the run corrects over the pairs of all rungs as well and may not distinguish a pair that is better or worse here`
