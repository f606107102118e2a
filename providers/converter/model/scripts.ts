/** Marks around raised and lowered text while a document is read; the text around it decides how it is written. */
const [RAISED, LOWERED, END] = ['\u{E005}', '\u{E006}', '\u{E007}']

export const raised = (text: string): string => (text === '' ? '' : `${RAISED}${text}${END}`)
export const lowered = (text: string): string => (text === '' ? '' : `${LOWERED}${text}${END}`)

/** Programs split a run at every change of style. */
const BETWEEN_EQUALS =
  /(?<=\u{E005}[^\u{E005}-\u{E007}]*)\u{E007}\u{E005}|(?<=\u{E006}[^\u{E005}-\u{E007}]*)\u{E007}\u{E006}/gu
const INNERMOST = /([\u{E005}\u{E006}])([^\u{E005}-\u{E007}]*)\u{E007}/gu
const ORDINAL = /^(?:st|nd|rd|th|er|re|e|ers|es|ème|ième)$/i
const NEEDS_NOTHING = /^(?:\[[^\]]*\]|tm|sm|[^\p{L}\p{N}]+)$/iu
const SIMPLE = /^[-+−–]?[\p{L}\p{N}]+$/u

/**
 * Text with its raised and lowered parts written out, so that no number changes: 10^6, 101_2. Marks of notes in brackets, ordinals (21st) and signs such
 * as ® need nothing; an index stays a part of its word (H2O) unless it meets a digit. The characters ⁶ and ₂ would not do: comparisons fold them to digits.
 */
export function writtenScripts(text: string): string {
  let written = text
  for (let former = ''; former !== written && written.includes(END);) {
    former = written
    const joined = written.replaceAll(BETWEEN_EQUALS, '')
    written = joined.replaceAll(INNERMOST, (whole: string, kind: string, inner: string, at: number) => {
      const content = inner.trim()
      const [before, after] = [joined.charAt(at - 1), joined.charAt(at + whole.length)]
      return inner.replace(content, () =>
        kind === RAISED ? power(content, before, after) : index(content, before, after),
      )
    })
  }
  return written.replaceAll(/[\u{E005}-\u{E007}]/gu, '')
}

function power(content: string, before: string, after: string): string {
  if (NEEDS_NOTHING.test(content) || (ORDINAL.test(content) && /\p{N}/u.test(before))) return content
  return `^${enclosed(content, after)}`
}

function index(content: string, before: string, after: string): string {
  const meetsDigit = /\p{N}\p{N}/u.test(before + content[0]!) || /\p{N}\p{N}/u.test(content.at(-1)! + after)
  return !meetsDigit && SIMPLE.test(content)
    ? content
    : NEEDS_NOTHING.test(content)
      ? content
      : `_${enclosed(content, after)}`
}

const enclosed = (content: string, after: string): string =>
  SIMPLE.test(content) && !/[\p{L}\p{N}]/u.test(after) ? content : `(${content})`
