import { escapeXml } from '../formats/xml.ts'
import { plainNumber } from '../model/document.ts'
import type { Block, Document, ListItem, Page, Place, Table } from '../model/document.ts'
import { tableGrid } from '../model/table.ts'

/** Locations are given on a grid of this many steps per page side. */
const GRID = 500

/** The document as DocTags: one tag per block, locations on a 500 × 500 grid, tables in OTSL. Text is escaped as in XML. */
export function toDoctags(document: Document): string {
  const pages = new Map(document.pages.map((page) => [page.number, page]))
  const out: string[] = []
  const open: boolean[] = []
  let items: number[] = []
  let page = document.pages[0]?.number ?? null
  const closeTo = (depth: number): void => {
    while (open.length > depth) out.push(open.pop() === true ? '</ordered_list>' : '</unordered_list>')
  }
  for (const block of document.blocks) {
    const at = block.place?.page ?? page
    if (page !== null && at !== null && at > page) {
      closeTo(0)
      for (; page < at; page += 1) out.push('<page_break>')
    }
    if (block.kind !== 'list_item') {
      items = []
      closeTo(0)
      out.push(blockTags(block, locations(block.place, pages)))
      continue
    }
    closeTo(block.level + 1)
    if (open.length === block.level + 1 && open.at(-1) !== block.ordered) closeTo(block.level)
    while (open.length < block.level + 1) {
      out.push(block.ordered ? '<ordered_list>' : '<unordered_list>')
      open.push(block.ordered)
    }
    // The tags of a list count from 1: another number is text.
    items.length = block.level + 1
    items[block.level] = (items[block.level] ?? 0) + 1
    const { marker } = block
    const number = marker === undefined || plainNumber(block) === items[block.level] ? '' : `${marker} `
    out.push(`<list_item>${locations(block.place, pages)}${escapeXml(`${number}${block.text}`)}</list_item>`)
  }
  closeTo(0)
  return `<doctag>${out.join('\n')}\n</doctag>\n`
}

function locations(place: Place | null, pages: ReadonlyMap<number, Page>): string {
  const page = place === null ? undefined : pages.get(place.page)
  const box = place?.box ?? null
  if (box === null || page === undefined || page.widthPt <= 0 || page.heightPt <= 0) return ''
  const step = (value: number, size: number): number => Math.max(0, Math.min(GRID, Math.round((value / size) * GRID)))
  const { left, top, right, bottom } = box
  return [step(left, page.widthPt), step(top, page.heightPt), step(right, page.widthPt), step(bottom, page.heightPt)]
    .map((value) => `<loc_${value}>`)
    .join('')
}

function blockTags(block: Exclude<Block, ListItem>, at: string): string {
  switch (block.kind) {
    case 'heading':
      return `<section_header_level_${block.level}>${at}${escapeXml(block.text)}</section_header_level_${block.level}>`
    case 'paragraph':
      return `<text>${at}${escapeXml(block.text)}</text>`
    case 'code':
      return `<code>${at}<_${escapeXml(block.language ?? 'unknown')}_>${escapeXml(block.text)}</code>`
    case 'formula':
      return `<formula>${at}${escapeXml(block.text)}</formula>`
    case 'figure':
      return `<picture>${at}${caption(block.caption)}</picture>`
    case 'table':
      return `<otsl>${at}${caption(block.caption)}${otsl(block)}</otsl>`
  }
}

const caption = (text: string | null): string => (text === null ? '' : `<caption>${escapeXml(text)}</caption>`)

/** fcel/ched: a cell, plain or header; ecel: an empty one; lcel, ucel, xcel: joined to the left, above, both; nl ends a row. */
function otsl(table: Table): string {
  return tableGrid(table)
    .map((row, y) => {
      const tags = row.map((cell, x) => {
        if (cell === null) return '<ecel>'
        if (cell.row === y && cell.column === x) {
          if (cell.isHeader) return `<ched>${escapeXml(cell.text)}`
          return cell.text === '' ? '<ecel>' : `<fcel>${escapeXml(cell.text)}`
        }
        if (cell.row === y) return '<lcel>'
        return cell.column === x ? '<ucel>' : '<xcel>'
      })
      return `${tags.join('')}<nl>`
    })
    .join('')
}
