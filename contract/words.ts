// Numbers are written for people by this file, everywhere: command line, reports, charts and pages show each figure in the same words.

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

/** The counts of what happened; all of them where nothing did. */
export function countsAboveZero(counts: Readonly<Record<string, number>>): [name: string, count: number][] {
  const all = Object.entries(counts)
  const some = all.filter(([, count]) => count !== 0)
  return some.length === 0 ? all : some
}

/** Returns what a run hands over for each answer. */
export const contextBudgetWords = (budget: number | null): string =>
  budget === null
    ? 'no context budget: approaches hand over what they are declared to'
    : `context budget of ${countWords(budget)} tokens`

/** `1 question`, `24 questions`; `many` where the plural has another form. */
export const plural = (value: number, noun: string, many = `${noun}s`): string =>
  `${countWords(value)} ${value === 1 ? noun : many}`

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** `a`, `a and b`, `a, b and c`. */
export const listWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`

/** A score with two decimals and a true minus: 0.83, −0.10; a negative zero is none. */
export function scoreWords(value: number): string {
  const text = value.toFixed(2)
  return text === '-0.00' ? '0.00' : text.replace('-', '−')
}

/** Facts found at a point of the budget curve, and the share of questions of which all are found: 0.83 (0.71). */
export const curveWords = ({ found, complete }: { found: number; complete: number }): string =>
  `${scoreWords(found)} (${scoreWords(complete)})`

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

/** The ratio of two times, `× 1.24 [1.10, 1.40]`. */
export const ratioWords = ({ value, low, high }: { value: number; low: number; high: number }): string =>
  `× ${value.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]`

/** Which look at a run its tests are corrected for; null for the one look of a fixed plan. */
export function looksWords({
  plan,
  seen,
}: {
  plan: 'fixed' | 'open'
  seen: readonly { questions: number }[]
}): string | null {
  if (seen.length < 2)
    return plan === 'fixed' ? null : 'questions may be added later, so this first look is tested at 4 %'
  const counts = seen.map(({ questions }) => countWords(questions)).join(', then ')
  return plan === 'fixed'
    ? `the plan was one look and this is look ${seen.length} (${counts} questions): no pair is decided by it`
    : `this is look ${seen.length} (${counts} questions) and its tests are corrected for all ${seen.length}`
}

/** Returns what intervals are about where questions rest on few documents; null where they are about further documents too. */
export const scopeWords = ({
  basis,
  documents = 0,
}: {
  basis: string
  documents?: number | undefined
}): string | null =>
  basis === 'gold_passages'
    ? `tests and intervals are for new questions about ${documents === 1 ? 'this document' : `these ${documents} documents`}, not for other documents`
    : null

/**
 * `3 of 10 tested pairs are decided, 2 equivalent within 10 points, 5 open (95 %, Holm-corrected)`, and how many pairs were not tested. `level`: of
 * the intervals, 0 to 1. Where no pair was tested, nothing is said about differences.
 */
export function testedPairsWords(
  { decided, equivalent, tested, not_tested: rest }: Record<'decided' | 'equivalent' | 'tested' | 'not_tested', number>,
  level: number,
): string {
  if (tested === 0) return rest === 1 ? 'The pair was not tested' : `None of ${plural(rest, 'pair')} was tested`
  const open = tested - decided - equivalent
  const parts = [
    `${countWords(decided)} of ${plural(tested, 'tested pair')} ${decided === 1 ? 'is' : 'are'} decided`,
    ...(equivalent === 0 ? [] : [`${countWords(equivalent)} equivalent`]),
    ...(open === 0 ? [] : [`${countWords(open)} open`]),
    ...(rest === 0 ? [] : [`${countWords(rest)} not tested`]),
  ]
  return `${parts.join(', ')} (${Number((level * 100).toPrecision(4))} %, Holm-corrected)`
}

/** Beneath what a rung decides by itself; null for a run of one rung, whose result corrects over the same pairs. */
export const rungPairsWords = (rungs: number): string | null =>
  rungs < 2
    ? null
    : `Decisions of a dataset are corrected over its own pairs; the verdict of the run corrects over the pairs of all datasets as well and may leave a pair open that is better or worse here`

/** Returns whether a part of the set-up was equal between approaches; null where it is not recorded. */
export const equalWords = (equal: boolean | null): string =>
  equal === null ? 'not recorded' : equal ? 'equal' : 'differs'

/** Said of a dataset before anything is run on it, by its import and by its check. */
export const NO_GOLD = 'no question has gold evidence: retrieval cannot be scored, only answers can'

/** Explains a table of what a run used. */
export const USE_NOTE =
  '≈: some of it is estimated, because the service reports no tokens. ≥: some calls report none. A dash: it is not recorded; documents that an earlier run read are not read again. Times of work side by side are added up.'
