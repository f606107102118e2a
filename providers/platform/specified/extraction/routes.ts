import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { callerSignal } from '../../../kit/caller-signal.ts'
import type { EnvReader } from '../../../kit/env-reader.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { acceptMultipart, FRAMING_BYTES, isForm, requiredFile } from '../../../kit/multipart-form.ts'
import type { FormFile } from '../../../kit/multipart-form.ts'
import { plainTextParser } from '../../ingestion/parsers.ts'
import type { DocumentParser } from '../../ingestion/parsers.ts'

export interface ExtractionSettings {
  maxFileBytes: number
  timeoutMs: number
}

/** Reads `EXTRACTION_*`. */
export function readExtractionSettings(reader: EnvReader): ExtractionSettings {
  return {
    maxFileBytes: reader.integer('EXTRACTION_MAX_FILE_SIZE', { min: 1, max: Number.MAX_SAFE_INTEGER }),
    timeoutMs: reader.seconds('EXTRACTION_TIMEOUT_SECONDS', { max: 3600 }) * 1000,
  }
}

/** The text of a document and what it was read with. */
export interface Extraction {
  filename: string
  title: string
  /** Markdown from the converter, else the text itself. */
  text: string
  metadata: { parser: string; media_type: string | null; size_bytes: number; sha256: string; warnings: string[] }
}

export interface ExtractionDeps {
  settings: ExtractionSettings
  /** Null while no converter is configured: then only plain text is read. */
  converter: DocumentParser | null
  /** Returns true when any converter would read files of this name. */
  isDocument: (filename: string) => boolean
}

/**
 * `POST /documents/extract`, stateless: 413 too large, 415 no document, 502 with one stable message when the converter fails or is
 * too slow (its own words are for the log), 503 without a converter.
 */
export function registerExtractionRoutes(app: FastifyInstance, { settings, converter, isDocument }: ExtractionDeps) {
  void app.register(async (scope) => {
    acceptMultipart(scope)
    const bodyLimit = settings.maxFileBytes + FRAMING_BYTES
    scope.post('/documents/extract', { bodyLimit }, async (request, reply): Promise<Extraction> => {
      if (!isForm(request.body)) throw new HttpError(415, 'A multipart body with the part "file" is required')
      const file = requiredFile(request.body, 'file', settings.maxFileBytes)
      const parser = parserOf(file)
      const sha256 = hash('sha256', file.bytes)
      const signal = AbortSignal.any([callerSignal(request, reply), AbortSignal.timeout(settings.timeoutMs)])
      const source = { path: file.filename, sizeBytes: file.bytes.length, sha256, read: async () => file.bytes }
      const { title, text, warnings } = await parser
        .parse(source, signal, async () => [])
        .catch((error: unknown) => {
          throw new HttpError(502, 'Document extraction failed', { cause: error })
        })
      return {
        filename: file.filename,
        title,
        text,
        metadata: {
          parser: parser.name,
          media_type: file.mediaType,
          size_bytes: file.bytes.length,
          sha256,
          warnings: [...(warnings ?? [])],
        },
      }
    })
  })

  function parserOf({ filename }: FormFile): DocumentParser {
    const path = filename.replaceAll('\\', '/')
    if (plainTextParser.accepts({ path })) return plainTextParser
    if (converter?.accepts({ path }) === true) return converter
    if (converter === null && isDocument(path))
      throw new HttpError(503, 'No document converter is configured (DOCCONV_ENDPOINT)')
    throw new HttpError(415, 'Unsupported document type')
  }
}
