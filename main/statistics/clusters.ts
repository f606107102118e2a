import type { ClusterSummary } from '../../contract/evidence/statistics.ts'
import { effectiveClusters, MIN_CLUSTERS } from './estimate.ts'
import { type GoldPassage, passagesOf } from './passages.ts'

/** Questions that rest on the same documents succeed and fail together: they are one observation more than two. */
interface ClusterableQuestion {
  id: string
  /** Gold documents; none for questions that declare none, each of which is a cluster of its own. */
  documents: readonly string[]
  /** The facts in them, for questions on few documents. */
  gold?: readonly GoldPassage[]
}

/** A question with its gold evidence. */
export const clusterable = ({ id, gold }: { id: string; gold: readonly GoldPassage[] }): ClusterableQuestion => ({
  id,
  documents: [...new Set(gold.map(({ document }) => document))].sort(),
  gold,
})

/**
 * Returns how many questions a cluster may hold: a quarter of few questions, ten of up to a hundred, a tenth of more. Larger ones would leave too few
 * clusters to decide anything by; smaller ones would treat too many questions as independent that rest on the same documents (decision 104).
 */
const largestOf = (questions: number): number =>
  Math.max(2, Math.min(Math.floor(questions / 4), Math.max(10, Math.floor(questions / 10))))

/** With more pairs of questions than this on shared documents, only neighbours are linked: the same components, joined by other links. */
const MOST_LINKS = 1_000_000

interface Link {
  one: number
  other: number
  /** Shared documents over all documents of the two (Jaccard). */
  overlap: number
}

/**
 * Cluster of each question (named by the cluster's first question), in the order given. Questions that share a gold document are
 * joined, strongest overlap first, so that clusters are the connected components, as long as none would be larger than `largestOf` allows.
 * A giant component, usual for questions over several documents, is so cut at its weakest links. In simulations with document effects of 30 to
 * 60 % of the variance over a component of 11 in 24 questions, intervals covered 94 to 95 % with the cut, 98 % with the whole component
 * (at 1.4 times the width), 90 to 92 % with single questions; over the gold evidence of our rungs of 101 questions 94.5 to 95.5 %.
 *
 * Fewer than eight documents, or groups of them, show nothing of other documents. Questions on them are grouped by overlapping gold passages: the
 * documents are then fixed, and intervals are of new questions about them (decision 199).
 */
export function clusterQuestions(questions: readonly ClusterableQuestion[]): Clustered {
  const byDocument = clusterBy(questions)
  const based = questions.flatMap(({ documents }, index) => (documents.length === 0 ? [] : [index]))
  const groupsIn = (names: readonly string[]): number => new Set(based.map((index) => names[index]!)).size
  const documents = new Set(questions.flatMap((question) => question.documents)).size
  if (documents === 0 || Math.min(documents, groupsIn(byDocument.clusters)) >= MIN_CLUSTERS) return byDocument
  const passages = passagesOf(questions.map(({ gold = [] }) => gold))
  if (based.some((index) => passages[index]!.length === 0)) return byDocument
  const byPassage = clusterBy(questions.map(({ id }, index) => ({ id, documents: passages[index]! })))
  if (groupsIn(byPassage.clusters) < MIN_CLUSTERS) return byDocument
  return { ...byPassage, summary: { ...byPassage.summary, basis: 'gold_passages', documents } }
}

interface Clustered {
  clusters: string[]
  /** Links cut per link that was kept. */
  cutPerKept: number
  summary: ClusterSummary
}

function clusterBy(questions: readonly ClusterableQuestion[]): Clustered {
  const limit = largestOf(questions.length)
  const parents = questions.map((_, index) => index)
  const sizes = questions.map(() => 1)
  const rootOf = (index: number): number => {
    let root = index
    while (parents[root] !== root) root = parents[root]!
    return root
  }
  const links = linksBetween(questions)
  for (const { one, other } of links) {
    const [first, second] = [rootOf(one), rootOf(other)].sort((left, right) => left - right) as [number, number]
    if (first === second || sizes[first]! + sizes[second]! > limit) continue
    parents[second] = first
    sizes[first]! += sizes[second]!
  }
  const roots = questions.map((_, index) => rootOf(index))
  const held = Float64Array.from(new Set(roots), (root) => sizes[root]!)
  const linksCut = links.filter(({ one, other }) => roots[one] !== roots[other]).length
  return {
    clusters: roots.map((root) => questions[root]!.id),
    cutPerKept: linksCut === 0 ? 0 : linksCut / Math.max(1, links.length - linksCut),
    summary: {
      basis: links.length === 0 ? 'question' : linksCut === 0 ? 'gold_documents' : 'gold_documents_split',
      questions: questions.length,
      clusters: held.length,
      largest: held.reduce((most, size) => Math.max(most, size), 0),
      effective: effectiveClusters(held),
      links_cut: linksCut,
    },
  }
}

/** Pairs with a shared document, strongest first; equal ones in the order of the questions. */
function linksBetween(questions: readonly ClusterableQuestion[]): Link[] {
  const documents = questions.map((question) => new Set(question.documents))
  const holders = new Map<string, number[]>()
  for (const [index, names] of documents.entries())
    for (const name of names) {
      const before = holders.get(name)
      if (before === undefined) holders.set(name, [index])
      else before.push(index)
    }
  const links = new Map<number, Link>()
  const pairs = holders.values().reduce((sum, { length }) => sum + (length * (length - 1)) / 2, 0)
  const reach = pairs > MOST_LINKS ? 1 : Infinity
  for (const members of holders.values())
    for (const [at, one] of members.entries())
      for (const other of members.slice(at + 1, at + 1 + reach)) {
        const key = one * questions.length + other
        if (links.has(key)) continue
        const shared = documents[one]!.intersection(documents[other]!).size
        links.set(key, { one, other, overlap: shared / (documents[one]!.size + documents[other]!.size - shared) })
      }
  return [...links.values()].sort(
    (left, right) => right.overlap - left.overlap || left.one - right.one || left.other - right.other,
  )
}
