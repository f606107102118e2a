import { createHash } from 'node:crypto'

/** What the order of the answers in one prompt depends on. */
export interface OrderKey {
  queryId: string
  judge: string
  rotation: number
}

/** The letter of a place: A to Z, then AA, AB and on. */
export function letterAt(place: number): string {
  const last = String.fromCharCode(65 + (place % 26))
  return place < 26 ? last : letterAt(Math.floor(place / 26) - 1) + last
}

/**
 * The aliases in the order of their letters: sorted by SHA-1 of question, alias, judge and salt, then shifted by the rotation. So each judge
 * has an order of its own, and in as many rotations as there are answers each answer stands at each place once (a cyclic Latin
 * square). Further rotations start a new square from another hash. Does not depend on the order of `models`.
 */
export function answerOrder(models: readonly string[], { queryId, judge, rotation }: OrderKey, salt = ''): string[] {
  const size = models.length
  if (size === 0) return []
  const square = Math.floor(rotation / size)
  const shift = rotation % size
  const hashed = models
    .map((model) => ({ model, hash: sha1(JSON.stringify([queryId, model, judge, square, salt])) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : a.model < b.model ? -1 : 1))
    .map(({ model }) => model)
  return [...hashed.slice(shift), ...hashed.slice(0, shift)]
}

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')
