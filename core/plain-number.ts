/** Which numbers are accepted: whole ones only, or also those with a fraction. */
export type NumberKind = 'whole' | 'decimal'

const FORMS: Readonly<Record<NumberKind, RegExp>> = { whole: /^-?\d+$/, decimal: /^-?\d+(\.\d+)?$/ }

/**
 * The number that a person typed, for options and variables alike; null for every other text, also for those that JavaScript takes for a
 * number: `1e1`, `0x10`, `5.0` where a whole number is expected, blanks around it, and a whole number too large to be exact.
 */
export function plainNumber(text: string, kind: NumberKind): number | null {
  if (!FORMS[kind].test(text)) return null
  const value = Number(text)
  return kind === 'whole' && !Number.isSafeInteger(value) ? null : value
}
