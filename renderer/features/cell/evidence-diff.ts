import type { RowEvidence } from '../../../contract/evidence/canonical-row.ts'

/** One context in its answer's order; `rank` from 1. */
export interface RankedContext {
  rank: number
  text: string
  document: string | null
  chunk: number | null
  score: number | null
}

/** A context and its rank in the other answer; null when it is only here. */
export interface ComparedContext extends RankedContext {
  otherRank: number | null
}

/** The ordered contexts of an answer with their sources, where the gateway names them. */
export const rankedContexts = ({ contexts, sources }: Pick<RowEvidence, 'contexts' | 'sources'>): RankedContext[] =>
  contexts.map((text, index) => {
    const source = sources[index]
    return {
      rank: index + 1,
      text,
      document: source?.document ?? source?.title ?? null,
      chunk: source?.chunk_index ?? null,
      score: source?.score ?? null,
    }
  })

const normal = (text: string): string => text.replace(/\s+/g, ' ').trim()
const same = (a: RankedContext, b: RankedContext): boolean =>
  normal(a.text) === normal(b.text) ||
  (a.document !== null && a.chunk !== null && a.document === b.document && a.chunk === b.chunk)

/** Each context of `here` with its rank in `there`. Two are the same by text, or by document and chunk. */
export const compareContexts = (here: readonly RankedContext[], there: readonly RankedContext[]): ComparedContext[] =>
  here.map((context) => ({ ...context, otherRank: there.find((other) => same(context, other))?.rank ?? null }))

/** Returns how the rank of a context differs from that in the other answer, in a few signs. */
export function moveText({ rank, otherRank }: ComparedContext): string {
  if (otherRank === null) return 'only here'
  if (otherRank === rank) return 'same rank'
  return otherRank > rank ? `↑${otherRank - rank} from ${otherRank}` : `↓${rank - otherRank} from ${otherRank}`
}
