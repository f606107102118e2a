// The package has no types; whoever imports this file needs the ones beside it.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./word-extractor.d.ts" />
import WordExtractor from 'word-extractor'
import { ConversionError } from '../model/conversion-error.ts'
import { tidy } from '../model/document.ts'
import type { Document } from '../model/document.ts'
import { readDocx } from './docx.ts'
import { findLibreOffice, modernize } from './libreoffice.ts'
import { readPptRecords } from './ppt.ts'
import { readPptx } from './pptx.ts'

/** A Word document of the old format: through LibreOffice where it is installed, else its paragraphs as plain text. */
export async function readDoc(bytes: Uint8Array): Promise<Document> {
  const program = await findLibreOffice()
  if (program !== null)
    return { ...(await readDocx(await modernize(program, bytes, 'doc', 'docx'))), sourceFormat: 'doc' }
  const extracted = await new WordExtractor().extract(Buffer.from(bytes)).catch((error: unknown) => {
    throw new ConversionError('damaged', 'the Word document cannot be read', { cause: error })
  })
  const blocks = extracted
    .getBody()
    .split(/\n/)
    .map(tidy)
    .filter((text) => text !== '')
    .map((text) => ({ kind: 'paragraph' as const, text, place: null }))
  const warnings = ['read as plain text, without headings and tables: LibreOffice is not installed here']
  return { sourceFormat: 'doc', pages: [], blocks, images: [], warnings }
}

/** A slide show of the old format: through LibreOffice where it is installed, else by our own reader of its records. */
export async function readPpt(bytes: Uint8Array): Promise<Document> {
  const program = await findLibreOffice()
  if (program !== null) return { ...readPptx(await modernize(program, bytes, 'ppt', 'pptx')), sourceFormat: 'ppt' }
  const warnings = ['read without pictures, bullets and charts: LibreOffice is not installed here']
  return { ...readPptRecords(bytes), warnings }
}
