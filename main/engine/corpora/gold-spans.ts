/** A word in the form that is compared, and its range (UTF-16 units). */
interface WordRange {
  word: string
  start: number
  end: number
}

export interface Span {
  start: number
  end: number
}

/** Words in lower case with their ranges; punctuation and layout are ignored, as in retrieval scoring. */
function wordsOf(text: string): WordRange[] {
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: match, index }) => ({
    word: match.normalize('NFKC').toLowerCase(),
    start: index,
    end: index + match.length,
  }))
}

/** Every range of a document that states a fact: its words in sequence, whatever punctuation is between them. One locator serves many facts. */
export function createLocator(text: string): (fact: string) => Span[] {
  const words = wordsOf(text)
  const positions = new Map<string, number[]>()
  for (const [index, { word }] of words.entries()) {
    const known = positions.get(word)
    if (known === undefined) positions.set(word, [index])
    else known.push(index)
  }
  return (fact) => {
    const needle = wordsOf(fact)
    const [first] = needle
    if (first === undefined) return []
    return (positions.get(first.word) ?? [])
      .filter((from) => needle.every(({ word }, offset) => words[from + offset]?.word === word))
      .map((from) => ({ start: words[from]!.start, end: words[from + needle.length - 1]!.end }))
  }
}
