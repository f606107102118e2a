import { z } from 'zod'
import { count } from '../common.ts'

export const OutputFormat = z.enum(['markdown', 'html', 'json', 'doctags'])
export type OutputFormat = z.infer<typeof OutputFormat>

/** auto: pages that are pictures. always: every page. never: no page. */
export const UseOcr = z.enum(['auto', 'always', 'never'])
export type UseOcr = z.infer<typeof UseOcr>

/** fast: by rules. accurate: by a table model where its weights are there, else by rules, which `warnings` then reports. */
export const TableMode = z.enum(['accurate', 'fast'])
export type TableMode = z.infer<typeof TableMode>

/** Most chunks that one conversion returns; a document that gives more is refused. */
export const MAX_CHUNKS = 10_000

export const ConversionChunk = z.looseObject({
  text: z.string(),
  metadata: z.looseObject({
    chunk_index: count,
    /** The kind of block that it was cut from; text where it holds several. */
    chunk_type: z.enum(['text', 'table', 'code', 'formula']),
    /** Nearest heading above. */
    section_title: z.string().nullable(),
    /**
     * Page, slide, sheet (XLSX) or frame (TIFF) on which it starts, from 1. Null for HTML and DOC, and for DOCX unless Word noted where its pages
     * broke.
     */
    page: z.int().min(1).nullable(),
  }),
})
export type ConversionChunk = z.infer<typeof ConversionChunk>

/** Response of `POST /v1/document/convert`. */
export const ConversionResult = z.looseObject({
  /** For `json` a DoclingDocument, as text. */
  content: z.string(),
  format: OutputFormat,
  metadata: z.looseObject({
    pages: count,
    tables: count,
    images: count,
    formulas: count,
    /** Seconds. */
    processing_time: z.number().min(0),
    /** Holds what the content is, whatever the name suggests. */
    source_format: z.string(),
    /** Bytes. */
    file_size: count,
    /** Pages whose text was recognized from a picture. */
    ocr_pages: count,
    /** States how tables were found, which may be less than was asked for. */
    table_mode: TableMode,
    warnings: z.array(z.string()),
  }),
  chunks: z.array(ConversionChunk).nullable(),
})
export type ConversionResult = z.infer<typeof ConversionResult>
