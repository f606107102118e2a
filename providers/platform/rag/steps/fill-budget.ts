import { packed, tokensOfTexts } from '../../../../contract/evidence/context-budget.ts'
import type { Passage } from '../approach.ts'

/** Tokens of a short chunk: a search for a budget begins with as many chunks as fill it then. */
const SHORT_CHUNK = 100
/** A search that finds this many chunks is not repeated for more. */
const MOST_CHUNKS = 2000

const contentOf = ({ chunk }: Passage): string => chunk.content

/** Returns how many chunks a search of `own` results looks for when a budget is to be filled. */
export const depthFor = (budget: number, own: number): number => Math.max(own, Math.ceil(budget / SHORT_CHUNK))

/** Ranked passages, as far as a budget holds them. */
export const packPassages = (passages: readonly Passage[], budget: number): Passage[] =>
  packed(passages, budget, contentOf, ({ chunk, score }, content) => ({
    score,
    chunk: { ...chunk, content, endChar: Math.min(chunk.endChar, chunk.startChar + content.length) },
  }))

/**
 * The passages of a ranked search that fill a budget, best first: it is asked for more until they do, or nothing more is found. `own` is how many
 * results the search has by its own parameters.
 */
export async function fillBudget(
  budget: number,
  own: number,
  search: (limit: number) => Promise<Passage[]>,
): Promise<Passage[]> {
  for (let limit = depthFor(budget, own); ; limit *= 2) {
    const found = await search(limit)
    const isAll = found.length < limit || limit >= MOST_CHUNKS
    if (isAll || tokensOfTexts(found.map(contentOf)) >= budget) return packPassages(found, budget)
  }
}
