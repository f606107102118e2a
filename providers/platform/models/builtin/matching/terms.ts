import { conceptsOf } from '../language/concepts.ts'
import { bounded } from '../language/memo.ts'
import { rarity } from '../language/rarity.ts'
import { rootOf } from '../language/roots.ts'
import { tokensOf } from '../language/tokens.ts'
import type { Token } from '../language/tokens.ts'

/** A content word, number or code of a text. `weight` is its rarity. */
export type Term = { norm: string; root: string; kind: Token['kind']; weight: number }

/** The distinct terms of a text in order; grammar is left out. */
export const termsOf: (text: string) => readonly Term[] = bounded(512, (text) => {
  const terms = new Map<string, Term>()
  for (const token of tokensOf(text)) {
    const weight = rarity(token)
    const root = rootOf(token)
    if (weight > 0 && !terms.has(root)) terms.set(root, { norm: token.norm, root, kind: token.kind, weight })
  }
  return [...terms.values()]
})

/** What a text can be matched by. */
export type TermIndex = {
  norms: ReadonlySet<string>
  /** Root → how often it occurs. */
  roots: ReadonlyMap<string, number>
  rings: ReadonlySet<number>
  stems: ReadonlySet<string>
}

/** Letters that two rare words must share at the start to count as spelled alike ("Norway", "Norwegian"). */
const ALIKE_LETTERS = 5

/** The index of a text. */
export const indexOf: (text: string) => TermIndex = bounded(1024, (text) => indexOfTokens(tokensOf(text)))

function indexOfTokens(tokens: readonly Token[]): TermIndex {
  const norms = new Set<string>()
  const roots = new Map<string, number>()
  const rings = new Set<number>()
  const stems = new Set<string>()
  for (const token of tokens) {
    const root = rootOf(token)
    norms.add(token.norm)
    roots.set(root, (roots.get(root) ?? 0) + 1)
    if (token.kind !== 'word' || rarity(token) === 0) continue
    for (const ring of conceptsOf(root)) rings.add(ring)
    if (token.norm.length > ALIKE_LETTERS) stems.add(token.norm.slice(0, ALIKE_LETTERS))
  }
  return { norms, roots, rings, stems }
}

/** Strength of the ways in which a term can be met. */
const STRENGTH = { norm: 1, root: 0.95, alike: 0.4, related: 0.4 } as const

/** How well a text meets a term, 0 to 1: the word itself, its root, a word spelled alike, a synonym. Codes only exactly. */
export function matchStrength(term: Term, index: TermIndex): number {
  if (index.norms.has(term.norm)) return STRENGTH.norm
  if (index.roots.has(term.root)) return STRENGTH.root
  if (term.kind !== 'word') return 0
  if (term.weight >= 0.8 && term.norm.length > ALIKE_LETTERS && index.stems.has(term.norm.slice(0, ALIKE_LETTERS))) {
    return STRENGTH.alike
  }
  return conceptsOf(term.root).some((ring) => index.rings.has(ring)) ? STRENGTH.related : 0
}

/** The share of the terms' weight that a text meets, 0 to 1; 0 without terms. */
export const coverage = (terms: readonly Term[], index: TermIndex): number =>
  metShare(
    terms,
    terms.map((term) => matchStrength(term, index)),
  )

/** The same by the strength with which each term is met. */
export function metShare(terms: readonly Term[], strengths: readonly number[]): number {
  let met = 0
  let all = 0
  for (const [at, { weight }] of terms.entries()) {
    met += weight * strengths[at]!
    all += weight
  }
  return all === 0 ? 0 : met / all
}

/**
 * How well each term is met by texts together, as `matchStrength` has it for all of them in lines of their own. Each word and each text is
 * compared once: in a graph one sentence describes several parts, and an index of every part's words would cost more than the comparison.
 */
export function createTermMatcher(terms: readonly Term[]): (texts: readonly string[]) => readonly number[] {
  const byToken = new Map<string, readonly number[]>()
  const byText = new Map<string, readonly number[]>()
  const strengthsOfToken = (token: Token): readonly number[] => {
    const key = `${token.kind} ${token.norm}`
    let known = byToken.get(key)
    if (known === undefined) {
      const index = indexOfTokens([token])
      known = terms.map((term) => matchStrength(term, index))
      byToken.set(key, known)
    }
    return known
  }
  const strongest = (all: Iterable<readonly number[]>): number[] => {
    const most = terms.map(() => 0)
    for (const strengths of all)
      for (let at = 0; at < most.length; at += 1) if (strengths[at]! > most[at]!) most[at] = strengths[at]!
    return most
  }
  const strengthsOfText = (text: string): readonly number[] => {
    let known = byText.get(text)
    if (known === undefined) {
      known = strongest(tokensOf(text).map(strengthsOfToken))
      byText.set(text, known)
    }
    return known
  }
  return (texts) => strongest(texts.map(strengthsOfText))
}
