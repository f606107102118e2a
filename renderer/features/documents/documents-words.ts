import { plural } from '../../components/format.ts'

/** The texts of the tool Convert. */
export const DOCUMENTS_WORDS = {
  page: {
    waiting: '○ waiting',
    converting: '◐ converting …',
    converted: '● converted',
    failed: '▲ failed',
    dropFilesHere: 'Drop files here',
    chooseFiles: 'Choose files',
    output: 'Output',
    textRecognition: 'Text recognition',
    chunkSizeCharacters: 'Chunk size (characters)',
    files: 'Files',
    s: (seconds: string) => ` · ${seconds} s`,
    noDocumentYet: 'No document yet',
    emptyAbout:
      'Each file is converted on this computer and shown beside its original: text, tables and the chunks that an approach would retrieve.',
    wasNotConverted: (name: string) => `▲ ${name} was not converted`,
    waits: 'Queued.',
    convertingNote: 'Converting; progress per page is not available. The first conversion starts the converter.',
    convertedFiles: 'Converted files',
    of: (over: string, conversions: number) => `${over} of ${plural(conversions, 'file')}`,
    notConverted: (failed: string) => ` · ${failed} not converted`,
    s2: (value: number) => ` · ${value} s`,
  },

  conversionView: {
    copied: (name: string) => `${name}: copied`,
    copying: 'Copying',
    recognized: (ocrPages: number) => ` · ${plural(ocrPages, 'page')} recognized`,
    s: (processingTime: string) => ` · ${processingTime} s`,
    read: 'Read',
    chunks: (chunks: number) => `Chunks (${chunks})`,
    copy: (format: string) => `Copy ${format}`,
    save: (format: string) => `Save ${format}`,
    original: 'Original',
    result: 'Result',
    page: (page: number) => ` · page ${page}`,
    characters: (text: number) => ` · ${text} characters`,
    andMore: (chunks: number) => `and ${chunks} more`,
  },

  markdownView: {
    picture: '[picture]',
    table: 'Table',
  },

  originalView: {
    noPages: (format: string) => `A ${format} file has no pages that can be drawn here.`,
    opening: (name: string) => `Opening ${name}`,
    openOutside: 'Open in its own program',
    previousPage: 'Previous page',
    pageOf: (page: number, pages: number) => `page ${page} of ${pages}`,
    nextPage: 'Next page',
    drawingThePage: 'Drawing the page …',
    pageImage: (page: number, name: string) => `Page ${page} of ${name}`,
  },
} as const
