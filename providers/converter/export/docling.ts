import { createHash } from 'node:crypto'
import type { Block, Document, Place, Table, TableCell } from '../model/document.ts'
import { tableGrid } from '../model/table.ts'
import type { ImageLink } from './markdown.ts'

/** The file that a document was read from. */
export interface Origin {
  filename: string
  mimeType: string
  bytes: Uint8Array
}

interface Ref {
  $ref: string
}

const BODY: Ref = { $ref: '#/body' }
const root = (name: string) => ({
  self_ref: `#/${name}`,
  children: [],
  content_layer: name,
  name: '_root_',
  label: 'unspecified',
})

/** The document in the shape of a DoclingDocument (docling-core, schema 1.3.0) as a plain object. */
export function toDocling(document: Document, origin: Origin, link: ImageLink = () => null): object {
  const texts: object[] = []
  const tables: object[] = []
  const pictures: object[] = []
  const groups: { children: Ref[] }[] = []
  const body: Ref[] = []
  let list: { ordered: boolean; ref: Ref; children: Ref[]; level: number }[] = []

  const addText = (label: string, text: string, place: Place | null, parent: Ref, more: object = {}): Ref => {
    const ref = { $ref: `#/texts/${texts.length}` }
    texts.push({
      self_ref: ref.$ref,
      parent,
      children: [],
      content_layer: 'body',
      label,
      prov: provenance(place, text.length),
      orig: text,
      text,
      ...more,
    })
    return ref
  }
  const openList = (ordered: boolean, level: number): void => {
    const outer = list.at(-1)
    const ref = { $ref: `#/groups/${groups.length}` }
    const group = {
      self_ref: ref.$ref,
      parent: outer?.ref ?? BODY,
      children: [] as Ref[],
      content_layer: 'body',
      name: 'list',
      label: ordered ? 'ordered_list' : 'list',
    }
    groups.push(group)
    ;(outer?.children ?? body).push(ref)
    list.push({ ordered, ref, children: group.children, level })
  }
  const captionsOf = (caption: string | null, place: Place | null, parent: Ref): Ref[] =>
    caption === null
      ? []
      : [addText('caption', caption, place === null ? null : { page: place.page, box: null }, parent)]

  const add = (block: Exclude<Block, { kind: 'list_item' }>): Ref => {
    switch (block.kind) {
      case 'heading':
        return addText('section_header', block.text, block.place, BODY, { level: block.level })
      case 'paragraph':
        return addText('text', block.text, block.place, BODY)
      case 'code':
        return addText('code', block.text, block.place, BODY, {
          captions: [],
          references: [],
          footnotes: [],
          code_language: block.language ?? 'unknown',
        })
      case 'formula':
        return addText('formula', block.text, block.place, BODY)
      case 'table': {
        const ref = { $ref: `#/tables/${tables.length}` }
        const captions = captionsOf(block.caption, block.place, ref)
        tables.push({ ...floating(ref, 'table', captions, block.place), data: tableData(block) })
        return ref
      }
      case 'figure': {
        const ref = { $ref: `#/pictures/${pictures.length}` }
        const captions = captionsOf(block.caption, block.place, ref)
        const uri = block.image === null ? null : link(block.image)
        const image = uri === null ? {} : { image: { mimetype: mimeOf(uri), dpi: 72, size: sizeOf(block.place), uri } }
        pictures.push({ ...floating(ref, 'picture', captions, block.place), ...image, annotations: [] })
        return ref
      }
    }
  }
  for (const block of document.blocks) {
    if (block.kind !== 'list_item') {
      list = []
      body.push(add(block))
      continue
    }
    list = list.filter(({ level }) => level <= block.level)
    const current = list.at(-1)
    if (current?.level === block.level && current.ordered !== block.ordered) list.pop()
    while ((list.at(-1)?.level ?? -1) < block.level) openList(block.ordered, (list.at(-1)?.level ?? -1) + 1)
    const { ref, children } = list.at(-1)!
    children.push(
      addText('list_item', block.text, block.place, ref, {
        enumerated: block.ordered,
        marker: block.ordered ? (block.marker ?? `${children.length + 1}.`) : '-',
      }),
    )
  }
  const pages = document.pages.map(({ number, widthPt, heightPt }) => [
    String(number),
    { size: { width: widthPt, height: heightPt }, page_no: number },
  ])
  return {
    schema_name: 'DoclingDocument',
    version: '1.3.0',
    name: origin.filename.replace(/\.[^.]*$/, ''),
    origin: { mimetype: origin.mimeType, binary_hash: hash64(origin.bytes), filename: origin.filename },
    furniture: root('furniture'),
    body: { ...root('body'), children: body },
    groups,
    texts,
    pictures,
    tables,
    key_value_items: [],
    form_items: [],
    pages: Object.fromEntries(pages) as object,
  }
}

/** A DoclingDocument's hash is an unsigned integer; 53 bits keep it exact in every JSON reader. */
const hash64 = (bytes: Uint8Array): number =>
  Number(createHash('sha256').update(bytes).digest().readBigUInt64BE() >> 11n)

const floating = (ref: Ref, label: string, captions: Ref[], place: Place | null) => ({
  self_ref: ref.$ref,
  parent: BODY,
  children: captions,
  content_layer: 'body',
  label,
  prov: provenance(place, 0),
  captions,
  references: [],
  footnotes: [],
})

function provenance(place: Place | null, length: number): object[] {
  if (place === null) return []
  const box = place.box ?? { left: 0, top: 0, right: 0, bottom: 0 }
  const bbox = { l: box.left, t: box.top, r: box.right, b: box.bottom, coord_origin: 'TOPLEFT' }
  return [{ page_no: place.page, bbox, charspan: [0, length] }]
}

function tableData(table: Table): object {
  const cell = (item: TableCell) => ({
    row_span: item.rowSpan,
    col_span: item.columnSpan,
    start_row_offset_idx: item.row,
    end_row_offset_idx: item.row + item.rowSpan,
    start_col_offset_idx: item.column,
    end_col_offset_idx: item.column + item.columnSpan,
    text: item.text,
    column_header: item.isHeader,
    row_header: false,
    row_section: false,
  })
  const empty = (row: number, column: number) =>
    cell({ row, column, rowSpan: 1, columnSpan: 1, text: '', isHeader: false })
  return {
    table_cells: table.cells.map(cell),
    num_rows: table.rows,
    num_cols: table.columns,
    grid: tableGrid(table).map((row, y) => row.map((found, x) => (found === null ? empty(y, x) : cell(found)))),
  }
}

const mimeOf = (uri: string): string => `image/${/\.(\w+)$/.exec(uri)?.[1]?.replace('jpg', 'jpeg') ?? 'png'}`

const sizeOf = (place: Place | null) => {
  const box = place?.box ?? { left: 0, top: 0, right: 0, bottom: 0 }
  return { width: box.right - box.left, height: box.bottom - box.top }
}
