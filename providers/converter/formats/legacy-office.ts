import { moduleEntry } from '../../kit/module-entry.ts'
import { runInWorker, WorkerFailedError } from '../../kit/run-in-worker.ts'
import { ConversionError, encrypted } from '../model/conversion-error.ts'
import { tidy, type Block, type Document } from '../model/document.ts'
import { readDocx } from './docx.ts'
import { findLibreOffice, modernize } from './libreoffice.ts'
import { readPptRecords } from './ppt.ts'
import { readPptx } from './pptx.ts'

/** Reads what a Word file of the old format gives without LibreOffice. */
export interface DocText {
  body: string
  textBoxes: string
  footnotes: string
  endnotes: string
  hasHeaders: boolean
  hasComments: boolean
}

/** Most files take some .02 s, large ones a few seconds; damaged ones of 7 kB took minutes and gigabytes. */
const MOST_DOC_MS = 10_000
const MOST_DOC_HEAP_MIB = 768
const WITHOUT_OFFICE =
  'LibreOffice, which reads more of the old formats, is not installed here: install it, or save the document as DOCX'

/** A Word document of the old format: through LibreOffice where it is installed, else its texts without their structure. */
export async function readDoc(bytes: Uint8Array): Promise<Document> {
  if (isEncryptedDoc(bytes)) throw encrypted()
  const program = await findLibreOffice()
  if (program !== null)
    return { ...(await readDocx(await modernize(program, bytes, 'doc', 'docx'))), sourceFormat: 'doc' }
  if (hasSectorCircle(bytes))
    throw new ConversionError(
      'damaged',
      'the Word document cannot be read: its sectors refer to each other in a circle',
    )
  const text = await docText(bytes)
  if (text === null) throw new ConversionError('damaged', `the Word document cannot be read; ${WITHOUT_OFFICE}`)
  const blocks = [text.body, text.textBoxes, text.footnotes, text.endnotes].flatMap((part) =>
    part
      .split(/\n/)
      .map(tidy)
      .filter((line) => line !== '')
      .map((line): Block => ({ kind: 'paragraph', text: line, place: null })),
  )
  const left = ['headings', 'tables', 'pictures', 'text in frames']
  if (text.hasHeaders) left.push('headers and footers')
  if (text.hasComments) left.push('comments')
  const warnings = [
    `read as plain text, without ${left.slice(0, -1).join(', ')} and ${left.at(-1)!}: LibreOffice is not installed here`,
  ]
  return { sourceFormat: 'doc', pages: [], blocks, images: [], warnings }
}

const SECTOR_BYTES = 512
const WORD_MAGIC = 0xa5ec
const ENCRYPTED_FLAG = 0x0100

/** Returns true when the head of the document's stream, at the start of a sector, declares that the rest is encrypted ([MS-DOC] FibBase). */
function isEncryptedDoc(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = SECTOR_BYTES; at + 12 <= bytes.length; at += SECTOR_BYTES)
    if (view.getUint16(at, true) === WORD_MAGIC) return (view.getUint16(at + 10, true) & ENCRYPTED_FLAG) !== 0
  return false
}

const FIRST_TABLE_SECTOR = 0x4c
const TABLE_SECTORS_IN_HEAD = 109
/** Larger values of a sector table end a chain or mark a free sector ([MS-CFB] 2.1). */
const MOST_SECTOR = 0xfffffffa

/**
 * Returns true when a chain of the file's sector table leads back to itself: the library would follow it until memory runs out. Reads the tables that the
 * head names, which cover files of 7 MB.
 */
function hasSectorCircle(bytes: Uint8Array): boolean {
  if (bytes.length < SECTOR_BYTES) return false
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const sectorBytes = view.getUint16(30, true) === 12 ? 4096 : SECTOR_BYTES
  const next: number[] = []
  for (let table = 0; table < TABLE_SECTORS_IN_HEAD; table += 1) {
    const sector = view.getUint32(FIRST_TABLE_SECTOR + table * 4, true)
    const start = (sector + 1) * sectorBytes
    if (sector > MOST_SECTOR || start + sectorBytes > bytes.length) break
    for (let at = start; at < start + sectorBytes; at += 4) next.push(view.getUint32(at, true))
  }
  // The chain in which each sector was met first: meeting one's own again closes a circle.
  const metIn = new Int32Array(next.length).fill(-1)
  for (let chain = 0; chain < next.length; chain += 1)
    for (let sector = chain; sector < next.length && metIn[sector] !== chain; sector = next[sector]!) {
      if (metIn[sector] !== -1) break
      metIn[sector] = chain
      if (next[sector]! < next.length && metIn[next[sector]!] === chain) return true
    }
  return false
}

/** Null where the library cannot read the file. */
async function docText(bytes: Uint8Array): Promise<DocText | null> {
  const deadline = AbortSignal.timeout(MOST_DOC_MS)
  try {
    return await runInWorker(moduleEntry('./doc-text-worker', import.meta.url), bytes, deadline, MOST_DOC_HEAP_MIB)
  } catch (error) {
    if (!(error instanceof WorkerFailedError) && !deadline.aborted) throw error
    const limit = deadline.aborted ? `${MOST_DOC_MS / 1000} s` : `${MOST_DOC_HEAP_MIB} MiB`
    throw new ConversionError('too_large', `the Word document needs more than ${limit} to be read; ${WITHOUT_OFFICE}`, {
      cause: error,
    })
  }
}

/** A slide show of the old format: through LibreOffice where it is installed, else by our own reader of its records. */
export async function readPpt(bytes: Uint8Array): Promise<Document> {
  const program = await findLibreOffice()
  if (program !== null) return { ...readPptx(await modernize(program, bytes, 'ppt', 'pptx')), sourceFormat: 'ppt' }
  const warnings = ['read without pictures, bullets and charts: LibreOffice is not installed here']
  return { ...readPptRecords(bytes), warnings }
}
