// Where a collection is smaller than the context budget, approaches hand over all of it: they have nothing to choose, and no question can separate them.
import { countWords } from '../../../contract/words.ts'
import { allOf } from './amounts.ts'
import type { Facts } from './facts.ts'

/** Amounts that differ by less are the same text with another framing. */
const SAME_SHARE = 0.02
/** An approach that chooses fills its budget further than this. */
const FILLED_SHARE = 0.8

export interface AllText {
  /** Approaches that handed it over, of all that are compared. */
  approaches: number
  of: number
  tokens: number
  budget: number
}

const isSame = (a: number, b: number): boolean => Math.abs(a - b) <= SAME_SHARE * Math.max(a, b)

/**
 * Two approaches or more handed over one amount of text to every question, and none comes near the budget that it was to fill: that amount is all that there is. Others
 * hand over less where they stop early, or more where they add to the passages. Null where approaches chose, and where the run had no budget or does not record amounts.
 */
export function allTextOf({
  aggregate,
  standings,
}: Pick<Facts, 'aggregate'> & { standings: readonly { model: string }[] }): AllText | null {
  const budget = aggregate.reproducibility?.runtime.context_budget
  if (budget === undefined) return null
  const compared = aggregate.approaches.filter(({ model }) => standings.some((each) => each.model === model))
  const known = compared.flatMap(({ context_tokens: tokens }) => (tokens === null ? [] : [tokens]))
  if (known.some(({ median }) => median > FILLED_SHARE * budget)) return null
  const constant = known.flatMap(({ median, mean }) => (median > 0 && isSame(median, mean) ? [median] : []))
  const shared = constant
    .toSorted((a, b) => b - a)
    .map((most) => constant.filter((amount) => isSame(amount, most)))
    .find(({ length }) => length > 1)
  if (shared === undefined) return null
  return { approaches: shared.length, of: compared.length, tokens: Math.round(Math.max(...shared)), budget }
}

/** `6 of 7 approaches handed over the same 247 tokens to every question, less than the context budget of 2 000: probably all the text there is`. */
export const allTextWords = ({ approaches, of, tokens, budget }: AllText): string => {
  const whose = approaches === of ? allOf(of) : `${countWords(approaches)} of ${countWords(of)} approaches`
  return `${whose} handed over the same ${countWords(tokens)} tokens to every question, less than the context budget of ${countWords(budget)}: probably all the text there is`
}
