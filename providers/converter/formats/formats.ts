// Lists the formats read: how the bytes of each format are recognized (`detectFormat`; the file name does not count) and which module reads
// them (`READERS`). Names, extensions and MIME types are in `core/document-formats.ts`.
import { DOCUMENT_FORMATS, type DocumentFormat } from '../../../core/document-formats.ts'
import { ConversionError, encrypted } from '../model/conversion-error.ts'
import type { Document } from '../model/document.ts'
import type { PageOptions } from '../pdf/read-pdf.ts'
import { entryNames, mainPart, openArchive } from './archive.ts'

/** A document, and how many of its pages were recognized from pictures. */
export type ReadResult = Document & { ocrPages?: number }

type Reader = (bytes: Uint8Array, options: PageOptions) => Promise<ReadResult> | ReadResult

const imageReader =
  (format: 'png' | 'jpg' | 'tiff' | 'webp'): Reader =>
  async (bytes, { useOcr, recognizer, tables }) => {
    const { readImage } = await import('../ocr/read-image.ts')
    const document = await readImage(bytes, format, useOcr === 'never' ? null : await recognizer(), tables)
    return { ...document, ocrPages: useOcr === 'never' ? 0 : document.pages.length }
  }

/** Readers throw `ConversionError`. Their libraries are loaded with the first document of the format: loading takes longer than most conversions. */
export const READERS: Readonly<Record<DocumentFormat, Reader>> = {
  pdf: async (bytes, options) => (await import('../pdf/read-pdf.ts')).readPdf(bytes, options),
  docx: async (bytes) => (await import('./docx.ts')).readDocx(bytes),
  doc: async (bytes) => (await import('./legacy-office.ts')).readDoc(bytes),
  pptx: async (bytes) => (await import('./pptx.ts')).readPptx(bytes),
  ppt: async (bytes) => (await import('./legacy-office.ts')).readPpt(bytes),
  xlsx: async (bytes) => (await import('./xlsx.ts')).readXlsx(bytes),
  rtf: async (bytes) => (await import('./rtf.ts')).readRtf(bytes),
  html: async (bytes) => (await import('./html.ts')).readHtml(decodeText(bytes), 'html'),
  png: imageReader('png'),
  jpg: imageReader('jpg'),
  tiff: imageReader('tiff'),
  webp: imageReader('webp'),
}

const starts = (bytes: Uint8Array, ...values: number[]): boolean =>
  values.every((value, index) => bytes[index] === value)

const latin1 = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes)

/** The format by content, not by file name. Throws `unsupported` or `encrypted`. */
export function detectFormat(bytes: Uint8Array, filename: string): DocumentFormat {
  const head = latin1(bytes.subarray(0, 1024))
  if (head.startsWith('%PDF-')) return 'pdf'
  if (starts(bytes, 0x89, 0x50, 0x4e, 0x47)) return 'png'
  if (starts(bytes, 0xff, 0xd8, 0xff)) return 'jpg'
  if (/^(II[*+]\0|MM\0[*+])/.test(head)) return 'tiff'
  if (/^RIFF[\s\S]{4}WEBP/.test(head)) return 'webp'
  if (head.startsWith('{\\rtf')) return 'rtf'
  if (starts(bytes, 0x50, 0x4b)) return officeFormat(bytes)
  if (starts(bytes, 0xd0, 0xcf, 0x11, 0xe0)) return compoundFormat(bytes)
  if (looksLikeHtml(bytes, filename)) return 'html'
  // After what looks like nothing else: some programs write other bytes before the head.
  if (head.includes('%PDF-')) return 'pdf'
  throw unsupported(head, filename)
}

