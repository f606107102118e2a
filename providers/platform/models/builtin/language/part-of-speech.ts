import type { PartOfSpeech } from 'wink-nlp'
import { memoized } from './memo.ts'
import { wink } from './wink.ts'

/** A token as the tagger cuts it (punctuation included), with its part of speech and base form. Offsets in UTF-16 units. */
export type TaggedToken = { text: string; pos: PartOfSpeech; lemma: string; start: number; end: number }

/** Beyond this a "sentence" is not prose, and the tagger would take the square of its length. */
const LONGEST_SENTENCE = 2000

function tag(text: string): readonly TaggedToken[] {
  const { readDoc, partOfSpeech, lemma } = wink()
  const tokens = readDoc(text.slice(0, LONGEST_SENTENCE)).tokens()
  const words = tokens.out()
  const tags = tokens.out(partOfSpeech) as PartOfSpeech[]
  const lemmas = tokens.out(lemma)
  const tagged: TaggedToken[] = []
  let from = 0
  words.forEach((word, index) => {
    const start = text.indexOf(word, from)
    // The tagger rewrites a few characters; such a token has no place in the text.
    if (start === -1 || start > from + 40) return
    from = start + word.length
    tagged.push({ text: word, pos: tags[index]!, lemma: lemmas[index]!, start, end: from })
  })
  return tagged
}

/** The tagged tokens of a sentence in order; only those of its first 2,000 characters. */
export const taggedTokens: (sentence: string) => readonly TaggedToken[] = memoized(512, tag)
