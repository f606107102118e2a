/** Place of the first sentence from `from` on that was not read yet, going round at the end; null when all were. */
export function nextUnread(sentences: readonly string[], read: readonly string[], from: number): number | null {
  const known = new Set(read)
  for (let step = 0; step < sentences.length; step += 1) {
    const place = (from + step) % sentences.length
    if (!known.has(sentences[place]!)) return place
  }
  return null
}

/**
 * Where to go on when the sentence at `at` was read: at the next one that was not yet; null when it was the last of these. Who reads again when
 * all are read goes on in order.
 */
export function afterReading(
  sentences: readonly string[],
  before: readonly string[],
  now: readonly string[],
  at: number,
): number | null {
  const next = nextUnread(sentences, now, at + 1)
  return next === null && before.includes(sentences[at]!) ? (at + 1) % sentences.length : next
}

/** Of how many sentences a speaker has read some: those listed, and those of earlier lists. */
export const totalSentences = (sentences: readonly string[], read: readonly string[]): number =>
  new Set([...sentences, ...read]).size
