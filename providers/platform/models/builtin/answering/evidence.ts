import { namesOf } from '../language/names.ts'
import { rootOf } from '../language/roots.ts'
import { tokensOf } from '../language/tokens.ts'
import type { Question } from '../matching/question.ts'
import type { Candidate } from './candidates.ts'
import { weighedShare } from './support.ts'
import type { Supported, WeighedTerm } from './support.ts'

/** Sentences that answer together, in reading order, and the share of the question's weight that they meet (0 to 1). */
export type Evidence = { sentences: readonly Candidate[]; share: number }

/** Sentences of an answer. */
export const MOST_SENTENCES = 3

/** What a further sentence must add: to the share of the question that is met, or by offering what is asked for. */
const LEAST_GAIN = 0.03
const FIT_GAIN = 0.1

/** Preference for a sentence that hangs together with a chosen one, and for one that is good by itself. */
const BRIDGE_BONUS = 0.15
const OWN_SCORE = 0.2

/** Roots of the names in a sentence that the question does not mention: what the sentence introduces. */
function introducedBy(candidate: Candidate, question: Question): string[] {
  const asked = new Set(question.terms.map((term) => term.root))
  return namesOf(candidate.text)
    .flatMap((name) => tokensOf(name.text).map(rootOf))
    .filter((root) => !asked.has(root))
}

const speaksOf = (candidate: Candidate, roots: readonly string[]): boolean =>
  roots.some((root) => candidate.own.roots.has(root) || candidate.near.roots.has(root))

/** A supported sentence with the names that it introduces. */
type Link = Supported & { introduces: readonly string[] }

/** True when one of two sentences introduces a name that the other one speaks of: a hop. */
const isBridge = (a: Link, b: Link): boolean =>
  speaksOf(a.candidate, b.introduces) || speaksOf(b.candidate, a.introduces)

const joined = (strengths: readonly number[], more: readonly number[]): number[] =>
  strengths.map((strength, at) => Math.max(strength, more[at]!))

const inReadingOrder = (a: Candidate, b: Candidate): number => a.passage - b.passage || a.position - b.position

/**
 * Joins sentences greedily: first the one with the best support, then each time the one that adds most to what is
 * still unmet, preferring those that share an introduced name with a chosen one. That is how the facts of a question of
 * several hops find each other.
 */
export function gatherEvidence(question: Question, terms: readonly WeighedTerm[], all: readonly Supported[]): Evidence {
  const links = all
    .toSorted((a, b) => b.score - a.score)
    .map((supported): Link => ({ ...supported, introduces: introducedBy(supported.candidate, question) }))
  const first = links[0]
  if (first === undefined) return { sentences: [], share: 0 }

  const chosen = [first]
  let strengths: readonly number[] = first.strengths
  let fit = first.fit
  while (chosen.length < MOST_SENTENCES) {
    const share = weighedShare(terms, strengths)
    let best: { link: Link; gain: number } | null = null
    for (const link of links) {
      if (chosen.includes(link)) continue
      const added =
        weighedShare(terms, joined(strengths, link.strengths)) - share + FIT_GAIN * Math.max(0, link.fit - fit)
      if (added < LEAST_GAIN) continue
      const bridge = chosen.some((other) => isBridge(link, other)) ? BRIDGE_BONUS : 0
      const gain = added + bridge + OWN_SCORE * link.score
      if (best === null || gain > best.gain) best = { link, gain }
    }
    if (best === null) break
    chosen.push(best.link)
    strengths = joined(strengths, best.link.strengths)
    fit = Math.max(fit, best.link.fit)
  }
  const sentences = chosen.map((link) => link.candidate).toSorted(inReadingOrder)
  return { sentences, share: weighedShare(terms, strengths) }
}
