/** A stretch of a text in UTF-16 units. */
export interface Span {
  start: number
  end: number
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Finds where a text holds a fact, whatever its white space and case. */
export function factSpans(text: string, fact: string): Span[] {
  const words = fact.trim().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const pattern = new RegExp(words.map(escaped).join('\\s+'), 'giu')
  return [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }))
}

/** Spans in order, those that touch or overlap merged. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last !== undefined && span.start <= last.end) last.end = Math.max(last.end, span.end)
    else merged.push({ ...span })
  }
  return merged
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []

/** Share of a sentence's words that one context must have. */
const SUPPORT_SHARE = 0.7

/** Sentences of an answer; supported when one context has enough of its words, null without contexts. This compares words and judges nothing. */
export function supportedSentences(
  answer: string,
  contexts: readonly string[],
): (Span & { supported: boolean | null })[] {
  const sets = contexts.map((context) => new Set(wordsOf(context)))
  const sentences = answer.match(/[^.!?\n]+(?:[.!?]+|\n|$)\s*/g) ?? [answer]
  let start = 0
  return sentences.map((text) => {
    const words = wordsOf(text)
    const span = { start, end: (start += text.length) }
    if (sets.length === 0 || words.length === 0) return { ...span, supported: null }
    const best = Math.max(...sets.map((set) => words.filter((word) => set.has(word)).length))
    return { ...span, supported: best / words.length >= SUPPORT_SHARE }
  })
}
