import { blocksOf, tableCells } from './blocks.ts'
import type { Block } from './blocks.ts'
import { memoized } from './memo.ts'
import { plainText } from './plain-text.ts'

/**
 * A sentence, heading, list item or table row. `text` is its plain text (a table row reads `Header: value; …`);
 * `source.slice(start, end)` is where it is. `block` counts the blocks of the source. `whole` is false for a piece
 * that was cut at the start or the end of the source.
 */
export type Sentence = {
  text: string
  kind: 'prose' | 'heading' | 'list_item' | 'table_row'
  start: number
  end: number
  block: number
  whole: boolean
}

const NEVER_LAST =
  /(?:^|[\s("'“‘])(?:dr|mr|mrs|ms|prof|st|mt|capt|cdr|lt|col|gen|maj|sgt|rev|hon|messrs|vs|cf|approx|ca|fig|figs|eq|vol|ed|eds|pp|esp|incl|viz|v|e\.g|i\.e)\.$/i
const LAST_UNLESS_NUMBER = /(?:^|[\s("'“‘])(?:no|nos|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|art|sec|ch|p)\.$/i
const MAYBE_LAST = /(?:^|[\s("'“‘])(?:inc|ltd|co|corp|jr|sr|al|etc|bros|a\.m|p\.m)\.$/i
const INITIAL = /(?:^|\s|\.)(\p{Lu})\.$/u
const SENTENCE_OPENER =
  /^(?:the|a|an|it|its|he|she|they|we|this|that|these|those|in|on|at|by|for|from|after|before|but|and|no|there)\b/i
const TERMINATOR = /(?<![.!?…])[.!?…]+[)\]"'”’»*_]*(?=\s|$)/gu
const CLOSING = new Set(')]"\'”’»*_')
/** More than any abbreviation with the words around it: what is read before a terminator, so that the time is in proportion to the text. */
const TAIL_CHARS = 160
/** Sets what is read after a terminator, white space included. */
const AFTER_CHARS = 400
const RUN_IN_HEAD_CHARS = 200

/** True when the period that ends `before` belongs to an abbreviation and the sentence goes on with `after`. */
function abbreviationGoesOn(before: string, after: string): boolean {
  let end = before.length
  while (end > 0 && CLOSING.has(before[end - 1]!)) end -= 1
  const tail = before.slice(Math.max(0, end - TAIL_CHARS), end)
  // Cut at white space, so that no word loses its start.
  const bare = end > TAIL_CHARS ? tail.slice(Math.max(0, tail.search(/\s/))) : tail
  if (!bare.endsWith('.')) return false
  if (NEVER_LAST.test(bare)) return true
  if (LAST_UNLESS_NUMBER.test(bare)) return /^[\d(]/.test(after)
  if (MAYBE_LAST.test(bare))
    return !/^[\p{Lu}\d"“]/u.test(after) || (!SENTENCE_OPENER.test(after) && /(?:jr|sr|co|a\.m|p\.m)\.$/i.test(bare))
  // "J. Smith" and "A. B. Smith" go on; "plan B. The" does not.
  if (!INITIAL.test(bare)) return false
  const words = bare.split(/\s+/)
  const previous = words.at(-2) ?? ''
  const opensName = previous === '' || /^["“'(]*\p{Lu}/u.test(previous)
  return opensName && /^\p{Lu}/u.test(after) && !SENTENCE_OPENER.test(after)
}

/** Ends of the sentences of a paragraph, relative to it. */
function sentenceEnds(paragraph: string): number[] {
  const ends: number[] = []
  let start = 0
  /** Letters between `start` and `counted`. */
  let letters = 0
  let counted = 0
  for (const match of paragraph.matchAll(TERMINATOR)) {
    const end = match.index + match[0].length
    const after = paragraph.slice(end, end + AFTER_CHARS).trimStart()
    const piece = paragraph.slice(start, end)
    if (after !== '' && /^[("'“‘*_]*\p{Ll}/u.test(after)) continue
    if (abbreviationGoesOn(piece, after)) continue
    // A run-in head ("**1698.**") or a bare number belongs to the sentence it opens.
    letters += paragraph.slice(counted, end).match(/\p{L}/gu)?.length ?? 0
    counted = end
    const isHead = piece.length <= RUN_IN_HEAD_CHARS && /^\s*\*\*[^*]+\*\*\s*$/.test(piece)
    if (after !== '' && (isHead || letters < 3)) continue
    ends.push(end)
    start = end
    letters = 0
  }
  if (paragraph.slice(start).trim() !== '') ends.push(paragraph.length)
  return ends
}

/** `Header: value; Header: value` of a table row; plain cells where the table has no header. */
function tableRowText(row: string, header: readonly string[]): string {
  return tableCells(row)
    .map((cell, column) => {
      const value = plainText(cell)
      const title = plainText(header[column] ?? '')
      return value === '' || title === '' ? value : `${title}: ${value}`
    })
    .filter((cell) => cell !== '')
    .join('; ')
}

function* proseSentences(source: string, block: Block, index: number): Generator<Sentence> {
  const paragraph = source.slice(block.start, block.end)
  let from = 0
  for (const to of sentenceEnds(paragraph)) {
    const lead = /^\s*/.exec(paragraph.slice(from, to))![0].length
    const start = block.start + from + lead
    const end = block.start + to
    const text = plainText(source.slice(start, end))
    const cutAtStart = start === 0 && /^[\p{Ll},;:)]/u.test(text)
    const cutAtEnd = end >= source.trimEnd().length && !/[.!?…:;"”’')\]]$/.test(text)
    const kind = block.kind === 'list_item' ? 'list_item' : 'prose'
    if (text !== '') yield { text, kind, start, end, block: index, whole: !cutAtStart && !cutAtEnd }
    from = to
  }
}

function splitSentences(source: string): readonly Sentence[] {
  return blocksOf(source).flatMap((block, index): Sentence[] => {
    const raw = source.slice(block.start, block.end)
    const place = { start: block.start, end: block.end, block: index, whole: true }
    switch (block.kind) {
      case 'heading':
        return [{ text: plainText(raw), kind: 'heading', ...place }]
      case 'table_row':
        return [{ text: tableRowText(raw, block.header), kind: 'table_row', ...place }]
      case 'paragraph':
      case 'list_item':
        return [...proseSentences(source, block, index)]
    }
  })
}

/** The sentences of a Markdown or plain text, in order. */
export const sentencesOf: (source: string) => readonly Sentence[] = memoized(1024, splitSentences)
