import type { Span } from './text-match.ts'

/** Finds where a passage in Markdown has signs that only format it, and what they make strong. Offsets of the text stay as they are. */
export interface Markup {
  hidden: Span[]
  strong: Span[]
}

const HEADING = /^(#{1,6} +)(.*)$/gm
const BOLD = /\*\*(?=\S)([^\n]*?\S)\*\*/g

/** The headings and bold words of a text; everything else is shown as it is. */
export function markupOf(text: string): Markup {
  const hidden: Span[] = []
  const strong: Span[] = []
  for (const { index, 1: sign, 2: words } of text.matchAll(HEADING)) {
    const start = index + sign!.length
    hidden.push({ start: index, end: start })
    strong.push({ start, end: start + words!.length })
  }
  for (const { index, 0: whole } of text.matchAll(BOLD)) {
    const [start, end] = [index + 2, index + whole.length - 2]
    hidden.push({ start: index, end: start }, { start: end, end: end + 2 })
    strong.push({ start, end })
  }
  return { hidden: hidden.toSorted((a, b) => a.start - b.start), strong }
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** Direction of a text by its first letter, for the block around it: question and answer of one card then start on the same side. */
export const directionOf = (text: string): 'ltr' | 'rtl' => {
  const first = /\p{L}/u.exec(text)?.[0]
  return first !== undefined && RIGHT_TO_LEFT.test(first) ? 'rtl' : 'ltr'
}
