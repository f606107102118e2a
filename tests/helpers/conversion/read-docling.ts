import type { Block, Place, Table } from '../../../providers/converter/model/document.ts'

interface Item {
  $ref?: string
  self_ref: string
  label: string
  children: { $ref: string }[]
  /** Groups have none. */
  prov?: { page_no: number; bbox: { l: number; t: number; r: number; b: number } }[]
  text: string
  level?: number
  enumerated?: boolean
  marker?: string
  code_language?: string
  captions?: { $ref: string }[]
  data?: {
    num_rows: number
    num_cols: number
    table_cells: {
      start_row_offset_idx: number
      start_col_offset_idx: number
      row_span: number
      col_span: number
      text: string
      column_header: boolean
    }[]
  }
}

/** Blocks of a DoclingDocument, read by its references alone. */
export function readDocling(json: string): Block[] {
  const document = JSON.parse(json) as Record<string, unknown>
  const follow = (ref: string): Item =>
    ref
      .slice(2)
      .split('/')
      .reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document) as Item
  const visit = (item: Item, depth: number): Block[] => {
    const place = placeOf(item)
    switch (item.label) {
      case 'section_header':
        return [{ kind: 'heading', level: item.level!, text: item.text, place }]
      case 'text':
        return [{ kind: 'paragraph', text: item.text, place }]
      case 'list':
      case 'ordered_list':
        return item.children.flatMap(({ $ref }) => visit(follow($ref), depth + 1))
      case 'list_item':
        return [
          {
            kind: 'list_item',
            level: depth - 1,
            ordered: item.enumerated!,
            ...(item.enumerated === true ? { marker: item.marker! } : {}),
            text: item.text,
            place,
          },
        ]
      case 'code':
        return [
          {
            kind: 'code',
            language: item.code_language === 'unknown' ? null : item.code_language!,
            text: item.text,
            place,
          },
        ]
      case 'formula':
        return [{ kind: 'formula', text: item.text, place }]
      case 'picture':
        return [{ kind: 'figure', caption: captionOf(item), image: null, place }]
      case 'table':
        return [{ ...tableOf(item), caption: captionOf(item), place }]
      default:
        throw new Error(`unknown label ${item.label}`)
    }
  }
  const captionOf = ({ captions }: Item): string | null => {
    const ref = captions?.[0]?.$ref
    return ref === undefined ? null : follow(ref).text
  }
  return follow('#/body').children.flatMap(({ $ref }) => visit(follow($ref), 0))
}

function placeOf({ prov }: Item): Place | null {
  const first = prov?.[0]
  if (first === undefined) return null
  const { l, t, r, b } = first.bbox
  return { page: first.page_no, box: { left: l, top: t, right: r, bottom: b } }
}

function tableOf({ data }: Item): Table {
  const cells = data!.table_cells.map((cell) => ({
    row: cell.start_row_offset_idx,
    column: cell.start_col_offset_idx,
    rowSpan: cell.row_span,
    columnSpan: cell.col_span,
    text: cell.text,
    isHeader: cell.column_header,
  }))
  return { kind: 'table', rows: data!.num_rows, columns: data!.num_cols, cells, caption: null, place: null }
}
