import { plainNumber, type Block, type Document, type ListItem, type Table } from '../model/document.ts'
import { tableGrid } from '../model/table.ts'

/** Address of a document's image in the exported text; null leaves only its caption. */
export type ImageLink = (image: number) => string | null

/** The document as GitHub-flavoured Markdown. The text of a cell that spans others is in its first position; the others are empty. */
export function toMarkdown(document: Document, link: ImageLink = () => null): string {
  let text = ''
  let former: Block | null = null
  // Numbers of the ordered lists that are open, by depth.
  let numbers: number[] = []
  for (const block of document.blocks) {
    const inList = block.kind === 'list_item' && former?.kind === 'list_item'
    if (former !== null) text += inList ? '\n' : '\n\n'
    if (block.kind !== 'list_item') numbers = []
    else {
      numbers.length = Math.min(numbers.length, block.level + 1)
      numbers[block.level] = plainNumber(block) ?? (numbers[block.level] ?? 0) + 1
    }
    text += blockText(block, numbers, link)
    former = block
  }
  return text === '' ? '' : `${text}\n`
}

function blockText(block: Block, numbers: readonly number[], link: ImageLink): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${inline(block.text)}`
    case 'paragraph':
      return paragraph(block.text)
    case 'list_item':
      return `${'    '.repeat(block.level)}${itemStart(block, numbers[block.level] ?? 1)} ${inline(block.text)}`
    case 'table':
      return `${block.caption === null ? '' : `${paragraph(block.caption)}\n\n`}${tableText(block)}`
    case 'figure': {
      const address = block.image === null ? null : link(block.image)
      const words = block.caption === null ? '' : inline(block.caption)
      return address === null
        ? `<!-- image -->${words === '' ? '' : `\n\n${words}`}`
        : `![${words.replaceAll(/[[\]]/g, '')}](${address})`
    }
    case 'code': {
      const fence = '`'.repeat(Math.max(3, longestRun(block.text) + 1))
      return `${fence}${block.language ?? ''}\n${block.text}\n${fence}`
    }
    case 'formula':
      return `$$${block.text}$$`
  }
}

/** Numbers that Markdown has no syntax for, such as `(a)` or `1.2`, are text of a bullet. */
function itemStart(item: ListItem, number: number): string {
  if (!item.ordered) return '-'
  if (item.marker === undefined) return `${number}.`
  return plainNumber(item) === null ? `- ${inline(item.marker)}` : item.marker
}

const longestRun = (text: string): number => Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))

/** Only what would be read as markup is escaped: names with underscores stay as they are. A bracket that ends a link's text would make one of it. */
const inline = (text: string): string =>
  text.replaceAll(/[\\*`]|<(?=[a-zA-Z/!])|&(?=#?\w+;)|\](?=[([:])/g, (mark) => `\\${mark}`)

const paragraph = (text: string): string =>
  inline(text)
    .replace(/^(#{1,6}\s|>|[-+]\s|\||\$\$|=+$|-+$)/, (mark) => `\\${mark}`)
    .replace(/^(\d+)([.)]\s)/, '$1\\$2')

function tableText(table: Table): string {
  if (table.columns === 0) return ''
  const rows = tableGrid(table).map((row, rowIndex) =>
    row.map((cell, column) =>
      cell === null || cell.row !== rowIndex || cell.column !== column ? '' : inline(cell.text).replaceAll('|', '\\|'),
    ),
  )
  const hasHeader = table.cells.some((cell) => cell.row === 0 && cell.isHeader)
  const head = hasHeader ? rows[0]! : rows[0]!.map(() => '')
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), `|${' --- |'.repeat(table.columns)}`, ...rows.slice(hasHeader ? 1 : 0).map(line)].join('\n')
}
