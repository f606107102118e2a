import { chunkText } from '../../chunking/chunk-text.ts'
import { countTokens } from '../../models/builtin/count-tokens.ts'

/** A piece of a document: `content` equals `text.slice(startChar, endChar)`. */
export interface DocumentChunk {
  index: number
  startChar: number
  endChar: number
  tokens: number
  content: string
}

/**
 * Splits a text into chunks of at most `maxChars` at paragraphs, lines, sentences or words. Chunks do not overlap: a relation that
 * stood in two of them would count twice.
 */
export function splitDocument(text: string, maxChars: number): DocumentChunk[] {
  return chunkText({ text, strategy: 'recursive', chunk_size: maxChars, overlap: 0 }).map((chunk) => ({
    index: chunk.index,
    startChar: chunk.start_char,
    endChar: chunk.end_char,
    tokens: countTokens(chunk.content),
    content: chunk.content,
  }))
}
