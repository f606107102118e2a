import type { Block } from '../../../providers/converter/model/document.ts'
import { tableOfRows } from '../../../providers/converter/model/table.ts'

const unescape = (text: string): string => text.replaceAll(/\\([\\*`<&#>|+$.)=-])/g, '$1')

/** Blocks of the Markdown that the converter writes: enough of the language to read it back, no more. */
export function readMarkdown(text: string): Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!
    const heading = /^(#{1,6}) (.*)$/.exec(line)
    const item = /^((?: {4})*)(-|\d+\.) (.*)$/.exec(line)
    const fence = /^(`{3,})(.*)$/.exec(line)
    if (line === '' || line === '<!-- image -->') {
      if (line !== '') blocks.push({ kind: 'figure', caption: null, image: null, place: null })
    } else if (heading !== null)
      blocks.push({ kind: 'heading', level: heading[1]!.length, text: unescape(heading[2]!), place: null })
    else if (fence !== null) {
      const end = lines.indexOf(fence[1]!, at + 1)
      blocks.push({
        kind: 'code',
        language: fence[2] === '' ? null : fence[2]!,
        text: lines.slice(at + 1, end).join('\n'),
        place: null,
      })
      at = end
    } else if (line.startsWith('$$')) blocks.push({ kind: 'formula', text: line.slice(2, -2), place: null })
    else if (item !== null)
      blocks.push({
        kind: 'list_item',
        level: item[1]!.length / 4,
        ordered: item[2] !== '-',
        ...(item[2] === '-' ? {} : { marker: item[2]! }),
        text: unescape(item[3]!),
        place: null,
      })
    else if (line.startsWith('| ')) {
      const end = lines.findIndex((each, index) => index > at && !each.startsWith('|'))
      const rows = lines.slice(at, end).map((row) => row.slice(2, -2).split(/ \| /).map(unescape))
      rows.splice(1, 1)
      const hasHeader = rows[0]!.some((cell) => cell !== '')
      blocks.push(tableOfRows(hasHeader ? rows : rows.slice(1), hasHeader, null))
      at = end - 1
    } else blocks.push({ kind: 'paragraph', text: unescape(line), place: null })
  }
  return blocks
}
