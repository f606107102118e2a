/** Node and browsers have it alike; the types of this folder know neither. */
declare const TextDecoder: new (
  encoding: string,
  options?: { fatal?: boolean },
) => { decode: (bytes: Uint8Array) => string }

/** A text whose encoding is not one that can be read: the message names what it looks like and what to do. */
export class TextEncodingError extends Error {
  override readonly name = 'TextEncodingError'
}

const BYTE_ORDER_MARKS = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
] as const

/** Control characters that no table or text has, tab and line ends apart; Windows-1252 leaves five of the upper ones undefined. */
const NO_TEXT = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\x81\x8d\x8f\x90\x9d]/

/**
 * The text of a file that a person brought: the encoding of its byte order mark, else UTF-8, else Windows-1252, which older Excel writes on a European
 * Windows. Without its mark. Throws `TextEncodingError` for UTF-16 without a mark and for bytes that are not text.
 */
export function decodedText(bytes: Uint8Array): string {
  const mark = BYTE_ORDER_MARKS.find((each) => each.bytes.every((byte, at) => bytes[at] === byte))
  if (mark !== undefined) return new TextDecoder(mark.encoding).decode(bytes)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    text = new TextDecoder('windows-1252').decode(bytes)
  }
  if (!NO_TEXT.test(text)) return text
  const zeros = bytes.subarray(0, 1000).filter((byte) => byte === 0).length
  throw new TextEncodingError(
    zeros > Math.min(bytes.length, 1000) / 4
      ? 'the text is in UTF-16 without a byte order mark: save it as UTF-8'
      : 'the file holds bytes that are no text in UTF-8, UTF-16 or Windows-1252: save it as UTF-8',
  )
}
