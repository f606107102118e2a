import type { Span } from '../../../components/text-match.ts'

/** A span without the white space at its ends; null when nothing is left. */
export function trimmedSpan(text: string, { start, end }: Span): Span | null {
  const chosen = text.slice(start, end)
  const from = start + (chosen.length - chosen.trimStart().length)
  const to = end - (chosen.length - chosen.trimEnd().length)
  return from < to ? { start: from, end: to } : null
}

/** Returns where a person's selection is in the text that `root` shows, in UTF-16 units; null when it is empty or reaches out of it. */
export function selectedSpan(root: Node, selection: Selection | null): Span | null {
  if (selection === null || selection.rangeCount === 0) return null
  const range = selection.getRangeAt(0)
  if (range.collapsed || !root.contains(range.commonAncestorContainer)) return null
  const before = range.cloneRange()
  before.selectNodeContents(root)
  before.setEnd(range.startContainer, range.startOffset)
  const start = before.toString().length
  return { start, end: start + range.toString().length }
}
