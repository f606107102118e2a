import type { DocumentFormat } from '../../../core/document-formats.ts'

/** A rectangle on a page in points, measured from the page's top left corner. */
export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** Gives the place of a block in its document. Pages, slides, sheets and frames are counted from 1; HTML and DOC have none, DOCX only where Word saved them. */
export interface Place {
  page: number
  box: Box | null
}

interface Placed {
  place: Place | null
}

export interface Heading extends Placed {
  kind: 'heading'
  /** 1 to 6. */
  level: number
  text: string
}

export interface Paragraph extends Placed {
  kind: 'paragraph'
  text: string
}

/** One item of a list; neighbours belong to one list. */
export interface ListItem extends Placed {
  kind: 'list_item'
  /** Depth, 0 for the outermost list. */
  level: number
  ordered: boolean
  /** The number as the document shows it, such as `5.`, `(a)` or `Article II`; absent in bullets, and where it is not known. */
  marker?: string
  text: string
}

/** The number of an ordered item in a form that list syntax can write; null where it is none. */
export const plainNumber = ({ marker }: ListItem): number | null =>
  marker !== undefined && /^\d{1,9}[.)]$/.test(marker) ? Number.parseInt(marker, 10) : null

/** A cell by the row and column of its upper left corner, both from 0. */
export interface TableCell {
  row: number
  column: number
  rowSpan: number
  columnSpan: number
  text: string
  isHeader: boolean
}

export interface Table extends Placed {
  kind: 'table'
  rows: number
  columns: number
  /** In reading order; places that no cell covers are empty. */
  cells: TableCell[]
  caption: string | null
}

export interface Figure extends Placed {
  kind: 'figure'
  /** Holds the text that the author wrote under it, or as its alternative text. */
  caption: string | null
  /** Index into `Document.images`; null when its pixels were not taken over. */
  image: number | null
}

export interface Code extends Placed {
  kind: 'code'
  language: string | null
  text: string
}

export interface Formula extends Placed {
  kind: 'formula'
  text: string
}

export type Block = Heading | Paragraph | ListItem | Table | Figure | Code | Formula

export interface Page {
  number: number
  widthPt: number
  heightPt: number
}

/** A picture of a document in a format that browsers show. */
export interface ImageAsset {
  extension: 'png' | 'jpg' | 'gif' | 'webp'
  bytes: Uint8Array
}

/** Every format becomes this before it is written out: blocks in reading order. */
export interface Document {
  sourceFormat: DocumentFormat
  /** Empty for formats without pages. */
  pages: Page[]
  blocks: Block[]
  images: ImageAsset[]
  /** Warnings name what the reader should know: a lying extension, a fallback, a part that was left out. */
  warnings: string[]
}

/** A text without control characters and lone surrogates; tabs and line ends stay. */
export const withoutControls = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/[\0-\x08\x0E-\x1F\x7F-\x9F]/g, '').toWellFormed()

/** Runs of white space as one space; control characters, lone surrogates and soft hyphens, which split words, gone. */
export const tidy = (text: string): string =>
  withoutControls(text).replaceAll('\u00AD', '').replace(/\s+/gu, ' ').trim()

/** Two lines of a sentence as one: a word that is divided at the end of the first is whole again. */
export const joinLines = (head: string, tail: string): string =>
  /\p{L}-$/u.test(head) && /^\p{Ll}/u.test(tail) ? head.slice(0, -1) + tail : `${head} ${tail}`

/** A block with each of its texts changed. */
export function mapTexts(block: Block, change: (text: string) => string): Block {
  switch (block.kind) {
    case 'table':
      return {
        ...block,
        caption: block.caption === null ? null : change(block.caption),
        cells: block.cells.map((cell) => ({ ...cell, text: change(cell.text) })),
      }
    case 'figure':
      return { ...block, caption: block.caption === null ? null : change(block.caption) }
    default:
      return { ...block, text: change(block.text) }
  }
}
