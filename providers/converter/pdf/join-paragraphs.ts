import type { Block, Page } from '../model/document.ts'

const ENDS = /[.!?:;…"”»)\]]$/u

/** Joins a paragraph that runs on in the next column or on the next page: it ends without a mark and goes on in lower case. */
export function joinParagraphs(blocks: readonly Block[]): Block[] {
  const joined: Block[] = []
  for (const block of blocks) {
    const former = joined.at(-1)
    if (former?.kind === 'paragraph' && block.kind === 'paragraph' && runsOn(former.text, block.text)) {
      const text = /\p{L}-$/u.test(former.text)
        ? `${former.text.slice(0, -1)}${block.text}`
        : `${former.text} ${block.text}`
      joined[joined.length - 1] = { ...former, text }
    } else joined.push(block)
  }
  return joined
}

const runsOn = (former: string, next: string): boolean =>
  !ENDS.test(former) && former.length > 60 && /^\p{Ll}/u.test(next)

/**
 * Lines that stand at the same height at the top or bottom of most pages are no part of the text. At least four pages show it. A page that has
 * nothing else keeps them.
 */
export function dropRunningLines(blocks: readonly Block[], pages: readonly Page[]): Block[] {
  if (pages.length < 4) return [...blocks]
  const heights = new Map(pages.map(({ number, heightPt }) => [number, heightPt]))
  const keyOf = (block: Block): string | null => {
    if (
      (block.kind !== 'paragraph' && block.kind !== 'heading') ||
      block.text.length > 120 ||
      (block.place?.box ?? null) === null
    )
      return null
    const height = heights.get(block.place!.page) ?? 0
    const { top, bottom } = block.place!.box!
    if (bottom > height * 0.08 && top < height * 0.92) return null
    return `${Math.round(top / 6)} ${block.text.replaceAll(/\d+/g, '#')}`
  }
  const seen = new Map<string, Set<number>>()
  for (const block of blocks) {
    const key = keyOf(block)
    if (key === null) continue
    if (!seen.has(key)) seen.set(key, new Set())
    seen.get(key)!.add(block.place!.page)
  }
  const isRunning = (block: Block): boolean => {
    const key = keyOf(block)
    return key !== null && seen.get(key)!.size >= Math.max(4, pages.length / 2)
  }
  const pagesWithMore = new Set(blocks.filter((block) => !isRunning(block)).map(({ place }) => place?.page))
  return blocks.filter((block) => !isRunning(block) || !pagesWithMore.has(block.place?.page))
}
