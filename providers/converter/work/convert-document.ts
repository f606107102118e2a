import type { TableMode } from '../../../contract/http/conversion.ts'
import { detectFormat, extensionWarning, READERS } from '../formats/formats.ts'
import { ConversionError } from '../model/conversion-error.ts'
import type { Document } from '../model/document.ts'
import type { Recognizer } from '../ocr/recognize.ts'
import type { TableModel } from '../tables/table-model.ts'
import type { TableReader } from '../tables/table-reader.ts'
import type { ConversionRequest } from './protocol.ts'

/** A document is read with these options. */
export type ReadOptions = Pick<
  ConversionRequest,
  'useOcr' | 'tableMode' | 'formulas' | 'codeBlocks' | 'cacheDir' | 'tableModelDir' | 'ppOcrDir'
>

/** A document as read, and how. */
export interface ReadDocument extends Document {
  /** Pages whose text was recognized from a picture. */
  ocrPages: number
  /** accurate where the model read at least one table. */
  tableMode: TableMode
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

async function openRecognizer(cacheDir: string): Promise<Recognizer> {
  const [{ createRecognizer }, { openTesseract }] = await Promise.all([
    import('../ocr/recognize.ts'),
    import('../ocr/tesseract.ts'),
  ])
  return createRecognizer(await openTesseract(cacheDir))
}

async function openPpOcrRecognizer(folder: string): Promise<Recognizer> {
  const [{ createRecognizer }, { openPpOcr, PpOcrError }] = await Promise.all([
    import('../ocr/recognize.ts'),
    import('../ocr/pp-ocr/pp-ocr.ts'),
  ])
  const reader = await openPpOcr(folder).catch((error: unknown) => {
    if (error instanceof PpOcrError) throw new UnusableModel(`PP-OCR in ${folder} cannot be used: ${error.message}`)
    throw error
  })
  if (reader === null) throw new UnusableModel(`PP-OCR is not installed in ${folder}`)
  return createRecognizer(reader)
}

/** Weights that are missing or damaged; the message ends in the reason. */
class UnusableModel extends Error {}

/** The recognizer of the options. Where PP-OCR cannot be used, Tesseract takes its place, and `warn` gets the reason. */
async function openChosen({ cacheDir, ppOcrDir }: ReadOptions, warn: (warning: string) => void): Promise<Recognizer> {
  if (ppOcrDir !== null)
    try {
      return await kept(recognizers, ppOcrDir, openPpOcrRecognizer)
    } catch (error) {
      if (!(error instanceof UnusableModel)) throw error
      warn(`${error.message}; Tesseract recognized the text`)
    }
  return kept(recognizers, cacheDir, openRecognizer)
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

/** Reads any of the input formats by its content. Throws `ConversionError` for what the sender can fix. */
export async function readDocument(bytes: Uint8Array, filename: string, options: ReadOptions): Promise<ReadDocument> {
  const ocrWarnings = new Set<string>()
  const recognizer = (): Promise<Recognizer> => openChosen(options, (warning) => ocrWarnings.add(warning))
  const format = detectFormat(bytes, filename)
  const tables = options.tableMode === 'accurate' ? await tableReader(options.tableModelDir) : null
  const { ocrPages = 0, ...document } = await READERS[format](bytes, { useOcr: options.useOcr, recognizer, tables })
  const { byModel, warning: tableWarning } = tables?.outcome() ?? { byModel: 0, warning: null }
  if (tableWarning !== null) document.warnings.push(tableWarning)
  document.warnings.push(...ocrWarnings)
  const warning = extensionWarning(format, filename)
  if (warning !== null) document.warnings.unshift(warning)
  document.blocks = enriched(document.blocks, options)
  if (document.blocks.length === 0)
    throw new ConversionError(
      'empty',
      ['nothing to read: no text, table or picture was found in the document', ...document.warnings].join('; '),
    )
  return { ...document, ocrPages, tableMode: byModel > 0 ? 'accurate' : 'fast' }
}

/** Formulas and code that are not wanted as such are kept as plain text. */
const enriched = (blocks: Document['blocks'], { formulas, codeBlocks }: ReadOptions): Document['blocks'] =>
  blocks.map((block) =>
    (block.kind === 'formula' && !formulas) || (block.kind === 'code' && !codeBlocks)
      ? { kind: 'paragraph', text: block.text, place: block.place }
      : block,
  )
