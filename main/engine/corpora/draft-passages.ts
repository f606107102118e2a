import type { DraftPassage } from '../../../contract/http/draft.ts'
import { evidenceWords } from '../../lib/text/evidence-words.ts'

/** Long enough for several facts, short enough for a small model. */
const PASSAGE_CHARS = 4000
/** Less holds no fact that is worth a question. */
const LEAST_WORDS = 6

/** A document in pieces of whole paragraphs; a paragraph that is too long alone is cut. */
export function passagesOf(document: string, text: string): DraftPassage[] {
  const title = /^#{1,3} +(.+)$/m.exec(text.slice(0, 2000))?.[1]?.trim().slice(0, 200) ?? document.split('/').at(-1)!
  const pieces: string[] = []
  let piece = ''
  for (const paragraph of text.replace(/^\uFEFF/, '').split(/\n\s*\n/)) {
    if (piece !== '' && piece.length + paragraph.length > PASSAGE_CHARS) {
      pieces.push(piece)
      piece = ''
    }
    piece = piece === '' ? paragraph : `${piece}\n\n${paragraph}`
    while (piece.length > PASSAGE_CHARS) {
      const cut = piece.lastIndexOf(' ', PASSAGE_CHARS)
      const end = cut > PASSAGE_CHARS / 2 ? cut : PASSAGE_CHARS
      pieces.push(piece.slice(0, end).toWellFormed())
      piece = piece.slice(end)
    }
  }
  pieces.push(piece)
  return pieces
    .map((each) => each.trim())
    .filter((each) => evidenceWords(each).length >= LEAST_WORDS)
    .map((each) => ({ document, title, text: each }))
}

/** At most `most` of a list, spread evenly over it. */
export function choosePassages<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items]
  return Array.from({ length: most }, (_, index) => items[Math.floor(((index + 0.5) * items.length) / most)]!)
}

/** More passages would make the comparison of all pairs slow. */
const MOST_COMPARED = 300
/** Words of a passage that could link it to another: names and terms, not words of every sentence. */
const linkWords = (text: string): Set<string> => new Set(evidenceWords(text).filter((word) => word.length > 3))

/**
 * Pairs of passages of two documents that share the rarest words, the closest pairs first; each passage is in few pairs, so that the questions are spread
 * over the corpus.
 */
export function pairPassages(passages: readonly DraftPassage[], most: number): DraftPassage[][] {
  const compared = choosePassages(passages, MOST_COMPARED)
  const words = compared.map(({ text }) => linkWords(text))
  const holders = new Map<string, number>()
  for (const each of words) for (const word of each) holders.set(word, (holders.get(word) ?? 0) + 1)
  // A word of half the passages links nothing.
  const weight = (word: string): number => Math.max(0, Math.log(compared.length / 2 / holders.get(word)!) + 1)
  const pairs: { one: number; other: number; score: number }[] = []
  for (let one = 0; one < compared.length; one += 1)
    for (let other = one + 1; other < compared.length; other += 1) {
      if (compared[one]!.document === compared[other]!.document) continue
      let score = 0
      for (const word of words[one]!) if (words[other]!.has(word)) score += weight(word)
      if (score > 0) pairs.push({ one, other, score })
    }
  pairs.sort((a, b) => b.score - a.score || a.one - b.one || a.other - b.other)
  const uses = compared.map(() => 0)
  const limit = Math.max(1, Math.ceil((2 * most) / compared.length))
  const chosen: DraftPassage[][] = []
  for (const { one, other } of pairs) {
    if (chosen.length >= most) break
    if (uses[one]! >= limit || uses[other]! >= limit) continue
    uses[one]! += 1
    uses[other]! += 1
    chosen.push([compared[one]!, compared[other]!])
  }
  return chosen
}

/** A year, or a day or month by its name. */
const DATE =
  /\b(?:1[0-9]{3}|20[0-9]{2})\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b/

/** True for a passage that holds a date. */
export const withDate = ({ text }: Pick<DraftPassage, 'text'>): boolean => DATE.test(text)

/** Characters of a passage of a group: all of them together are as long as two passages. */
const GROUPED_CHARS = PASSAGE_CHARS / 2
/** A word of fewer documents groups nothing. */
const LEAST_GROUP = 3

/**
 * Groups of passages of at least three and at most `size` documents that share a word, those of the rarest words first; a passage is in one group. Passages are cut
 * at a paragraph where that keeps the group short.
 */
export function groupPassages(passages: readonly DraftPassage[], most: number, size: number): DraftPassage[][] {
  const compared = choosePassages(passages, MOST_COMPARED)
  const holders = new Map<string, number[]>()
  for (const [at, { text }] of compared.entries())
    for (const word of linkWords(text)) holders.set(word, [...(holders.get(word) ?? []), at])
  const used = new Set<number>()
  const groups: DraftPassage[][] = []
  const rarest = [...holders].sort(([one, a], [other, b]) => a.length - b.length || (one < other ? -1 : 1))
  for (const [word, places] of rarest) {
    if (groups.length >= most) break
    const documents = new Map<string, number>()
    for (const at of places)
      if (!used.has(at) && !documents.has(compared[at]!.document)) documents.set(compared[at]!.document, at)
    if (documents.size < LEAST_GROUP) continue
    const chosen = [...documents.values()].slice(0, size)
    for (const at of chosen) used.add(at)
    groups.push(chosen.map((at) => cutAround(compared[at]!, word)))
  }
  return groups
}

/** The paragraphs of a passage from the first that holds the word, as many as a group has room for. */
function cutAround(passage: DraftPassage, word: string): DraftPassage {
  if (passage.text.length <= GROUPED_CHARS) return passage
  const paragraphs = passage.text.split(/\n\s*\n/)
  const first = Math.max(
    0,
    paragraphs.findIndex((each) => linkWords(each).has(word)),
  )
  let text = ''
  for (const paragraph of paragraphs.slice(first)) {
    if (text !== '' && text.length + paragraph.length > GROUPED_CHARS) break
    text = text === '' ? paragraph : `${text}\n\n${paragraph}`
  }
  return { ...passage, text: text.slice(0, PASSAGE_CHARS).toWellFormed() }
}
