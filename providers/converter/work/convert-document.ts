import { performance } from 'node:perf_hooks'
import { detectFormat, extensionWarning, decodeText } from '../formats/detect.ts'
import { ConversionError } from '../model/conversion-error.ts'
import type { Document } from '../model/document.ts'
import type { Recognizer } from '../ocr/recognize.ts'
import type { TableModel } from '../tables/table-model.ts'
import type { TableReader } from '../tables/table-reader.ts'

/** How a document is read; what is asked for wins over the service's own settings before it gets here. */
export interface ReadOptions {
  useOcr: 'auto' | 'always' | 'never'
  /** accurate: tables of PDFs and pictures are read anew by a model where its weights are there. */
  tableMode: 'accurate' | 'fast'
  formulas: boolean
  codeBlocks: boolean
  /** Where recognition data is unpacked to. */
  cacheDir: string
  /** Folder of the table model. */
  tableModelDir: string
}

/** A document as read, and how. */
export interface ReadDocument extends Document {
  /** Pages whose text was recognised from a picture. */
  ocrPages: number
  /** accurate where the model read at least one table. */
  tableMode: 'accurate' | 'fast'
  readMs: number
}

/** Libraries and models by the folder of their data. What could not be opened is opened again for the next document. */
const recognizers = new Map<string, Promise<Recognizer>>()
const tableModels = new Map<string, Promise<TableModel | null>>()

function kept<Opened>(
  all: Map<string, Promise<Opened>>,
  folder: string,
  open: (folder: string) => Promise<Opened>,
): Promise<Opened> {
  const known = all.get(folder)
  if (known !== undefined) return known
  const opened = open(folder)
  all.set(folder, opened)
  opened.catch(() => all.delete(folder))
  return opened
}

// Libraries are loaded when the first document of their format comes: together they take longer than most conversions.
async function openRecognizer(cacheDir: string): Promise<Recognizer> {
  const [{ createRecognizer }, { tessdataFolder }] = await Promise.all([
    import('../ocr/recognize.ts'),
    import('../ocr/tessdata.ts'),
  ])
  return createRecognizer(await tessdataFolder(cacheDir))
}

async function tableReader(folder: string): Promise<TableReader> {
  const [{ createTableReader }, { openTableModel }] = await Promise.all([
    import('../tables/table-reader.ts'),
    import('../tables/table-model.ts'),
  ])
  return createTableReader(folder, async () => {
    const model = await kept(tableModels, folder, openTableModel)
    // Weights that are put there later are found by the next document.
    if (model === null) tableModels.delete(folder)
    return model
  })
}

/** Reads any of the input formats by its content. Throws `ConversionError` for what the sender can mend. */
export async function readDocument(bytes: Uint8Array, filename: string, options: ReadOptions): Promise<ReadDocument> {
  const started = performance.now()
  const recognizerOf = (): Promise<Recognizer> => kept(recognizers, options.cacheDir, openRecognizer)
  const format = detectFormat(bytes, filename)
  const tables = options.tableMode === 'accurate' ? await tableReader(options.tableModelDir) : null
  const { ocrPages = 0, ...document } = await (async (): Promise<Document & { ocrPages?: number }> => {
    switch (format) {
      case 'pdf':
        return (await import('../pdf/read-pdf.ts')).readPdf(bytes, {
          useOcr: options.useOcr,
          recognizer: recognizerOf,
          tables,
        })
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
        const read = await readImage(bytes, format, options.useOcr === 'never' ? null : await recognizerOf(), tables)
        return { ...read, ocrPages: options.useOcr === 'never' ? 0 : read.pages.length }
      }
    }
  })()
  const { byModel, warning: tableWarning } = tables?.outcome() ?? { byModel: 0, warning: null }
  if (tableWarning !== null) document.warnings.push(tableWarning)
  const warning = extensionWarning(format, filename)
  if (warning !== null) document.warnings.unshift(warning)
  document.blocks = enriched(document.blocks, options)
  if (document.blocks.length === 0)
    throw new ConversionError('empty', 'nothing to read: no text, table or picture was found in the document')
  return { ...document, ocrPages, tableMode: byModel > 0 ? 'accurate' : 'fast', readMs: performance.now() - started }
}

/** Formulas and code that are not wanted as such are kept as plain text. */
const enriched = (blocks: Document['blocks'], { formulas, codeBlocks }: ReadOptions): Document['blocks'] =>
  blocks.map((block) =>
    (block.kind === 'formula' && !formulas) || (block.kind === 'code' && !codeBlocks)
      ? { kind: 'paragraph', text: block.text, place: block.place }
      : block,
  )
