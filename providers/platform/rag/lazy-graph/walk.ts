import type { ConceptGraph, Holder } from './concept-graph.ts'
import type { QuestionFocus } from './question-focus.ts'

/** Names that passages share, as a walk reads them: the concepts of an index, or the entities of a knowledge graph. */
export type SharedNames = Pick<
  ConceptGraph,
  'conceptsOf' | 'holdersOf' | 'holderCount' | 'siblingsOf' | 'keyOf' | 'weightOf'
>

/** States what a question asks, passage by passage. */
export type Focus = Pick<QuestionFocus, 'anchors' | 'wantedShare' | 'sentenceShares'>

/** A chunk by its position, with a score from 0 to 1. */
export interface ScoredChunk {
  chunk: number
  score: number
}

/** Describes how most of a chunk's weight came to it: null for `from` is the question itself, null for `concept` the same document. */
export interface Arrival {
  from: number | null
  concept: number | null
  weight: number
}

/** Least share of the starting weight that goes out over the names in the question; seeds without those names give theirs up to it. */
const ANCHOR_SHARE = 0.2
/** Sets how much of a seed's start depends on holding the names that the question gives. */
const ANCHOR_COVER = 0.75
/** Part of a chunk's weight that stays with it; the rest moves on. */
const STAY = 0.2
/** Sets how much it counts that a concept appears where the chunk mentions what is asked. */
const CLOSENESS = 0.8
/** Pull of chunks that mention what is wanted, against 1 for those that do not. */
const WANTED_PULL = 3
/** The same document as a link, beside concepts of weight up to 1. */
const DOCUMENT_LINK = 0.4
/** A concept with more holders than this is not a path: following it would spread the weight over everything. */
const MAX_HOLDERS = 60
/** Weight below which nothing moves any more. */
const TOO_LITTLE = 1e-4

/**
 * Spreads a weight of 1 from the question's names and the seeds over shared concepts: personalised PageRank by forward push (Andersen,
 * Chung, Lang 2006), always from the chunk with the most weight that has not moved on. What passes through a common concept is thin,
 * because all its holders share it; what arrives over several ways adds up.
 */
export class Walk {
  readonly #graph: SharedNames
  readonly #focus: Focus
  readonly #hits: ReadonlyMap<number, number>
  readonly #waiting = new Map<number, number>()
  readonly #settled = new Map<number, number>()
  readonly #arrivals = new Map<number, Arrival>()
  /** Holders of the concepts that the walk has met: it meets most of them again. */
  readonly #holders = new Map<number, readonly Holder[]>()

  constructor(graph: SharedNames, focus: Focus, hits: readonly ScoredChunk[]) {
    this.#graph = graph
    this.#focus = focus
    this.#hits = new Map(hits.map(({ chunk, score }) => [chunk, score]))
  }

