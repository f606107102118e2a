import { ConversionError } from '../model/conversion-error.ts'
import { tidy, type Block, type Document } from '../model/document.ts'
import { tableOfRows, withHeaderRow } from '../model/table.ts'
import { descend, openPpt, RECORD, recordsIn, type PptRecord, type PptStream } from './ppt-records.ts'

/** The header of a text states its purpose by these numbers. */
const TITLES = [0, 6]
const NOTES = 2
/** Units of positions and sizes: 576 to the inch. */
const UNITS_PER_POINT = 8
const ROW_UNITS = 12 * UNITS_PER_POINT

interface Text {
  kind: number
  paragraphs: string[]
}

interface Shape {
  top: number
  left: number
  texts: Text[]
  /** Shapes that were grouped, such as the cells of a table. */
  group: Shape[]
}

interface Entry {
  object: number
  slideId: number
  /** Texts that the outline shows; shapes refer to them by their place. */
  outline: Text[]
}

/**
 * A slide show of the old format, read from its records: titles, texts in their order, tables from cells in rows and columns, speakers'
 * notes. Pictures, bullets and charts are left out. Throws `damaged` and `encrypted`.
 */
export function readPptRecords(bytes: Uint8Array): Document {
  try {
    return readSlides(openPpt(bytes))
  } catch (error) {
    if (error instanceof ConversionError) throw error
    throw new ConversionError('damaged', 'the slide show cannot be read', { cause: error })
  }
}

function readSlides(show: PptStream): Document {
  const { view } = show
  const size = descend(view, show.document, RECORD.documentAtom)
  const points = (at: number): number => (size === null ? 0 : view.getInt32(size.from + at, true) / UNITS_PER_POINT)
  const lists = [...recordsIn(view, show.document)].filter(({ type }) => type === RECORD.slideList)
  const entriesOf = (instance: number): Entry[] =>
    lists.filter((list) => list.instance === instance).flatMap((list) => readEntries(view, list))
  const notes = notesBySlide(show, entriesOf(2))
  const slides = entriesOf(0)
  return {
    sourceFormat: 'ppt',
    pages: slides.map((_, index) => ({ number: index + 1, widthPt: points(0), heightPt: points(4) })),
    blocks: slides.flatMap((entry, index) => {
      const page = index + 1
      const shapes = readShapes(show, entry)
      const isTitle = ({ texts }: Shape): boolean => texts.some(({ kind }) => TITLES.includes(kind))
      shapes.sort((a, b) => Number(isTitle(b)) - Number(isTitle(a)) || inRows(a, b))
      return [
        ...shapes.flatMap((shape) => shapeBlocks(shape, page)),
        ...(notes.get(entry.slideId) ?? []).map(paragraph(page)),
      ]
    }),
    images: [],
    warnings: [],
  }
}

const inRows = (a: Shape, b: Shape): number =>
  Math.round(a.top / ROW_UNITS) - Math.round(b.top / ROW_UNITS) || a.left - b.left

const paragraph =
  (page: number) =>
  (text: string): Block => ({ kind: 'paragraph', text, place: { page, box: null } })

function shapeBlocks({ texts, group }: Shape, page: number): Block[] {
  const place = { page, box: null }
  const own = texts.flatMap(({ kind, paragraphs }): Block[] => {
    if (!TITLES.includes(kind)) return paragraphs.map(paragraph(page))
    const text = paragraphs.join(' ')
    return text === '' ? [] : [{ kind: 'heading', level: 2, text, place }]
  })
  const rows = gridRows(group)
  if (rows !== null) return [...own, withHeaderRow(tableOfRows(rows, false, place))]
  return [...own, ...[...group].sort(inRows).flatMap((shape) => shapeBlocks(shape, page))]
}

