// Reads the part of Markdown that the guide is written in: headings, paragraphs, lists with what is indented below an item, fenced code and
// tables. The result is data for React, so text stays text.

export type GuideBlock =
  | { kind: 'heading'; level: number; text: string; id: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'list'; ordered: boolean; items: GuideBlock[][] }
  | { kind: 'table'; head: string[]; rows: string[][] }

const ITEM = /^(\d+\.|-) +/
const FENCE = /^`{3,}/
const RULE = /^\|[ :|-]+\|$/

/** Identifier of a heading as GitHub makes it, so that links work in both places. */
const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

export function guideBlocks(markdown: string): GuideBlock[] {
  return blocksOf(markdown.split('\n'))
}

function blocksOf(lines: readonly string[]): GuideBlock[] {
  const blocks: GuideBlock[] = []
  let at = 0
  /** Takes lines as long as they fit. */
  const take = (fits: (line: string) => boolean): string[] => {
    const from = at
    while (at < lines.length && fits(lines[at]!)) at += 1
    return lines.slice(from, at)
  }
  while (at < lines.length) {
    const line = lines[at]!
    const heading = /^(#{1,6}) (.*)$/.exec(line)
    const fence = FENCE.exec(line)
    if (line.trim() === '' || line.startsWith('<!--')) at += 1
    else if (heading !== null) {
      at += 1
      blocks.push({ kind: 'heading', level: heading[1]!.length, text: heading[2]!, id: headingId(heading[2]!) })
    } else if (fence !== null) {
      at += 1
      const text = take((each) => each !== fence[0]).join('\n')
      at += 1
      blocks.push({ kind: 'code', text })
    } else if (line.startsWith('|')) {
      const [head = '', ...rows] = take((each) => each.startsWith('|'))
      blocks.push({ kind: 'table', head: cellsOf(head), rows: rows.filter((row) => !RULE.test(row)).map(cellsOf) })
    } else if (ITEM.test(line)) {
      const ordered = /^\d/.test(line)
      const items: GuideBlock[][] = []
      while (at < lines.length && ITEM.test(lines[at]!) && /^\d/.test(lines[at]!) === ordered) {
        const mark = ITEM.exec(lines[at]!)![0]
        const first = lines[at]!.slice(mark.length)
        at += 1
        const below = take((each) => each === '' || each.startsWith(' ')).map((each) => each.slice(mark.length))
        items.push(blocksOf([first, ...below]))
      }
      blocks.push({ kind: 'list', ordered, items })
    } else
      blocks.push({
        kind: 'paragraph',
        text: take((each) => each.trim() !== '' && !/^[#|]/.test(each) && !FENCE.test(each) && !ITEM.test(each)).join(
          ' ',
        ),
      })
  }
  return blocks
}

export type GuideSpan =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong'; text: string }
  | { kind: 'emphasis'; text: string }
  | { kind: 'link'; text: string; target: string }

const SPAN = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)/g

/** Code, emphasis and links inside a text. */
export function guideSpans(text: string): GuideSpan[] {
  const spans: GuideSpan[] = []
  let from = 0
  for (const match of text.matchAll(SPAN)) {
    if (match.index > from) spans.push({ kind: 'text', text: text.slice(from, match.index) })
    const [, code, strong, emphasis, label, target] = match
    if (code !== undefined) spans.push({ kind: 'code', text: code })
    else if (strong !== undefined) spans.push({ kind: 'strong', text: strong })
    else if (emphasis !== undefined) spans.push({ kind: 'emphasis', text: emphasis })
    else spans.push({ kind: 'link', text: label!, target: target! })
    from = match.index + match[0].length
  }
  if (from < text.length) spans.push({ kind: 'text', text: text.slice(from) })
  return spans
}
