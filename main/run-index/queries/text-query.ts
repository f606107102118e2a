const WORD = /[\p{L}\p{N}\p{Co}]/u
const PARTS = /"([^"]*)"|(\S+)/gu

/** The words and quoted phrases of what a user typed; the last word is a prefix while it is being typed. */
function searchTerms(text: string): { text: string; isPrefix: boolean }[] {
  const terms = [...text.matchAll(PARTS)].map((match) => ({
    text: (match[1] ?? match[2]!).replaceAll('"', ' '),
    isPrefix: match[2] !== undefined && match.index + match[0].length === text.length,
  }))
  return terms.filter((term) => WORD.test(term.text))
}

/** Turns what a user typed into a query of FTS5 in which nothing is an operator; null when there is no word in it. */
export function textQuery(text: string): string | null {
  const terms = searchTerms(text.replaceAll('\0', ' '))
  if (terms.length === 0) return null
  return terms.map(({ text, isPrefix }) => `"${text}"${isPrefix ? '*' : ''}`).join(' AND ')
}

const EXCERPT_CHARS = 200
const LEAD_CHARS = 60

/** About 200 characters of a text around the first word of the query; its beginning when it has none of them. */
export function excerptOf(text: string, query: string): string {
  const lower = text.toLowerCase()
  const words = searchTerms(query).flatMap(({ text: term }) => term.toLowerCase().match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [])
  const offsets = words.map((word) => lower.indexOf(word)).filter((offset) => offset !== -1)
  const start = offsets.length === 0 ? 0 : Math.max(0, Math.min(...offsets) - LEAD_CHARS)
  const cut = wholeCharacters(text, start, start + EXCERPT_CHARS)
  return `${cut.start > 0 ? '…' : ''}${text.slice(cut.start, cut.end).replaceAll(/\s+/g, ' ')}${cut.end < text.length ? '…' : ''}`
}

/** The range, moved so that it cuts no pair of surrogates in two and lies in the text; a range of two or more is never empty. */
export function wholeCharacters(text: string, start: number, end: number): { start: number; end: number } {
  const from = Math.min(start, text.length)
  const to = Math.min(end, text.length)
  return { start: splitsPair(text, from) ? from - 1 : from, end: splitsPair(text, to) ? to - 1 : to }
}

const splitsPair = (text: string, at: number): boolean =>
  at > 0 && at < text.length && /[\uD800-\uDBFF]/.test(text[at - 1]!) && /[\uDC00-\uDFFF]/.test(text[at]!)
