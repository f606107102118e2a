import { describe, expect, it } from 'vitest'
import { readDocling } from '../../../tests/helpers/conversion/read-docling.ts'
import { readDoctags } from '../../../tests/helpers/conversion/read-doctags.ts'
import { readMarkdown } from '../../../tests/helpers/conversion/read-markdown.ts'
import { sampleDocument } from '../../../tests/helpers/conversion/sample-document.ts'
import { readHtml } from '../formats/html.ts'
import type { Block } from '../model/document.ts'
import { tableGrid } from '../model/table.ts'
import { toDocling } from './docling.ts'
import { toDoctags } from './doctags.ts'
import { toHtml } from './html.ts'
import { toMarkdown } from './markdown.ts'

const origin = { filename: 'a report.html', mimeType: 'text/html', bytes: Buffer.from('bytes') }
const document = sampleDocument()

describe('what an exporter writes can be read back', () => {
  it('html: everything', () => {
    expect(readHtml(toHtml(document), 'html').blocks).toEqual(document.blocks)
  })

  it('json: everything, by references alone', () => {
    expect(readDocling(JSON.stringify(toDocling(document, origin)))).toEqual(document.blocks)
  })

  it('doctags: everything, places as exact as its grid', () => {
    expect(readDoctags(toDoctags(document), 500, 1000)).toEqual(document.blocks)
  })

  it('markdown: all text, headings, lists, code and the places of cells; spans and boxes have no form there', () => {
    const expected = document.blocks.flatMap((block): Block[] => {
      if (block.kind === 'figure')
        return [
          { ...block, caption: null, place: null },
          { kind: 'paragraph', text: block.caption!, place: null },
        ]
      if (block.kind !== 'table') return [{ ...block, place: null }]
      const grid = tableGrid(block).map((row, y) =>
        row.map((cell, x) => (cell!.row === y && cell!.column === x ? cell!.text : '')),
      )
      const cells = grid.flatMap((row, y) =>
        row.map((text, x) => ({ row: y, column: x, rowSpan: 1, columnSpan: 1, text, isHeader: y === 0 })),
      )
      return [
        { kind: 'paragraph', text: block.caption!, place: null },
        { ...block, cells, caption: null, place: null },
      ]
    })
    expect(readMarkdown(toMarkdown(document))).toEqual(expected)
  })
})

it('the DoclingDocument states what it is and numbers what it holds', () => {
  const json = toDocling(document, origin) as Record<string, unknown[]>
  expect(json).toMatchObject({
    schema_name: 'DoclingDocument',
    name: 'a report',
    origin: { filename: 'a report.html' },
  })
  expect(json['pages']).toEqual({
    1: { size: { width: 500, height: 1000 }, page_no: 1 },
    2: { size: { width: 500, height: 1000 }, page_no: 2 },
  })
  for (const kind of ['texts', 'tables', 'pictures', 'groups'])
    expect(json[kind]!.map((item) => (item as { self_ref: string }).self_ref)).toEqual(
      json[kind]!.map((_, index) => `#/${kind}/${index}`),
    )
})
