declare module 'word-extractor' {
  interface Extracted {
    getBody(): string
    getTextboxes(options: { includeHeadersAndFooters: boolean }): string
    getFootnotes(): string
    getEndnotes(): string
    getHeaders(): string
    getAnnotations(): string
  }
  class WordExtractor {
    extract(source: Buffer | string): Promise<Extracted>
  }
  export = WordExtractor
}
