import { callService, ServiceCallError } from '../../data/service-call.ts'
import { ConversionResult, type OutputFormat, type UseOcr } from '../../../contract/http/conversion.ts'

export interface ConversionChoices {
  format: OutputFormat
  useOcr: UseOcr
  chunkSize: number
}

/** Sets how long a full converter is waited for between two attempts. */
const BUSY_PAUSE_MS = 1000

/** Asks the converter about a file, and again while it works on another. Throws an `Error` in words for a person. */
export async function callConverter(
  path: '/v1/document/convert' | '/v1/document/page',
  file: File,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  for (;;) {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.append(name, value)
    body.append('file', file)
    try {
      return await callService('converter', path, { method: 'POST', body, signal })
    } catch (error) {
      if (!(error instanceof ServiceCallError && error.status === 429)) throw error
      await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS))
      signal.throwIfAborted()
    }
  }
}

/** The converter's result for a file. Throws an `Error` in words for a person. */
export async function convertFile(
  file: File,
  { format, useOcr, chunkSize }: ConversionChoices,
  signal: AbortSignal,
): Promise<ConversionResult> {
  const fields = {
    output_format: format,
    use_ocr: useOcr,
    enable_chunking: 'true',
    chunk_size: String(chunkSize),
    chunk_overlap: String(Math.floor(chunkSize / 10)),
  }
  const answer = await callConverter('/v1/document/convert', file, fields, signal)
  return ConversionResult.parse(await answer.json())
}
