/** Most characters (UTF-16 units) of an answer that a judge is shown. */
export const ANSWER_CAP = 1200

/** What stands in place of the answer of a failed cell. */
export const NO_ANSWER = '(no answer)'

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
/** Characters that turn or hide text: what a judge reads must be what a person sees. */
const UNSEEN = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** Text in which nothing can pass for a delimiter of the prompt, a control sequence or unseen writing. Line ends become `\n`. */
export function neutralize(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(CONTROLS, ' ')
    .replace(UNSEEN, '')
    .replace(/<{3,}/g, '<<')
    .replace(/>{3,}/g, '>>')
    .toWellFormed()
}

/** The first `limit` UTF-16 units, one less where that would split a character. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  return text.slice(0, /[\uD800-\uDBFF]/.test(text[limit - 1]!) ? limit - 1 : limit)
}

export interface ShownAnswer {
  text: string
  answered: boolean
  capped: boolean
  neutralized: boolean
}

/** A stored answer → what a judge is shown; null is a failed cell. An answer that is blank, or becomes it, is none either. */
export function shownAnswer(answer: string | null): ShownAnswer {
  const stored = (answer ?? '').replace(/\r\n?/g, '\n').trim()
  const inert = neutralize(stored).trim()
  if (inert === '') return { text: NO_ANSWER, answered: false, capped: false, neutralized: false }
  const text = cut(inert, ANSWER_CAP)
  return { text, answered: true, capped: text.length < inert.length, neutralized: inert !== stored }
}
