/**
 * Sequences with a text of their own (titles, links, clipboard): up to their terminator, or the escape alone when there is none. The text holds no
 * further start, so that a run of starts is not read to its end from each of them.
 */
const STRING_SEQUENCE =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)/g
const CONTROL_SEQUENCE = /(?:\u001b\[|\u009b)[\u0030-\u003f]*[\u0020-\u002f]*[\u0040-\u007e]?/g
const SHORT_ESCAPE = /\u001b[\u0020-\u002f]*[\u0030-\u007e]?/g
/** Other controls, and the characters that turn, hide or join text without being seen. */
const UNSEEN =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/**
 * Text that a terminal shows and does not obey: escape sequences and unseen characters out, tabs as spaces, lone surrogates replaced. Lines
 * stay lines.
 */
export function sanitizeForTerminal(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', ' ')
    .replace(STRING_SEQUENCE, '')
    .replace(CONTROL_SEQUENCE, '')
    .replace(SHORT_ESCAPE, '')
    .replace(UNSEEN, '')
    .toWellFormed()
}

/** The same on one line, blanks run together. */
export const oneLine = (text: string): string =>
  sanitizeForTerminal(text)
    .replace(/[^\S\u2009]+/g, ' ')
    .trim()
