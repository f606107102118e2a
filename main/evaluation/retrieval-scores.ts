import {
  METRICS,
  type EvidenceCapability,
  type GoldEvidence,
  type Metric,
  type RagSource,
  type RetrievalMetric,
  type RetrievalScores,
} from '../../contract/index.ts'
import { evidenceWords } from '../lib/evidence-words.ts'

/** A fact that a chunk border cuts still counts where this share of its words is in one run. */
const PARTIAL_RUN = 0.7

/** Longer gold evidence is a passage, which no context need hold as a whole. */
const FACT_CHARACTERS = 400
/** A heading or a line that also occurs in a passage is no part of it. */
const PART_WORDS = 20

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

/**
 * Whether a context holds a gold fact: all of its words in one run, or most of them where a chunk border cut it. Of a passage that is longer
 * than a context can be, a context holds its part: most of the context's words are one run of the passage.
 */
export function holdsFact(context: string, fact: string): boolean {
  const [needle, words] = [evidenceWords(fact), evidenceWords(context)]
  if (needle.length === 0) return false
  const isPart = fact.length > FACT_CHARACTERS && words.length >= PART_WORDS && words.length < needle.length
  const wanted = isPart ? words.length : needle.length
  return longestSharedRun(needle, words) >= Math.ceil(wanted * PARTIAL_RUN)
}

/**
 * A source that names its document can only hold that document's facts; one that does not is judged by its text alone. Where the whole document
 * is the gold evidence, every context of it holds it; a source without a document is then known by its title.
 */
function holds(source: RagSource, context: string, gold: GoldEvidence): boolean {
  if (gold.fact === undefined) return (source.document ?? source.title) === gold.document
  if (source.document !== undefined && source.document !== gold.document) return false
  return holdsFact(context, gold.fact)
}

export interface RankedEvidence {
  capability: EvidenceCapability
  gold: readonly GoldEvidence[]
  sources: readonly RagSource[]
  /** Context texts in the order of the sources. */
  contexts: readonly string[]
  /** What an engine reports as used where an answer has no contexts; null where it reports nothing. */
  usedPassages: readonly RagSource[] | null
}

const none = (status: RetrievalScores['status'], reason: RetrievalScores['reason']): RetrievalScores => ({
  status,
  scores: {},
  reason,
})

/** The cell failed: nothing was retrieved that could be scored. */
export const retrievalNotRun = (): RetrievalScores => none('not_run', 'cell_failed')

/** The contexts with their sources; without contexts, the passages that the engine reports as used. */
function rankedTexts({ contexts, sources, usedPassages }: RankedEvidence): { source: RagSource; text: string }[] {
  if (contexts.length > 0) return contexts.map((text, at) => ({ source: sources[at]!, text }))
  return (usedPassages ?? []).map((source) => ({ source, text: source.text ?? source.snippet }))
}

/**
 * Every metric of class `retrieval` by the formula of its file, and recall in all contexts, against the gold facts. An answer-only approach
 * is scored by what its engine reports as used, and not evaluable where the engine reports nothing.
 */
export function scoreRetrieval(evidence: RankedEvidence): RetrievalScores {
  if (evidence.capability === 'answer_only' && evidence.usedPassages === null)
    return none('not_evaluable', 'answer_only')
  if (evidence.gold.length === 0) return none('not_evaluable', 'gold_evidence_required')
  const ranked = rankedTexts(evidence)
  if (ranked.length === 0)
    return { ...none('not_evaluable', 'retrieved_contexts_required'), all_contexts: { contexts: 0, recall: 0 } }
  const held = ranked.map(
    ({ source, text }) => new Set(evidence.gold.flatMap((gold, fact) => (holds(source, text, gold) ? [fact] : []))),
  )
  const ranks = evidence.gold.map((_, fact) => {
    const rank = held.findIndex((facts) => facts.has(fact))
    return rank < 0 ? Infinity : rank
  })
  const scores: RetrievalScores['scores'] = {}
  for (const metric of METRICS as readonly Metric[])
    if (metric.class === 'retrieval') scores[metric.id as RetrievalMetric] = metric.score(ranks, held)
  const found = ranks.filter((rank) => rank !== Infinity).length
  return {
    status: 'ok',
    scores,
    all_contexts: { contexts: ranked.length, recall: found / ranks.length },
    reason: null,
  }
}
