/**
 * A piece of Markdown as running text: emphasis, code marks, links, images, footnote marks, heading, list and quote
 * markers are taken off, white space is joined. Nothing is added or reordered.
 */
export function plainText(markdown: string): string {
  const unmarked = markdown
    .replace(/^[ \t]*(?:#{1,6}\s+|>\s?|[-*+•]\s+)/gm, '')
    .replace(/!?\[([^[\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s"[^"]*")?\)/g, '$1')
    .replace(/\[\^[^[\]]+\]/g, '')
  return (
    withoutStrongMarks(unmarked)
      .replace(/(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]*?\S)\*(?![\p{L}\p{N}*])/gu, '$1')
      .replace(/(?<![\p{L}\p{N}_])_(?=\S)([^_\n]*?\S)_(?![\p{L}\p{N}_])/gu, '$1')
      .replace(/(?<!`)`+([^`]+)`+/g, '$1')
      .replace(/\*\*/g, '')
      // One end of an emphasis that spans several sentences.
      .replace(/(^|\s)[*_](?=\S)|(?<=\S)[*_](?=\s|$)/g, '$1')
      .replace(/\\([\\`*_{}[\]()#+\-.!|>])/g, '$1')
      .replace(/\s+/g, ' ')
      .trim()
  )
}

/**
 * The text without the marks of `**strong**` and `__strong__`. By hand: a regular expression looks for the end of each unclosed mark through the
 * whole rest, so that its time grows with the square of the text.
 */
function withoutStrongMarks(text: string): string {
  const open = /(\*\*|__)(?=\S)/g
  const parts: string[] = []
  const hopeless = new Set<string>()
  let at = 0
  for (let found = open.exec(text); found !== null; found = open.exec(text)) {
    const mark = found[1]!
    const start = found.index + mark.length
    const end = hopeless.has(mark) ? -1 : closingMark(text, mark, start + 1)
    if (end === -1) {
      // A mark that closes none from here closes none further on.
      hopeless.add(mark)
      open.lastIndex = found.index + 1
      if (hopeless.size === 2) break
      continue
    }
    parts.push(text.slice(at, found.index), text.slice(start, end))
    at = end + mark.length
    open.lastIndex = at
  }
  return parts.join('') + text.slice(at)
}

/** Returns where a mark comes right after a visible character; -1 when there is none. */
function closingMark(text: string, mark: string, from: number): number {
  let end = text.indexOf(mark, from)
  while (end !== -1 && /\s/.test(text[end - 1]!)) end = text.indexOf(mark, end + 1)
  return end
}
