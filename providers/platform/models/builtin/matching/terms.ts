import { conceptsOf } from '../language/concepts.ts'
import { memoized } from '../language/memo.ts'
import { rarity } from '../language/rarity.ts'
import { rootOf } from '../language/roots.ts'
import { tokensOf } from '../language/tokens.ts'
import type { Token } from '../language/tokens.ts'

/** A content word, number or code of a text. `weight` is its rarity. */
export type Term = { norm: string; root: string; kind: Token['kind']; weight: number }

/** The distinct terms of a text in order; grammar is left out. */
export const termsOf: (text: string) => readonly Term[] = memoized(512, (text) => {
  const terms = new Map<string, Term>()
  for (const token of tokensOf(text)) {
    const weight = rarity(token)
    const root = rootOf(token)
    if (weight > 0 && !terms.has(root)) terms.set(root, { norm: token.norm, root, kind: token.kind, weight })
  }
  return [...terms.values()]
})

/** Describes what a text can be matched by. */
export type TermIndex = {
  norms: ReadonlySet<string>
  /** Root → how often it occurs. */
  roots: ReadonlyMap<string, number>
  rings: ReadonlySet<number>
  stems: ReadonlySet<string>
}

/** Letters that two rare words must share at the start to count as spelled alike ("Norway", "Norwegian"). */
export const ALIKE_LETTERS = 5

/** The index of a text. */
export const indexOf: (text: string) => TermIndex = memoized(1024, (text) => {
  const norms = new Set<string>()
  const roots = new Map<string, number>()
  const rings = new Set<number>()
  const stems = new Set<string>()
  for (const token of tokensOf(text)) {
    const root = rootOf(token)
    norms.add(token.norm)
    roots.set(root, (roots.get(root) ?? 0) + 1)
    if (token.kind !== 'word' || rarity(token) === 0) continue
    for (const ring of conceptsOf(root)) rings.add(ring)
    if (token.norm.length > ALIKE_LETTERS) stems.add(token.norm.slice(0, ALIKE_LETTERS))
  }
  return { norms, roots, rings, stems }
})

/** Strength of the ways in which a term can be met. */
export const STRENGTH = { norm: 1, root: 0.95, alike: 0.4, related: 0.4 } as const

/** True for a word that one that begins alike may stand for. */
export const isRare = (term: Term): boolean => term.weight >= 0.8 && term.norm.length > ALIKE_LETTERS

/** Returns how well a text meets a term, 0 to 1: the word itself, its root, a word spelled alike, a synonym. Codes only exactly. */
export function matchStrength(term: Term, index: TermIndex): number {
  if (index.norms.has(term.norm)) return STRENGTH.norm
  if (index.roots.has(term.root)) return STRENGTH.root
  if (term.kind !== 'word') return 0
  if (isRare(term) && index.stems.has(term.norm.slice(0, ALIKE_LETTERS))) {
    return STRENGTH.alike
  }
  return conceptsOf(term.root).some((ring) => index.rings.has(ring)) ? STRENGTH.related : 0
}

/** The share of the terms' weight that a text meets, 0 to 1; 0 without terms. */
export function coverage(terms: readonly Term[], index: TermIndex): number {
  let met = 0
  let all = 0
  for (const term of terms) {
    met += term.weight * matchStrength(term, index)
    all += term.weight
  }
  return all === 0 ? 0 : met / all
}
