import type { Block, Table, TableCell } from '../../../providers/converter/model/document.ts'

const unescape = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
const GRID = 500

/** Blocks of a DocTags text on pages of one size; places are as exact as the tags' grid. */
export function readDoctags(text: string, widthPt: number, heightPt: number): Block[] {
  const blocks: Block[] = []
  const lists: boolean[] = []
  const counts: number[] = []
  let page = 1
  const inner = text.replace(/^<doctag>/, '').replace(/\n<\/doctag>\n$/, '')
  const tag =
    /<(page_break|\/?(?:un)?ordered_list)>|<(section_header_level_\d|text|list_item|code|formula|picture|otsl)>([\s\S]*?)<\/\2>/g
  for (const [, mark, name, content = ''] of inner.matchAll(tag)) {
    if (mark === 'page_break') page += 1
    else if (mark?.startsWith('/')) lists.pop()
    else if (mark !== undefined) lists.push(mark === 'ordered_list')
    if (name === undefined) continue
    const corners = [...content.matchAll(/<loc_(\d+)>/g)].map(([, value]) => Number(value))
    const rest = content.replaceAll(/<loc_\d+>/g, '')
    const caption = /<caption>(.*?)<\/caption>/s.exec(rest)?.[1]
    const box = {
      left: (corners[0]! * widthPt) / GRID,
      top: (corners[1]! * heightPt) / GRID,
      right: (corners[2]! * widthPt) / GRID,
      bottom: (corners[3]! * heightPt) / GRID,
    }
    const place = { page, box }
    const words = caption === undefined ? null : unescape(caption)
    if (name.startsWith('section_header'))
      blocks.push({ kind: 'heading', level: Number(name.at(-1)), text: unescape(rest), place })
    else if (name === 'text') blocks.push({ kind: 'paragraph', text: unescape(rest), place })
    else if (name === 'list_item') {
      const [level, ordered] = [lists.length - 1, lists.at(-1)!]
      counts.length = level + 1
      counts[level] = (counts[level] ?? 0) + 1
      const marker = ordered ? { marker: `${counts[level]}.` } : {}
      blocks.push({ kind: 'list_item', level, ordered, ...marker, text: unescape(rest), place })
    } else if (name === 'formula') blocks.push({ kind: 'formula', text: unescape(rest), place })
    else if (name === 'picture') blocks.push({ kind: 'figure', caption: words, image: null, place })
    else if (name === 'code') {
      const language = /^<_(.*?)_>/.exec(rest)![1]!
      blocks.push({
        kind: 'code',
        language: language === 'unknown' ? null : language,
        text: unescape(rest.replace(/^<_.*?_>/, '')),
        place,
      })
    } else blocks.push({ ...readOtsl(rest.replace(/<caption>.*?<\/caption>/s, '')), caption: words, place })
  }
  return blocks
}

function readOtsl(text: string): Table {
  const grid = text
    .split('<nl>')
    .slice(0, -1)
    .map((row) =>
      [...row.matchAll(/<(fcel|ecel|ched|lcel|ucel|xcel)>([^<]*)/g)].map(([, tag, words]) => ({ tag, words: words! })),
    )
  const cells: TableCell[] = []
  grid.forEach((row, y) =>
    row.forEach(({ tag, words }, x) => {
      if (tag === 'lcel' || tag === 'ucel' || tag === 'xcel') return
      let columnSpan = 1
      while (row[x + columnSpan]?.tag === 'lcel') columnSpan += 1
      let rowSpan = 1
      while (grid[y + rowSpan]?.[x]?.tag === 'ucel') rowSpan += 1
      cells.push({ row: y, column: x, rowSpan, columnSpan, text: unescape(words), isHeader: tag === 'ched' })
    }),
  )
  return { kind: 'table', rows: grid.length, columns: grid[0]?.length ?? 0, cells, caption: null, place: null }
}