/** A table is a group whose shapes form at least two rows and two columns and fill most positions; null for any other group. */
function gridRows(group: readonly Shape[]): string[][] | null {
  const cells = group.filter(({ texts, group: inner }) => texts.length > 0 && inner.length === 0)
  const tops = [...new Set(cells.map(({ top }) => top))].sort((a, b) => a - b)
  const lefts = [...new Set(cells.map(({ left }) => left))].sort((a, b) => a - b)
  const places = tops.length * lefts.length
  if (tops.length < 2 || lefts.length < 2 || cells.length > places || cells.length < places * 0.7) return null
  const rows = tops.map(() => lefts.map(() => ''))
  for (const { top, left, texts } of cells)
    rows[tops.indexOf(top)]![lefts.indexOf(left)] = texts.flatMap(({ paragraphs }) => paragraphs).join(' ')
  return rows
}

/** A slide list names its slides, each followed by its texts in the outline. */
function readEntries(view: DataView, list: PptRecord): Entry[] {
  const entries: Entry[] = []
  const texts: PptRecord[][] = []
  for (const record of recordsIn(view, list)) {
    if (record.type !== RECORD.slidePersist) texts.at(-1)?.push(record)
    else {
      entries.push({
        object: view.getUint32(record.from, true),
        slideId: view.getUint32(record.from + 12, true),
        outline: [],
      })
      texts.push([])
    }
  }
  return entries.map((entry, index) => ({ ...entry, outline: readTexts(view, texts[index]!, []) }))
}

function readTexts(view: DataView, records: Iterable<PptRecord>, outline: readonly Text[]): Text[] {
  const texts: Text[] = []
  for (const { type, from, to } of records) {
    if (type === RECORD.textHeader) texts.push({ kind: view.getUint32(from, true), paragraphs: [] })
    else if (type === RECORD.outlineRef) texts.push(...outline.slice(view.getUint32(from, true)).slice(0, 1))
    else if (type === RECORD.textChars || type === RECORD.textBytes) {
      const bytes = new Uint8Array(view.buffer, from, to - from)
      const text = new TextDecoder(type === RECORD.textChars ? 'utf-16le' : 'latin1').decode(bytes)
      texts.at(-1)?.paragraphs.push(
        ...text
          .split('\r')
          .map(tidy)
          .filter((each) => each !== ''),
      )
    }
  }
  return texts
}

function readShapes(show: PptStream, { object, outline }: Pick<Entry, 'object' | 'outline'>): Shape[] {
  const root = descend(show.view, show.object(object), RECORD.drawing, RECORD.pageOfShapes, RECORD.group)
  return root === null ? [] : groupShapes(show.view, root, outline)
}

function groupShapes(view: DataView, group: PptRecord, outline: readonly Text[]): Shape[] {
  const shapes: Shape[] = []
  for (const record of recordsIn(view, group)) {
    if (record.type === RECORD.shape) shapes.push(readShape(view, record, outline))
    if (record.type !== RECORD.group) continue
    // The first shape of a group represents the group itself.
    const [self, ...inner] = groupShapes(view, record, outline)
    if (self !== undefined) shapes.push({ ...self, group: inner })
  }
  return shapes
}

function readShape(view: DataView, shape: PptRecord, outline: readonly Text[]): Shape {
  const read: Shape = { top: 0, left: 0, texts: [], group: [] }
  for (const record of recordsIn(view, shape)) {
    const { type, from } = record
    if (type === RECORD.textbox) read.texts = readTexts(view, recordsIn(view, record), outline)
    else if (type === RECORD.clientAnchor && record.to - from >= 8) {
      read.top = view.getInt16(from, true)
      read.left = view.getInt16(from + 2, true)
    } else if (type === RECORD.childAnchor) {
      read.left = view.getInt32(from, true)
      read.top = view.getInt32(from + 4, true)
    }
  }
  return read
}

/** The speaker's notes by the slide they belong to. */
function notesBySlide(show: PptStream, entries: readonly Entry[]): Map<number, string[]> {
  const notes = new Map<number, string[]>()
  for (const entry of entries) {
    const atom = descend(show.view, show.object(entry.object), RECORD.notesAtom)
    if (atom === null) continue
    const texts = readShapes(show, entry).flatMap((shape) => shape.texts)
    notes.set(
      show.view.getUint32(atom.from, true),
      texts.filter(({ kind }) => kind === NOTES).flatMap(({ paragraphs }) => paragraphs),
    )
  }
  return notes
}
