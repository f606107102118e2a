/** Longest snippet of a source, in UTF-16 units. */
export const SNIPPET_MAX = 240

/** The start of a text, at most 240 units; a character outside the basic plane is kept whole or left out. */
export function snippetOf(text: string): string {
  if (text.length <= SNIPPET_MAX) return text
  const last = text.charCodeAt(SNIPPET_MAX - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, splitsPair ? SNIPPET_MAX - 1 : SNIPPET_MAX)
}
