import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { ConversionResult } from '../../../contract/http/conversion.ts'
import { DOCUMENT_EXTENSIONS } from '../../../core/document-formats.ts'
import { uploadOf } from '../../../core/http/bodies.ts'
import { createHttpClient, HttpFault } from '../../../core/http/http-client.ts'
import { waitFor } from '../../../core/http/pauses.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import type { ServiceAddress } from '../services/local-service.ts'
import { ControlFailure } from '../control-failure.ts'
import { documentFile, documentsOf, readText } from './corpus-reader.ts'

/** More conversions would keep a person waiting for minutes. */
const MOST_CONVERTED = 100
/** Characters of converted texts that are kept for the next reading. */
const MOST_KEPT = 50_000_000
/** The converter works on one file at a time; others may use it as well. */
const BUSY_PAUSE_MS = 500
const CONVERTED_WITHIN_MS = 10 * 60_000
const LIMIT_BYTES = 256 * 1024 * 1024

const isConverted = (path: string): boolean => DOCUMENT_EXTENSIONS.includes(extname(path).toLowerCase())

/** Reads texts of datasets as ingestion reads them, except recordings. */
export interface DocumentTexts {
  /** The documents of a dataset with their texts, in order of their paths; those that cannot be read are added to `unread`. */
  of: (
    root: string,
    dataset: LadderDataset,
    unread: string[],
    signal: AbortSignal,
  ) => AsyncGenerator<{ document: string; text: string }>
}

/** Converted texts are kept while their files stay the same. `converter` starts the service where it is down. */
export function documentTexts(converter: () => Promise<ServiceAddress>): DocumentTexts {
  const kept = new Map<string, string>()

  async function converted(file: string, signal: AbortSignal): Promise<string | null> {
    const { size, mtimeMs } = await stat(file)
    const key = `${file} ${size} ${mtimeMs}`
    const known = kept.get(key)
    if (known !== undefined) return known
    const { url, token } = await converter()
    const client = createHttpClient(token === null ? {} : { authorization: `Bearer ${token}` })
    const bytes = await readFile(file)
    for (;;) {
      const { status, isOk, json } = await client.send(`${url}/v1/document/convert`, {
        body: uploadOf(bytes, file, { output_format: 'markdown', use_ocr: 'auto' }),
        signal,
        timeoutMs: CONVERTED_WITHIN_MS,
        limitBytes: LIMIT_BYTES,
      })
      if (status === 429) {
        await waitFor(BUSY_PAUSE_MS, signal)
        continue
      }
      const text = isOk ? ConversionResult.parse(json).content : null
      if (text !== null) keep(key, text)
      return text
    }
  }

  function keep(key: string, text: string): void {
    kept.set(key, text)
    let characters = [...kept.values()].reduce((sum, { length }) => sum + length, 0)
    for (const [oldest, { length }] of kept) {
      if (characters <= MOST_KEPT) return
      kept.delete(oldest)
      characters -= length
    }
  }

  return {
    async *of(root, dataset, unread, signal) {
      let conversions = 0
      for (const document of await documentsOf(root, dataset)) {
        signal.throwIfAborted()
        let text: string | null = null
        try {
          if (!isConverted(document)) text = await readText(root, dataset, document)
          else if ((conversions += 1) <= MOST_CONVERTED)
            text = await converted(await documentFile(root, dataset, document), signal)
        } catch (error) {
          signal.throwIfAborted()
          // A file that was removed meanwhile, is too large or ended the converter leaves the others to read.
          if (!(error instanceof ControlFailure) && !(error instanceof HttpFault)) throw error
        }
        if (text === null) unread.push(document)
        else yield { document, text }
      }
    },
  }
}
