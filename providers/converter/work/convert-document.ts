import { performance } from 'node:perf_hooks'
import { detectFormat, extensionWarning, decodeText } from '../formats/detect.ts'
import { ConversionError } from '../model/conversion-error.ts'
import type { Document } from '../model/document.ts'
import type { Recognizer } from '../ocr/recognize.ts'

/** How a document is read; what is asked for wins over the service's own settings before it gets here. */
export interface ReadOptions {
  useOcr: 'auto' | 'always' | 'never'
  formulas: boolean
  codeBlocks: boolean
  /** Where recognition data is unpacked to. */
  cacheDir: string
}

/** A document as read, and how. */
export interface ReadDocument extends Document {
  /** Pages whose text was recognised from a picture. */
  ocrPages: number
  readMs: number
}

let recognizer: Promise<Recognizer> | null = null

// Libraries are loaded when the first document of their format comes: together they take longer than most conversions.
async function openRecognizer(cacheDir: string): Promise<Recognizer> {
  const [{ createRecognizer }, { tessdataFolder }] = await Promise.all([
    import('../ocr/recognize.ts'),
    import('../ocr/tessdata.ts'),
  ])
  return createRecognizer(await tessdataFolder(cacheDir))
}

/** Reads any of the input formats by its content. Throws `ConversionError` for what the sender can mend. */
export async function readDocument(bytes: Uint8Array, filename: string, options: ReadOptions): Promise<ReadDocument> {
  const started = performance.now()
  const recognizerOf = (): Promise<Recognizer> => (recognizer ??= openRecognizer(options.cacheDir))
  const format = detectFormat(bytes, filename)
  const { ocrPages = 0, ...document } = await (async (): Promise<Document & { ocrPages?: number }> => {
    switch (format) {
      case 'pdf':
        return (await import('../pdf/read-pdf.ts')).readPdf(bytes, { useOcr: options.useOcr, recognizer: recognizerOf })
      case 'docx':
        return (await import('../formats/docx.ts')).readDocx(bytes)
      case 'doc':
        return (await import('../formats/legacy-office.ts')).readDoc(bytes)
      case 'pptx':
        return (await import('../formats/pptx.ts')).readPptx(bytes)
      case 'ppt':
        return (await import('../formats/legacy-office.ts')).readPpt(bytes)
      case 'xlsx':
        return (await import('../formats/xlsx.ts')).readXlsx(bytes)
      case 'html':
        return (await import('../formats/html.ts')).readHtml(decodeText(bytes), 'html')
      case 'png':
      case 'jpg':
      case 'tiff': {
        const { readImage } = await import('../ocr/read-image.ts')
        const read = await readImage(bytes, format, options.useOcr === 'never' ? null : await recognizerOf())
        return { ...read, ocrPages: options.useOcr === 'never' ? 0 : read.pages.length }
      }
    }
  })()
  const warning = extensionWarning(format, filename)
  if (warning !== null) document.warnings.unshift(warning)
  document.blocks = enriched(document.blocks, options)
  if (document.blocks.length === 0)
    throw new ConversionError('empty', 'nothing to read: no text, table or picture was found in the document')
  return { ...document, ocrPages, readMs: performance.now() - started }
}

/** Formulas and code that are not wanted as such are kept as plain text. */
const enriched = (blocks: Document['blocks'], { formulas, codeBlocks }: ReadOptions): Document['blocks'] =>
  blocks.map((block) =>
    (block.kind === 'formula' && !formulas) || (block.kind === 'code' && !codeBlocks)
      ? { kind: 'paragraph', text: block.text, place: block.place }
      : block,
  )
