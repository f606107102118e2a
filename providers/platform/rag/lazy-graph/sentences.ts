import { isStopWord, stem } from './words.ts'

/** A word of a text. `glued` says that only white space stands between it and the word before, in the same sentence. */
export interface Token {
  text: string
  lower: string
  stem: string
  stop: boolean
  glued: boolean
  /** First word of its sentence, or any word of a heading: a capital letter there says little. */
  weakCapital: boolean
}

export type Sentence = Token[]

const WORD = /[\p{L}\p{N}]+(?:[-_'’./:][\p{L}\p{N}]+)*/gu
const ABBREVIATION =
  /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|No|Nos|vs|approx|ca|cf|e\.g|i\.e|p|pp|Fig|Vol|Ltd|Inc|Co|\p{Lu})\.$/u
/** More than any abbreviation with what stands before it. */
const ABBREVIATION_CHARS = 16
const OWN_LINE = /^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|\||>)/
const HEADING = /^\s*#{1,6}\s|^\s*\*\*[^*]{1,80}\*\*\s*$/

/** Paragraphs as they were meant: wrapped lines are joined; headings, list items and table rows stand alone. */
function blocks(text: string): string[] {
  const result: string[] = []
  let open = false
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') open = false
    else if (open && !OWN_LINE.test(line)) result.push(`${result.pop() ?? ''} ${line}`)
    else {
      result.push(line)
      open = !HEADING.test(line) && !line.trimStart().startsWith('|')
    }
  }
  return result
}

function sentencesOf(block: string): string[] {
  const result: string[] = []
  let start = 0
  for (const match of block.matchAll(/(?<![.!?])[.!?]+["'”’)\]*_]*\s+(?=["'“‘([*_]*[\p{Lu}\p{N}])/gu)) {
    const end = match.index + match[0].length
    const tail = Math.max(start, match.index - ABBREVIATION_CHARS)
    if (ABBREVIATION.test(block.slice(tail, match.index + 1))) continue
    result.push(block.slice(start, end))
    start = end
  }
  result.push(block.slice(start))
  return result
}

function tokensOf(sentence: string, heading: boolean): Sentence {
  const tokens: Token[] = []
  let end = -1
  for (const match of sentence.matchAll(WORD)) {
    const text = match[0]
    const lower = text.toLowerCase()
    const between = end === -1 ? '' : sentence.slice(end, match.index)
    tokens.push({
      text,
      lower,
      stem: stem(lower),
      stop: isStopWord(lower),
      glued: end !== -1 && /^\s+$/.test(between),
      weakCapital: heading || end === -1,
    })
    end = match.index + text.length
  }
  return tokens
}

/** A text as sentences of words, in order; sentences without a word are left out. */
export function readSentences(text: string): Sentence[] {
  return blocks(text).flatMap((block) => {
    const heading = HEADING.test(block)
    return sentencesOf(block)
      .map((sentence) => tokensOf(sentence, heading))
      .filter((tokens) => tokens.length > 0)
  })
}
