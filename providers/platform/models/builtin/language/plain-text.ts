/**
 * A piece of Markdown as running text: emphasis, code marks, links, images, footnote marks, heading, list and quote
 * markers are taken off, white space is joined. Nothing is added or reordered.
 */
export function plainText(markdown: string): string {
  return (
    markdown
      .replace(/^[ \t]*(?:#{1,6}\s+|>\s?|[-*+•]\s+)/gm, '')
      .replace(/!?\[([^\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s"[^"]*")?\)/g, '$1')
      .replace(/\[\^[^\]]+\]/g, '')
      .replace(/(\*\*|__)(?=\S)([\s\S]*?\S)\1/g, '$2')
      .replace(/(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]*?\S)\*(?![\p{L}\p{N}*])/gu, '$1')
      .replace(/(?<![\p{L}\p{N}_])_(?=\S)([^_\n]*?\S)_(?![\p{L}\p{N}_])/gu, '$1')
      .replace(/`+([^`]+)`+/g, '$1')
      .replace(/\*\*/g, '')
      // One end of an emphasis that spans several sentences.
      .replace(/(^|\s)[*_](?=\S)|(?<=\S)[*_](?=\s|$)/g, '$1')
      .replace(/\\([\\`*_{}[\]()#+\-.!|>])/g, '$1')
      .replace(/\s+/g, ' ')
      .trim()
  )
}
