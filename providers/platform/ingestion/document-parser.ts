import type { ParserName } from '../../../contract/index.ts'
import type { CorpusFile } from './corpus.ts'

export interface ParsedDocument {
  title: string
  text: string
  /** What the reader should know, such as a part that was left out. */
  warnings?: readonly string[]
}

/** The texts of the corpus that stand in plain files; read once, when a parser asks for them. */
export type CorpusTexts = () => Promise<readonly string[]>

/** Reads one kind of corpus file. The profile's parser order decides which of the registered parsers is asked first. */
export interface DocumentParser {
  name: ParserName
  accepts(file: Pick<CorpusFile, 'path'>): boolean
  /** Throws when the file cannot be read as what it seems to be; the job then fails with the file's name. */
  parse(file: CorpusFile, signal: AbortSignal, corpus: CorpusTexts): Promise<ParsedDocument>
}
