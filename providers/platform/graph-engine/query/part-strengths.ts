import { conceptsOf } from '../../models/builtin/language/concepts.ts'
import { ALIKE_LETTERS, isRare, STRENGTH } from '../../models/builtin/matching/terms.ts'
import type { Term } from '../../models/builtin/matching/terms.ts'
import { embeddedTexts } from '../graph/knowledge-graph.ts'
import type { KnowledgeGraph } from '../graph/knowledge-graph.ts'
import type { WordNumbers } from '../graph/part-words.ts'

/** How well the words of parts match the terms of one question: for each term 0 to 1, as `matchStrength` of the part's text. */
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

/** Strengths by words; each text and each part is looked at once. */
export function partStrengths(graph: WordsOfGraph, terms: readonly Term[]): PartStrengths {
  const { words, labels } = graph
  const numbers = terms.map((term) => termNumbers(graph, term))
  const none = new Float64Array(terms.length)
  /** By word: 1 where it matches no term. */
  const isStrange = new Uint8Array(words.count)

  const raise = (strengths: Float64Array, found: WordNumbers): void => {
    for (const word of found) {
      if (isStrange[word] === 1) continue
      let matches = false
      for (let term = 0; term < numbers.length; term += 1) {
        const strength = strengthOf(graph, numbers[term]!, word)
        if (strength > 0) matches = true
        if (strength > strengths[term]!) strengths[term] = strength
      }
      if (!matches) isStrange[word] = 1
    }
  }
  const textStrengths = memoized((text) => {
    const strengths = none.slice()
    raise(strengths, words.ofText(text))
    return strengths
  })
  const together = (texts: readonly number[]): Float64Array => {
    const strengths = none.slice()
    for (const text of texts) {
      const own = textStrengths(text)
      for (let term = 0; term < own.length; term += 1) if (own[term]! > strengths[term]!) strengths[term] = own[term]!
    }
    return strengths
  }
  return {
    ofRelation: memoized((relation) => together(graph.textsOfRelation(relation))),
    ofEntity: memoized((entity) => {
      const { whole, last } = embeddedTexts(graph, labels.names, entity)
      const strengths = together([labels.types[entity]!, ...whole])
      if (last !== null) raise(strengths, words.ofCut(entity)!)
      return strengths
    }),
  }
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