/** Kinds of files that are not read, by how they begin: a sender who knows what it is knows what to do. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'the file is empty'],
  [/^[\s\S]{4}ftyp(?:hei|hev|mif1|msf1)/, 'the content is a HEIC picture: export it as JPEG or PNG'],
  [/^[\s\S]{4}ftypavif/, 'the content is an AVIF picture: export it as JPEG or PNG'],
  [/^GIF8/, 'the content is a GIF picture: export it as PNG'],
  [/^BM[\s\S]{4}\0\0\0\0/, 'the content is a BMP picture: export it as PNG'],
  [
    /^\s*<\?xml[\s\S]*urn:schemas-microsoft-com:office:spreadsheet/,
    'the content is an XML spreadsheet of 2003: save it as XLSX',
  ],
  [
    /^\s*<\?xml[\s\S]*schemas.microsoft.com\/office\/word\/2003/,
    'the content is an XML document of 2003: save it as DOCX',
  ],
]

function officeFormat(bytes: Uint8Array): DocumentFormat {
  const names = new Set(entryNames(bytes))
  if (names.size === 0) throw new ConversionError('damaged', 'the file is a ZIP archive whose directory cannot be read')
  if (names.has('word/document.xml')) return 'docx'
  if (names.has('xl/workbook.xml')) return 'xlsx'
  if (names.has('ppt/presentation.xml')) return 'pptx'
  const main = mainPart(openArchive(bytes, (name) => name === '_rels/.rels')) ?? ''
  if (names.has(main)) {
    if (main.startsWith('word/')) return 'docx'
    if (main.startsWith('xl/')) return 'xlsx'
    if (main.startsWith('ppt/')) return 'pptx'
  }
  const kind = /mimetypeapplication\/(vnd\.oasis\.opendocument|epub)/.exec(latin1(bytes.subarray(0, 256)))?.[1]
  throw new ConversionError(
    'unsupported',
    kind === undefined
      ? 'the file is a ZIP archive but no Word, Excel or PowerPoint document'
      : `the file is an ${kind === 'epub' ? 'EPUB book' : 'OpenDocument file'}: save it as ${kind === 'epub' ? 'PDF or HTML' : 'DOCX, XLSX or PPTX'}`,
  )
}

/** The directory of an OLE file has its stream names in UTF-16. */
function compoundFormat(bytes: Uint8Array): DocumentFormat {
  const has = (name: string): boolean =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(Buffer.from(name, 'utf16le'))
  if (has('EncryptedPackage')) throw encrypted()
  if (has('WordDocument')) return 'doc'
  if (has('PowerPoint Document')) return 'ppt'
  throw new ConversionError(
    'unsupported',
    'the file is an old Office file but no Word or PowerPoint document (save spreadsheets as XLSX)',
  )
}

const MARKUP = /<(!doctype\s+html|html|head|body|title|div|p|table|h[1-6]|article|section|ul|ol|span|meta)[\s>/]/i

function looksLikeHtml(bytes: Uint8Array, filename: string): boolean {
  const text = decodeText(bytes.subarray(0, 8192))
  if (text.includes('\0')) return false
  const shown = text.replace(/^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*/, '')
  if (/^<(!doctype\s+html|html|head|body)/i.test(shown)) return true
  if (/\.x?html?$/i.test(filename)) return MARKUP.test(text) || (shown.trim() !== '' && isText(text))
  return shown.startsWith('<') && MARKUP.test(shown.slice(0, 64))
}

/** A page that is named as one may have no element at all. */
const isText = (text: string): boolean => !text.startsWith('<?xml') && !/[\0-\x08\x0E-\x1F]/.test(text)

/** Text in the encoding that its first bytes or its own declaration name; UTF-8 where neither does, else Windows-1252. */
function decodeText(bytes: Uint8Array): string {
  if (starts(bytes, 0xff, 0xfe)) return new TextDecoder('utf-16le').decode(bytes)
  if (starts(bytes, 0xfe, 0xff)) return new TextDecoder('utf-16be').decode(bytes)
  const declared = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(latin1(bytes.subarray(0, 2048)))?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(declared, { fatal: declared.toLowerCase() === 'utf-8' }).decode(bytes)
  } catch {
    // Not valid UTF-8, or an unknown encoding. A character that is cut at the end does not rule out UTF-8.
    const text = new TextDecoder('utf-8').decode(bytes)
    const broken = text.slice(0, -4).split('\uFFFD').length - 1
    return broken === 0 ? text : new TextDecoder('windows-1252').decode(bytes)
  }
}

function unsupported(head: string, filename: string): ConversionError {
  const other = OTHERS.find(([pattern]) => pattern.test(head))
  if (other !== undefined) return new ConversionError('unsupported', other[1])
  const extension = /\.(\w{1,8})$/.exec(filename)?.[1]
  const named = extension === undefined ? '' : ` (its name ends in .${extension})`
  const labels = Object.values(DOCUMENT_FORMATS).map(({ label }) => label)
  return new ConversionError(
    'unsupported',
    `the content is not one of ${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}${named}`,
  )
}

/** A sentence where the name claims another format than the content has; null where they agree. */
export function extensionWarning(format: DocumentFormat, filename: string): string | null {
  const extension = /\.(\w{1,8})$/.exec(filename)?.[1]?.toLowerCase()
  if (extension === undefined || DOCUMENT_FORMATS[format].extensions.includes(extension)) return null
  return `the name ends in .${extension} but the content is ${format}; it was read as ${format}`
}
