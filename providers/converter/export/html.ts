import { escapeXml } from '../formats/xml.ts'
import { plainNumber, type Block, type Document, type ListItem, type Place, type Table } from '../model/document.ts'
import type { ImageLink } from './markdown.ts'

/** The document as one HTML page without scripts or styles; a block's location is in its `data-` attributes. */
export function toHtml(document: Document, link: ImageLink = () => null): string {
  const body: string[] = []
  for (let index = 0; index < document.blocks.length; index += 1) {
    const block = document.blocks[index]!
    if (block.kind !== 'list_item') {
      body.push(blockHtml(block, link))
      continue
    }
    const items: ListItem[] = []
    for (let next = document.blocks[index]; next?.kind === 'list_item'; next = document.blocks[index + items.length])
      items.push(next)
    body.push(...lists(items))
    index += items.length - 1
  }
  return `<!DOCTYPE html>\n<html>\n<head><meta charset="utf-8"></head>\n<body>\n${body.join('\n')}\n</body>\n</html>\n`
}

const escapeHtml = (text: string): string => escapeXml(text).replaceAll('"', '&quot;')

function placeAttributes(place: Place | null): string {
  if (place === null) return ''
  const { page, box } = place
  const corners = box === null ? '' : ` data-box="${[box.left, box.top, box.right, box.bottom].join(' ')}"`
  return ` data-page="${page}"${corners}`
}

function blockHtml(block: Exclude<Block, ListItem>, link: ImageLink): string {
  const at = placeAttributes(block.place)
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}${at}>${escapeHtml(block.text)}</h${block.level}>`
    case 'paragraph':
      return `<p${at}>${escapeHtml(block.text)}</p>`
    case 'table':
      return tableHtml(block, at)
    case 'figure': {
      const address = block.image === null ? null : link(block.image)
      const image = address === null ? '' : `<img src="${escapeHtml(address)}">`
      return `<figure${at}>${image}${block.caption === null ? '' : `<figcaption>${escapeHtml(block.caption)}</figcaption>`}</figure>`
    }
    case 'code': {
      const language = block.language === null ? '' : ` class="language-${escapeHtml(block.language)}"`
      // The parser drops a line break right after <pre>.
      return `<pre${at}><code${language}>${escapeHtml(block.text)}</code></pre>`
    }
    case 'formula':
      return `<div class="formula"${at}>${escapeHtml(block.text)}</div>`
  }
}

function tableHtml(table: Table, at: string): string {
  const rows = Array.from({ length: table.rows }, (_, row) =>
    table.cells
      .filter((cell) => cell.row === row)
      .map(({ rowSpan, columnSpan, text, isHeader }) => {
        const spans = `${rowSpan > 1 ? ` rowspan="${rowSpan}"` : ''}${columnSpan > 1 ? ` colspan="${columnSpan}"` : ''}`
        return isHeader ? `<th${spans}>${escapeHtml(text)}</th>` : `<td${spans}>${escapeHtml(text)}</td>`
      })
      .join(''),
  )
  const caption = table.caption === null ? '' : `<caption>${escapeHtml(table.caption)}</caption>`
  return `<table${at}>${caption}\n<tbody>\n${rows.map((row) => `<tr>${row}</tr>`).join('\n')}\n</tbody>\n</table>`
}

/** Numbers that HTML cannot count are shown by the item's style. */
function markerAttributes(item: ListItem): string {
  if (item.marker === undefined) return ''
  const number = plainNumber(item)
  if (number !== null && item.marker.endsWith('.')) return ` value="${number}"`
  const marker = escapeHtml(item.marker.replaceAll(/["'\\;]/g, ''))
  return ` style="list-style-type:'${marker} '"`
}

/** Items as nested lists: a deeper item is inside the item before it. */
function lists(items: readonly ListItem[]): string[] {
  const out: string[] = []
  const open: boolean[] = []
  const close = (): string => `</li></${open.pop() === true ? 'ol' : 'ul'}>`
  for (const item of items) {
    while (open.length > item.level + 1) out.push(close())
    if (open.length === item.level + 1 && open.at(-1) !== item.ordered) out.push(close())
    if (open.length === item.level + 1) out.push('</li>')
    while (open.length < item.level + 1) {
      out.push(`<${item.ordered ? 'ol' : 'ul'}>`)
      open.push(item.ordered)
      if (open.length < item.level + 1) out.push('<li>')
    }
    out.push(`<li${placeAttributes(item.place)}${markerAttributes(item)}>${escapeHtml(item.text)}`)
  }
  while (open.length > 0) out.push(close())
  return [out.join('')]
}
