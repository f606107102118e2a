import type { Block, Document } from '../../../providers/converter/model/document.ts'

const at = (page: number, top: number) => ({ page, box: { left: 60, top, right: 440, bottom: top + 40 } })

/** A document with every kind of block and with text that markup could take for its own. */
export function sampleDocument(): Document {
  const blocks: Block[] = [
    { kind: 'heading', level: 1, text: 'Harbour <report> & more', place: at(1, 40) },
    { kind: 'paragraph', text: '# no heading, a * star, a_b_c and `ticks` | bars', place: at(1, 90) },
    { kind: 'paragraph', text: '1. no list', place: at(1, 140) },
    { kind: 'list_item', level: 0, ordered: false, text: 'first', place: at(1, 200) },
    { kind: 'list_item', level: 1, ordered: true, marker: '1.', text: 'inner one', place: at(1, 240) },
    { kind: 'list_item', level: 1, ordered: true, marker: '2.', text: 'inner two', place: at(1, 280) },
    { kind: 'list_item', level: 0, ordered: false, text: 'second', place: at(1, 320) },
    {
      kind: 'table',
      rows: 3,
      columns: 3,
      cells: [
        { row: 0, column: 0, rowSpan: 1, columnSpan: 1, text: 'Port | quay', isHeader: true },
        { row: 0, column: 1, rowSpan: 1, columnSpan: 2, text: 'Ships', isHeader: true },
        { row: 1, column: 0, rowSpan: 2, columnSpan: 1, text: 'Velden', isHeader: false },
        { row: 1, column: 1, rowSpan: 1, columnSpan: 1, text: '412', isHeader: false },
        { row: 1, column: 2, rowSpan: 1, columnSpan: 1, text: '18,200', isHeader: false },
        { row: 2, column: 1, rowSpan: 1, columnSpan: 2, text: 'none <yet>', isHeader: false },
      ],
      caption: 'Table 1: traffic',
      place: at(1, 400),
    },
    { kind: 'heading', level: 3, text: 'Code', place: at(2, 40) },
    { kind: 'code', language: 'python', text: 'if a < b:\n    print("```")', place: at(2, 90) },
    { kind: 'formula', text: 'E = mc^{2}', place: at(2, 140) },
    { kind: 'figure', caption: 'Figure 1: the quay', image: null, place: at(2, 200) },
    { kind: 'paragraph', text: 'The end.', place: at(2, 260) },
  ]
  const pages = [1, 2].map((number) => ({ number, widthPt: 500, heightPt: 1000 }))
  return { sourceFormat: 'html', pages, blocks, images: [], warnings: [] }
}