  /** Gives out the starting weight. Seeds count by the square of their score: the search is surer of its first hits. */
  start(seeds: readonly ScoredChunk[]): void {
    const anchors = [...this.#focus.anchors].filter((anchor) => this.#isPath(anchor))
    const start = seeds.map(({ chunk, score }) => {
      const cover = anchors.length === 0 ? 1 : 1 - ANCHOR_COVER + ANCHOR_COVER * this.#cover(chunk, anchors)
      return { full: score ** 2, kept: score ** 2 * cover }
    })
    const full = start.reduce((sum, seed) => sum + seed.full, 0)
    const kept = start.reduce((sum, seed) => sum + seed.kept, 0)
    const anchorShare = anchors.length === 0 ? 0 : 1 - (full === 0 ? 0 : ((1 - ANCHOR_SHARE) * kept) / full)
    const strength = anchors.map((anchor) => this.#graph.weightOf(anchor) ** 2)
    for (const [at, share] of shares(strength).entries()) this.#spread(anchors[at]!, anchorShare * share, null)
    for (const [at, share] of shares(start.map((seed) => seed.kept)).entries())
      this.#arrive(seeds[at]!.chunk, (1 - anchorShare) * share, null)
  }

  /** The chunk with the most weight to move on, among those that `may` be looked at; null when nothing moves any more. */
  next(may: (chunk: number) => boolean): number | null {
    let best: number | null = null
    let most = TOO_LITTLE
    for (const [chunk, weight] of this.#waiting) {
      const ahead = weight > most || (weight === most && best !== null && chunk < best)
      if (!ahead || !may(chunk)) continue
      best = chunk
      most = weight
    }
    return best
  }

  /** Keeps a chunk's part and moves the rest to the chunks it is linked with. */
  push(chunk: number): void {
    const weight = this.#waiting.get(chunk) ?? 0
    this.#waiting.delete(chunk)
    this.#settled.set(chunk, (this.#settled.get(chunk) ?? 0) + STAY * weight)
    const concepts = this.#conceptLinks(chunk)
    const siblings = this.#graph.siblingsOf(chunk)
    const total = concepts.reduce((sum, link) => sum + link.strength, siblings.length > 0 ? DOCUMENT_LINK : 0)
    if (total === 0) return
    const moving = (1 - STAY) * weight
    for (const { concept, strength } of concepts) this.#spread(concept, (moving * strength) / total, chunk)
    const pulls = siblings.map(([sibling, distance]) => (distance === 1 ? 1 : 0.5) * this.#pull(sibling))
    for (const [at, share] of shares(pulls).entries())
      this.#arrive(siblings[at]![0], (moving * DOCUMENT_LINK * share) / total, { from: chunk, concept: null })
  }

  /** Returns what a chunk has gathered, its part of what waits there included. */
  weightOf(chunk: number): number {
    return (this.#settled.get(chunk) ?? 0) + STAY * (this.#waiting.get(chunk) ?? 0)
  }

  /** Returns how a chunk was reached; null for a seed that nothing else leads to. */
  arrivalOf(chunk: number): Arrival | null {
    return this.#arrivals.get(chunk) ?? null
  }

  #isPath(concept: number): boolean {
    return this.#graph.holderCount(concept) <= MAX_HOLDERS
  }

  /** Share of the question's names that a chunk holds; 1 when it gives none. */
  #cover(chunk: number, anchors: readonly number[]): number {
    const sum = (ids: readonly number[]) => ids.reduce((total, id) => total + this.#graph.weightOf(id), 0)
    const held = anchors.filter((anchor) => this.#holdersOf(anchor).some((holder) => holder.chunk === chunk))
    return anchors.length === 0 ? 1 : sum(held) / sum(anchors)
  }

  #pull(chunk: number): number {
    return 1 + WANTED_PULL * this.#focus.wantedShare(chunk)
  }

  #arrive(chunk: number, weight: number, way: Omit<Arrival, 'weight'> | null): void {
    this.#waiting.set(chunk, (this.#waiting.get(chunk) ?? 0) + weight)
    if (way !== null && weight > (this.#arrivals.get(chunk)?.weight ?? 0)) this.#arrivals.set(chunk, { ...way, weight })
  }

  /** Holders of a concept that a chunk may pass weight to: not itself, and not straight back to where its own came from. */
  #others(concept: number, from: number | null): Holder[] {
    const origin = from === null ? null : (this.#arrivals.get(from)?.from ?? null)
    return this.#holdersOf(concept).filter(({ chunk }) => chunk !== from && chunk !== origin)
  }

  #holdersOf(concept: number): readonly Holder[] {
    const known = this.#holders.get(concept) ?? this.#graph.holdersOf(concept)
    this.#holders.set(concept, known)
    return known
  }

  /** Divides weight among the other holders of a concept. */
  #spread(concept: number, weight: number, from: number | null): void {
    const holders = this.#others(concept, from)
    const pulls = holders.map(({ chunk, aboutness }) => aboutness * (this.#pull(chunk) + (this.#hits.get(chunk) ?? 0)))
    for (const [at, share] of shares(pulls).entries())
      this.#arrive(holders[at]!.chunk, weight * share, { from, concept })
  }

  #conceptLinks(chunk: number): { concept: number; strength: number }[] {
    const sentences = this.#sentenceCloseness(chunk)
    return this.#graph.conceptsOf(chunk).flatMap((held) => {
      const leadsOn = this.#isPath(held.id) && this.#others(held.id, chunk).length > 0
      if (!leadsOn || this.#focus.anchors.has(held.id)) return []
      const near = Math.max(held.inTitle ? 0.5 : 0, ...held.sentences.map((sentence) => sentences[sentence] ?? 0))
      return [{ concept: held.id, strength: this.#graph.weightOf(held.id) ** 2 * (1 - CLOSENESS + CLOSENESS * near) }]
    })
  }

  /** Returns how near each sentence is to what is asked, or to what the chunk was reached by; the chunk's best one is 1. */
  #sentenceCloseness(chunk: number): number[] {
    const asked = this.#focus.sentenceShares(chunk)
    const best = Math.max(0, ...asked)
    const reachedBy = this.#arrivals.get(chunk)?.concept
    const entrance = this.#graph.conceptsOf(chunk).find(({ id }) => id === reachedBy)
    const entered = (sentence: number) => entrance?.inTitle === true || entrance?.sentences.includes(sentence) === true
    return asked.map((share, sentence) => Math.max(best === 0 ? 0 : share / best, entered(sentence) ? 0.6 : 0))
  }
}

function shares(values: readonly number[]): number[] {
  const total = values.reduce((sum, value) => sum + value, 0)
  return total === 0 ? [] : values.map((value) => value / total)
}
