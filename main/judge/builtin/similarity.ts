import { termsOf } from './words.ts'

/** Features of a text with their weights, and the length of the vector. */
export interface TextVector {
  features: ReadonlyMap<string, number>
  norm: number
}

/** What a whole word weighs beside its pieces. */
const WORD_SHARE = 0.5
const PIECE = 3

/**
 * A sparse vector of words and of their pieces of three characters (fastText's idea of subword features: Bojanowski et al. 2017), so that
 * related forms, compounds and misspellings come near each other. Numbers and codes have no pieces: 1904 is not almost 1905.
 */
export function vectorOf(text: string): TextVector {
  const features = new Map<string, number>()
  const add = (feature: string, weight: number): void =>
    void features.set(feature, (features.get(feature) ?? 0) + weight)
  for (const { stem, weight } of termsOf(text)) {
    const isNumber = /\p{N}/u.test(stem)
    add(`=${stem}`, isNumber ? weight : weight * WORD_SHARE)
    if (isNumber) continue
    const padded = `^${stem}$`
    const pieces = Math.max(1, padded.length - PIECE + 1)
    for (let at = 0; at < pieces; at += 1)
      add(padded.slice(at, at + PIECE), (weight * (1 - WORD_SHARE)) / Math.sqrt(pieces))
  }
  let squares = 0
  for (const weight of features.values()) squares += weight * weight
  return { features, norm: Math.sqrt(squares) }
}

/** Cosine of two vectors, 0 where one is empty. */
export function cosine(a: TextVector, b: TextVector): number {
  if (a.norm === 0 || b.norm === 0) return 0
  const [few, many] = a.features.size <= b.features.size ? [a, b] : [b, a]
  let product = 0
  for (const [feature, weight] of few.features) product += weight * (many.features.get(feature) ?? 0)
  return product / (a.norm * b.norm)
}
