import type {
  ConversionChunk,
  ConversionResult,
  OutputFormat,
  TableMode,
  UseOcr,
} from '../../../contract/http/conversion.ts'
import type { ConversionFailure } from '../model/conversion-error.ts'

/** One conversion, as sent to a converting process. */
export interface ConversionRequest {
  filename: string
  bytes: Uint8Array
  /** bundle: a ZIP with Markdown, DoclingDocument and pictures. page: a PNG of the original's page. */
  format: OutputFormat | 'bundle' | 'page'
  /** Which page, from 1; only for `page`. */
  page?: number
  useOcr: UseOcr
  /** accurate: tables of PDFs and pictures are read again by a model where its weights are installed. */
  tableMode: TableMode
  formulas: boolean
  codeBlocks: boolean
  /** Null where no chunks are wanted. */
  chunking: { size: number; overlap: number } | null
  /** Recognition data is unpacked to this folder. */
  cacheDir: string
  /** Folder of the table model. */
  tableModelDir: string
  /** Folder of PP-OCR, which reads pictures instead of Tesseract; null: Tesseract. */
  ppOcrDir: string | null
}

export interface ConversionOutcome {
  /** Null for a bundle and for a page. */
  content: string | null
  /** Null for anything else. */
  bundle: Uint8Array | null
  /** Null for a page. */
  metadata: ConversionResult['metadata'] | null
  chunks: ConversionChunk[] | null
}

/** The working process answers with one of these. */
export type WorkerAnswer =
  | { ok: true; outcome: ConversionOutcome }
  | { ok: false; code: ConversionFailure; message: string }
  | { ok: false; code: 'fault'; message: string }

/** Exit code of a working process that would have needed more memory than it may have. */
export const OUT_OF_MEMORY_EXIT = 71
