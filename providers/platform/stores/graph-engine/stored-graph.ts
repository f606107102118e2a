import { hash } from 'node:crypto'
import type { GraphDocumentStatus } from '../../../../contract/http/graph-documents.ts'
import type { Extraction, ReadExtraction } from '../../models/prompts/extract-task.ts'

/** Id of a document's chunk. */
export function chunkId(document: string, index: number): string {
  return `chunk-${document.slice('doc-'.length)}-${index}`
}

/** A chunk as a range of its document's text. */
export interface ChunkRange {
  index: number
  startChar: number
  endChar: number
  tokens: number
}

/** Describes what a model found in a chunk; `truncated` when one of its replies was cut at its length limit. */
export type ChunkExtraction = ReadExtraction & { truncated: boolean }

/** A piece of a document: `content` equals `text.slice(startChar, endChar)`. */
export interface DocumentChunk {
  index: number
  startChar: number
  endChar: number
  tokens: number
  content: string
}

/** Id of a document: equal texts are one document, whatever their source. */
export function documentId(content: string): string {
  return `doc-${hash('sha256', content).slice(0, 32)}`
}

export interface VectorRow {
  vector: Buffer
  packed: number
}
export interface StoredDocument {
  id: string
  filePath: string
  title: string
  status: GraphDocumentStatus
  trackId: string
  error: string | null
  extractModel: string
  createdMs: number
  updatedMs: number
  contentLength: number
  /** The first characters of the text. */
  summary: string
  chunks: number
  /** Chunks whose extraction is stored. */
  extracted: number
}

export interface StoredChunk {
  id: string
  documentId: string
  filePath: string
  title: string
  index: number
  tokens: number
  content: string
}

/** A chunk with what a model found in it. */
export interface ExtractedChunk extends StoredChunk {
  extraction: Extraction
}
