import { conceptsOf } from '../../../models/builtin/language/concepts.ts'
import { ALIKE_LETTERS, isRare, STRENGTH } from '../../../models/builtin/matching/terms.ts'
import type { Term } from '../../../models/builtin/matching/terms.ts'
import { embeddedTexts } from '../graph/knowledge-graph.ts'
import type { KnowledgeGraph } from '../graph/knowledge-graph.ts'
import type { WordNumbers } from '../graph/part-words.ts'

/** Describes how well the words of parts match the terms of one question: for each term 0 to 1, as `matchStrength` of the part's text. */
export interface PartStrengths {
  ofRelation(relation: number): Float64Array
  ofEntity(entity: number): Float64Array
}

type WordsOfGraph = Pick<KnowledgeGraph, 'texts' | 'labels' | 'words' | 'textsOfEntity' | 'textsOfRelation'>

/** A term in numbers of the graph's words; what no text has is undefined. */
interface TermNumbers {
  norm: number | undefined
  root: number | undefined
  beginning: number | undefined
  /** Roots of its synonyms. */
  synonyms: ReadonlySet<number>
}

/** Strengths by words; each text and each part is looked at once. What matches no term shares one list of zeros. */
export function partStrengths(graph: WordsOfGraph, terms: readonly Term[]): PartStrengths {
  const { words, labels } = graph
  const none = new Float64Array(terms.length)
  const matching = matchingWords(graph, terms)
  /** By word: 1 where it matches a term. Few do, so that this is asked first. */
  const matches = new Uint8Array(words.count)
  for (const word of matching.keys()) matches[word] = 1

  /** The higher strength for each term. */
  const higher = (one: Float64Array, other: Float64Array): Float64Array => {
    if (one === none || one === other) return other
    return other === none ? one : one.map((strength, term) => Math.max(strength, other[term]!))
  }
  const ofWords = (found: WordNumbers): Float64Array => {
    let strengths: Float64Array = none
    for (let at = 0; at < found.length; at += 1)
      if (matches[found[at]!] === 1) strengths = higher(strengths, matching.get(found[at]!)!)
    return strengths
  }
  const ofText = memoized((text) => ofWords(words.ofText(text)))
  const ofTexts = (texts: readonly number[]): Float64Array => {
    let strengths: Float64Array = none
    for (const text of texts) strengths = higher(strengths, ofText(text))
    return strengths
  }
  return {
    ofRelation: memoized((relation) => ofTexts(graph.textsOfRelation(relation))),
    ofEntity: memoized((entity) => {
      const { whole, last } = embeddedTexts(graph, labels.names, entity)
      const strengths = higher(ofText(labels.types[entity]!), ofTexts(whole))
      return last === null ? strengths : higher(strengths, ofWords(words.ofCut(entity)!))
    }),
  }
}

/** The words that match a term, with their strength for each: all words are compared in one pass, which takes a millisecond. */
function matchingWords(graph: WordsOfGraph, terms: readonly Term[]): Map<number, Float64Array> {
  const matching = new Map<number, Float64Array>()
  for (const [at, term] of terms.entries()) {
    const numbers = termNumbers(graph, term)
    for (let word = 0; word < graph.words.count; word += 1) {
      const strength = strengthOf(graph, numbers, word)
      if (strength === 0) continue
      const strengths = matching.get(word) ?? new Float64Array(terms.length)
      strengths[at] = strength
      matching.set(word, strengths)
    }
  }
  return matching
}

/** Each position is computed once. */
export function memoized<Value>(compute: (position: number) => Value): (position: number) => Value {
  const known = new Map<number, Value>()
  return (position) => {
    const found = known.get(position)
    if (found !== undefined) return found
    const value = compute(position)
    known.set(position, value)
    return value
  }
}

function termNumbers({ words }: WordsOfGraph, term: Term): TermNumbers {
  const isWord = term.kind === 'word'
  return {
    norm: words.find(term.norm),
    root: words.find(term.root),
    beginning: isWord && isRare(term) ? words.find(term.norm.slice(0, ALIKE_LETTERS)) : undefined,
    synonyms: isWord ? rootsInRings(words.rings, conceptsOf(term.root)) : new Set(),
  }
}

/** Roots that share a ring of synonyms with these rings. */
export const rootsInRings = (rings: KnowledgeGraph['words']['rings'], asked: readonly number[]): Set<number> =>
  new Set([...rings].filter(([, own]) => own.some((ring) => asked.includes(ring))).map(([root]) => root))

function strengthOf({ words }: WordsOfGraph, { norm, root, beginning, synonyms }: TermNumbers, word: number): number {
  if (words.norms[word] === norm) return STRENGTH.norm
  if (words.roots[word] === root) return STRENGTH.root
  if (beginning !== undefined && words.beginnings[word] === beginning) return STRENGTH.alike
  return synonyms.size > 0 && synonyms.has(words.synonymous[word]!) ? STRENGTH.related : 0
}
