/** A word of a text as comparison sees it, and where it stands (UTF-16 units). */
interface PlacedWord {
  word: string
  start: number
  end: number
}

export interface Span {
  start: number
  end: number
}

/** Words in lower case with their places; punctuation and layout do not count, as in retrieval scoring. */
function wordsOf(text: string): PlacedWord[] {
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: match, index }) => ({
    word: match.normalize('NFKC').toLowerCase(),
    start: index,
    end: index + match.length,
  }))
}

/** Every place where a document says a fact, its words in one run whatever stands between them. One locator serves many facts. */
export function createLocator(text: string): (fact: string) => Span[] {
  const words = wordsOf(text)
  const places = new Map<string, number[]>()
  for (const [index, { word }] of words.entries()) {
    const known = places.get(word)
    if (known === undefined) places.set(word, [index])
    else known.push(index)
  }
  return (fact) => {
    const needle = wordsOf(fact)
    const [first] = needle
    if (first === undefined) return []
    return (places.get(first.word) ?? [])
      .filter((from) => needle.every(({ word }, offset) => words[from + offset]?.word === word))
      .map((from) => ({ start: words[from]!.start, end: words[from + needle.length - 1]!.end }))
  }
}
