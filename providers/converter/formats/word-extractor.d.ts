declare module 'word-extractor' {
  class WordExtractor {
    extract(source: Buffer | string): Promise<{ getBody(): string }>
  }
  export = WordExtractor
}
