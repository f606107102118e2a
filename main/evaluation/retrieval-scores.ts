import type { EvidenceCapability } from '../../contract/common.ts'
import { CURVE_BUDGETS, packed } from '../../contract/evidence/context-budget.ts'
import type { RagSource } from '../../contract/evidence/rag-extension.ts'
import type { RetrievalMetric, RetrievalScores } from '../../contract/evidence/retrieval-scores.ts'
import type { GoldEvidence } from '../../contract/manifests/queries.ts'
import type { Metric } from '../../contract/metrics/metric.ts'
import { METRICS } from '../../contract/metrics/metrics.ts'
import { evidenceWords } from '../lib/text/evidence-words.ts'

/** A fact that a chunk border cuts still counts where this share of its words is in one run. */
const PARTIAL_RUN = 0.7

/** Longer gold evidence is a passage, which no context need hold as a whole. */
const FACT_CHARACTERS = 400
/** A heading or a line that also occurs in a passage is not part of it. */
const PART_WORDS = 20

/** Length of the longest run of words that both texts share; with `atBorder`, of those that begin or end with the second text. */
function longestSharedRun(needle: string[], haystack: string[], atBorder: boolean): number {
  let best = 0
  let previous = new Uint16Array(haystack.length + 1)
  for (const word of needle) {
    const current = new Uint16Array(haystack.length + 1)
    for (let j = 0; j < haystack.length; j += 1)
      if (haystack[j] === word) {
        current[j + 1] = previous[j]! + 1
        const run = current[j + 1]!
        if (run > best && (!atBorder || run === needle.length || j === haystack.length - 1 || run === j + 1)) best = run
      }
    previous = current
  }
  return best
}

/**
 * Returns true when a context holds a gold fact: all of its words in one run, or most of them where the context's border cuts it; in its middle, a run that
 * ends early is a text with another word. Of a passage that is longer
 * than a context can be, a context holds its part: most of the context's words are one run of the passage.
 */
export function holdsFact(context: string, fact: string): boolean {
  const [needle, words] = [evidenceWords(fact), evidenceWords(context)]
  if (needle.length === 0) return false
  const isPart = fact.length > FACT_CHARACTERS && words.length >= PART_WORDS && words.length < needle.length
  const wanted = isPart ? words.length : needle.length
  return longestSharedRun(needle, words, !isPart) >= Math.ceil(wanted * PARTIAL_RUN)
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

interface RankedTexts {
  sources: readonly RagSource[]
  /** Context texts in the order of the sources. */
  contexts: readonly string[]
  /** Holds what an engine reports as used where an answer has no contexts; null where it reports nothing. */
  usedPassages: readonly RagSource[] | null
}

export interface RankedEvidence extends RankedTexts {
  capability: EvidenceCapability
  gold: readonly GoldEvidence[]
}

const none = (status: RetrievalScores['status'], reason: RetrievalScores['reason']): RetrievalScores => ({
  status,
  scores: {},
  reason,
})

/** The cell failed: nothing was retrieved that could be scored. */
export const retrievalNotRun = (): RetrievalScores => none('not_run', 'cell_failed')

/** The contexts with their sources; without contexts, the passages that the engine reports as used. */
export function rankedTexts({ contexts, sources, usedPassages }: RankedTexts): { source: RagSource; text: string }[] {
  if (contexts.length > 0) return contexts.map((text, at) => ({ source: sources[at]!, text }))
  return (usedPassages ?? []).map((source) => ({ source, text: source.text ?? source.snippet }))
}

/** Gold facts that one context holds, by their index. */
const factsIn = ({ source, text }: { source: RagSource; text: string }, gold: readonly GoldEvidence[]): Set<number> =>
  new Set(gold.flatMap((each, fact) => (holds(source, text, each) ? [fact] : [])))

/** Index of the first context that holds each gold fact; infinite where none does. */
const ranksIn = (held: readonly ReadonlySet<number>[], facts: number): number[] =>
  Array.from({ length: facts }, (_, fact) => {
    const rank = held.findIndex((each) => each.has(fact))
    return rank < 0 ? Infinity : rank
  })

/** True where some context has no source: which document each is of is unknown then, so no fact can be looked for in them. */
const lacksSources = ({ contexts, sources }: RankedTexts): boolean => sources.length < contexts.length

/** Rank, from 1, of the first context that holds each gold fact, as the metrics count it; null where none does, and for all where a context has no source. */
export function goldRanks(evidence: RankedTexts, gold: readonly GoldEvidence[]): (number | null)[] | null {
  if (lacksSources(evidence)) return null
  const held = rankedTexts(evidence).map((context) => factsIn(context, gold))
  return ranksIn(held, gold.length).map((rank) => (rank === Infinity ? null : rank + 1))
}

/** Share of the gold facts that some contexts hold together: recall at their number. */
export const recallIn = (
  contexts: readonly { source: RagSource; text: string }[],
  gold: readonly GoldEvidence[],
): number => new Set(contexts.flatMap((context) => [...factsIn(context, gold)])).size / gold.length

/** Share of the gold facts in the first tokens of the contexts, at each budget of the curve; null without a gold fact, and where a context has no source. */
export function budgetCurve(evidence: RankedTexts, gold: readonly GoldEvidence[]): number[] | null {
  const ranked = rankedTexts(evidence)
  return gold.length === 0 || lacksSources(evidence)
    ? null
    : curveOf(
        ranked,
        ranked.map((context) => factsIn(context, gold)),
        gold,
      )
}

function curveOf(
  ranked: readonly { source: RagSource; text: string }[],
  held: readonly ReadonlySet<number>[],
  gold: readonly GoldEvidence[],
): number[] {
  const contexts = ranked.map((context, at) => ({ ...context, facts: held[at]! }))
  return CURVE_BUDGETS.map((budget) => {
    const first = packed(
      contexts,
      budget,
      ({ text }) => text,
      ({ source, facts }, text) => ({
        source,
        text,
        facts: new Set([...facts].filter((fact) => holds(source, text, gold[fact]!))),
      }),
    )
    return new Set(first.flatMap(({ facts }) => [...facts])).size / gold.length
  })
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
  const held = ranked.map((context) => factsIn(context, evidence.gold))
  const ranks = ranksIn(held, evidence.gold.length)
  const scores: RetrievalScores['scores'] = {}
  for (const metric of METRICS as readonly Metric[])
    if (metric.class === 'retrieval') scores[metric.id as RetrievalMetric] = metric.score(ranks, held)
  if (ranked.length === 0)
    return {
      status: 'not_evaluable',
      // Zeros, which the aggregate uses where the engine reports that it found nothing.
      scores,
      all_contexts: { contexts: 0, recall: 0 },
      budget_curve: CURVE_BUDGETS.map(() => 0),
      reason: 'retrieved_contexts_required',
    }
  const found = ranks.filter((rank) => rank !== Infinity).length
  return {
    status: 'ok',
    scores,
    all_contexts: { contexts: ranked.length, recall: found / ranks.length },
    budget_curve: curveOf(ranked, held, evidence.gold),
    reason: null,
  }
}
