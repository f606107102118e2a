import { CFB as untyped } from '@e965/xlsx'
import { ConversionError, encrypted } from '../model/conversion-error.ts'

/** The spreadsheet library's reader of compound files, which it exports without types. */
interface CompoundFiles {
  read(bytes: Uint8Array, options: { type: 'array' }): object
  find(file: object, path: string): { content?: ArrayLike<number> } | null
}
const CFB = untyped as CompoundFiles

/** Types of records, as Microsoft's open specification of the binary format ([MS-PPT], [MS-ODRAW]) numbers them. */
export const RECORD = {
  document: 0x03e8,
  documentAtom: 0x03e9,
  slidePersist: 0x03f3,
  notesAtom: 0x03f1,
  slideList: 0x0ff0,
  drawing: 0x040c,
  outlineRef: 0x0f9e,
  textHeader: 0x0f9f,
  textChars: 0x0fa0,
  textBytes: 0x0fa8,
  pageOfShapes: 0xf002,
  group: 0xf003,
  shape: 0xf004,
  textbox: 0xf00d,
  childAnchor: 0xf00f,
  clientAnchor: 0xf010,
} as const
const USER_EDIT = 0x0ff5
const PERSIST_DIRECTORY = 0x1772
const HEADER_BYTES = 8
const ENCRYPTED_TOKEN = 0xf3d1c4df
/** A file saved in place many times keeps a chain of edits; a longer one is a loop. */
const MAX_EDITS = 10_000

/** A record of the slide show's stream: the bytes between two offsets. */
export interface PptRecord {
  type: number
  instance: number
  from: number
  to: number
}

/** The stream of a slide show and where its persistent objects begin. */
export interface PptStream {
  view: DataView
  document: PptRecord
  /** An object by the number that others refer to it with; null where there is none. */
  object(id: number): PptRecord | null
}

/** The record at an offset. Throws a RangeError where the stream ends before it does. */
function recordAt(view: DataView, at: number): PptRecord {
  const from = at + HEADER_BYTES
  const to = from + view.getUint32(at + 4, true)
  if (to > view.byteLength) throw new RangeError(`a record at ${at} ends after the end of the stream`)
  return { type: view.getUint16(at + 2, true), instance: view.getUint16(at, true) >> 4, from, to }
}

/** The records inside another one. */
export function* recordsIn(view: DataView, { from, to }: PptRecord): Generator<PptRecord> {
  for (let at = from; at + HEADER_BYTES <= to;) {
    const record = recordAt(view, at)
    if (record.to > to) throw new RangeError(`a record at ${at} ends after the end of its parent`)
    yield record
    at = record.to
  }
}

/** The first record of a type along a path of types; null where a step is missing. */
export function descend(view: DataView, from: PptRecord | null, ...types: number[]): PptRecord | null {
  return types.reduce<PptRecord | null>(
    (within, type) =>
      within === null ? null : (recordsIn(view, within).find((record) => record.type === type) ?? null),
    from,
  )
}

/** Opens the file down to its document. Throws `encrypted`, and `damaged` where a stream is missing. */
export function openPpt(bytes: Uint8Array): PptStream {
  const file = CFB.read(bytes, { type: 'array' })
  const view = streamOf(file, 'PowerPoint Document')
  const current = streamOf(file, 'Current User')
  if (current.getUint32(HEADER_BYTES + 4, true) === ENCRYPTED_TOKEN) throw encrypted()
  const offsets = new Map<number, number>()
  let documentId: number | null = null
  let at = current.getUint32(HEADER_BYTES + 8, true)
  for (let edits = 0; at !== 0 && edits < MAX_EDITS; edits += 1) {
    const edit = recordAt(view, at)
    if (edit.type !== USER_EDIT) throw damaged('its last edit is not where it should be')
    if (edit.to - edit.from >= 32) throw encrypted()
    // Later edits come first and win.
    readDirectory(view, recordAt(view, view.getUint32(edit.from + 12, true)), offsets)
    documentId ??= view.getUint32(edit.from + 16, true)
    at = view.getUint32(edit.from + 8, true)
  }
  const object = (id: number): PptRecord | null => (offsets.has(id) ? recordAt(view, offsets.get(id)!) : null)
  const document = documentId === null ? null : object(documentId)
  if (document?.type !== RECORD.document) throw damaged('it has no document')
  return { view, document, object }
}

function streamOf(file: object, name: string): DataView {
  const content = CFB.find(file, name)?.content
  if (content === undefined) throw damaged(`its stream '${name}' is missing`)
  const bytes = Uint8Array.from(content)
  return new DataView(bytes.buffer)
}

/** Runs of objects: a first number, how many follow it, and the offset of each. */
function readDirectory(view: DataView, record: PptRecord, offsets: Map<number, number>): void {
  if (record.type !== PERSIST_DIRECTORY) throw damaged('its directory is not where it should be')
  for (let at = record.from; at + 4 <= record.to;) {
    const head = view.getUint32(at, true)
    const count = head >>> 20
    at += 4
    for (let index = 0; index < count && at + 4 <= record.to; index += 1, at += 4) {
      const id = (head & 0xfffff) + index
      if (!offsets.has(id)) offsets.set(id, view.getUint32(at, true))
    }
  }
}

const damaged = (why: string): ConversionError =>
  new ConversionError('damaged', `the slide show cannot be read: ${why}`)
