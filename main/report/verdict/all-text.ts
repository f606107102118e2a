// Where a collection is smaller than the context budget, approaches hand over all of it: they have nothing to choose, and no question can separate them.
import { countWords } from '../../../contract/words.ts'
import { allOf } from './amounts.ts'
import type { Facts } from './facts.ts'

/** Amounts that differ by less are the same text with another framing. */
const SAME_SHARE = 0.02
/** An approach that chooses fills its budget further than this. */
const FILLED_SHARE = 0.8

export interface AllText {
  /** Approaches that handed over the most, of all that are compared. */
  approaches: number
  of: number
  tokens: number
  budget: number
}

const isSame = (a: number, b: number): boolean => Math.abs(a - b) <= SAME_SHARE * Math.max(a, b)

/**
 * Most approaches handed over one amount of text, to every question and well below the budget: all that there is. Null where they chose, and where the run
 * had no budget or does not record amounts.
 */
export function allTextOf({ aggregate, standings }: Facts): AllText | null {
  const budget = aggregate.reproducibility?.runtime.context_budget
  if (budget === undefined) return null
  const compared = aggregate.approaches.filter(({ model }) => standings.some((each) => each.model === model))
  const known = compared.flatMap(({ context_tokens: tokens }) => (tokens === null ? [] : [tokens]))
  const most = Math.max(0, ...known.map(({ median }) => median))
  const whole = known.filter(({ median, mean }) => isSame(median, most) && isSame(mean, most))
  if (most === 0 || most > FILLED_SHARE * budget || whole.length < 2 || 2 * whole.length <= compared.length) return null
  return { approaches: whole.length, of: compared.length, tokens: Math.round(most), budget }
}

/** `6 of 7 approaches handed over the same 247 tokens to every question, less than the context budget of 2 000: probably all the text there is`. */
export const allTextWords = ({ approaches, of, tokens, budget }: AllText): string => {
  const whose = approaches === of ? allOf(of) : `${countWords(approaches)} of ${countWords(of)} approaches`
  return `${whose} handed over the same ${countWords(tokens)} tokens to every question, less than the context budget of ${countWords(budget)}: probably all the text there is`
}
