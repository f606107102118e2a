import type { EvidenceCapability, GoldEvidence, RagSource, RetrievalScores } from '../../contract/index.ts'

const CUTOFF_HIT = 5
const CUTOFF_RANK = 10

/** A fact that a chunk border cuts still counts where this share of its words stands in one run. */
const PARTIAL_RUN = 0.7

/** Words in lower case; punctuation and layout carry no evidence. */
function words(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** Length of the longest run of words that both texts share. */
function longestSharedRun(needle: string[], haystack: string[]): number {
  let best = 0
  let previous = new Uint16Array(haystack.length + 1)
  for (const word of needle) {
    const current = new Uint16Array(haystack.length + 1)
    for (let j = 0; j < haystack.length; j += 1)
      if (haystack[j] === word) {
        current[j + 1] = previous[j]! + 1
        best = Math.max(best, current[j + 1]!)
      }
    previous = current
  }
  return best
}

/** Whether a context holds a gold fact: all of its words in one run, or most of them where a chunk border cut it. */
export function holdsFact(context: string, fact: string): boolean {
  const needle = words(fact)
  if (needle.length === 0) return false
  return longestSharedRun(needle, words(context)) >= Math.ceil(needle.length * PARTIAL_RUN)
}

/** A source that names its document can only hold that document's facts; one that does not is judged by its text alone. */
function holds(source: RagSource, context: string, gold: GoldEvidence): boolean {
  if (source.document !== undefined && source.document !== gold.document) return false
  return holdsFact(context, gold.fact)
}

export interface RankedEvidence {
  capability: EvidenceCapability
  gold: readonly GoldEvidence[]
  sources: readonly RagSource[]
  /** Context texts in the order of the sources. */
  contexts: readonly string[]
}

const none = (status: RetrievalScores['status'], reason: RetrievalScores['reason']): RetrievalScores => ({
  status,
  scores: {},
  reason,
})

/** The cell failed: nothing was retrieved that could be scored. */
export const retrievalNotRun = (): RetrievalScores => none('not_run', 'cell_failed')

/**
 * Hit and recall in the first 5 contexts, reciprocal rank and nDCG in the first 10, recall in all of them, against the gold facts. A context's gain is the number
 * of gold facts that it is the first to hold, so that repeating one fact earns nothing (Järvelin and Kekäläinen 2002 for nDCG).
 */
export function scoreRetrieval(evidence: RankedEvidence): RetrievalScores {
  if (evidence.capability === 'answer_only') return none('not_evaluable', 'answer_only')
  if (evidence.gold.length === 0) return none('not_evaluable', 'gold_evidence_required')
  if (evidence.contexts.length === 0) return none('not_evaluable', 'retrieved_contexts_required')
  const ranks = evidence.gold.map((gold) =>
    evidence.contexts.findIndex((context, rank) => holds(evidence.sources[rank]!, context, gold)),
  )
  const found = ranks.filter((rank) => rank >= 0)
  const inTop = found.filter((rank) => rank < CUTOFF_HIT).length
  const first = Math.min(...found)
  const gains = Array.from({ length: CUTOFF_RANK }, (_, rank) => found.filter((other) => other === rank).length)
  const discounted = gains.reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0)
  // The ideal list shows one gold fact per rank; a context that holds several can reach it earlier, so the ratio is capped.
  const ideal = evidence.gold.slice(0, CUTOFF_RANK).reduce((sum, _gold, rank) => sum + 1 / Math.log2(rank + 2), 0)
  return {
    status: 'ok',
    scores: {
      hit_at_5: inTop > 0 ? 1 : 0,
      recall_at_5: inTop / evidence.gold.length,
      mrr_at_10: found.length > 0 && first < CUTOFF_RANK ? 1 / (first + 1) : 0,
      ndcg_at_10: Math.min(1, discounted / ideal),
    },
    all_contexts: { contexts: evidence.contexts.length, recall: found.length / evidence.gold.length },
    reason: null,
  }
}
