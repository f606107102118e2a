import path from 'node:path'
import { ConversionResult, DOCUMENT_EXTENSIONS } from '../../../contract/index.ts'
import type { DocumentParser } from './document-parser.ts'
import { firstHeading } from './plain-text-parser.ts'
import { serviceUpload } from './service-upload.ts'
import type { ServiceAddress } from './service-upload.ts'

const EXTENSIONS = new Set(DOCUMENT_EXTENSIONS)

/** Reads documents and pictures through the converter's HTTP contract, as Markdown. Throws `ParserServiceError` with what it was told. */
export function converterParser(address: ServiceAddress): DocumentParser & { close(): Promise<void> } {
  const service = serviceUpload('converter', address)
  return {
    name: 'converter',
    accepts: ({ path: file }) => EXTENSIONS.has(path.posix.extname(file).toLowerCase()),
    close: () => service.close(),
    async parse(file, signal) {
      const answer = await service.send('/v1/document/convert', file, {}, signal)
      const { content, metadata } = ConversionResult.parse(JSON.parse(answer))
      const title = firstHeading(content) ?? path.posix.parse(file.path).name
      return { title, text: content, warnings: metadata.warnings }
    },
  }
}
