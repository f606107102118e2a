import { rounded } from '../lib/numbers.ts'

/** Every number of a figure with six significant digits, so that equal verdicts give equal bytes on every machine. */
export function roundedDeep<Value>(value: Value): Value {
  if (typeof value === 'number') return rounded(value) as Value
  if (Array.isArray(value)) return value.map(roundedDeep) as Value
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, roundedDeep(member as unknown)])
  return Object.fromEntries(members) as Value
}
