import { ControlError } from '../../../contract/control/control-error.ts'
import { CONTROL_REFUSAL_HEADER } from '../../../contract/control/service-routes.ts'
import { fetchService } from '../../data/service-call.ts'
import { ConversionResult, type OutputFormat, type UseOcr } from '../../../contract/http/conversion.ts'

export interface ConversionChoices {
  format: OutputFormat
  useOcr: UseOcr
  chunkSize: number
}

/** Sets how long a full converter is waited for between two attempts. */
const BUSY_PAUSE_MS = 1000

/** The converter's result for a file; waits while it works on another. Throws an `Error` in words for a person. */
export async function convertFile(
  file: File,
  { format, useOcr, chunkSize }: ConversionChoices,
  signal: AbortSignal,
): Promise<ConversionResult> {
  for (;;) {
    const form = new FormData()
    const fields = {
      output_format: format,
      use_ocr: useOcr,
      enable_chunking: 'true',
      chunk_size: String(chunkSize),
      chunk_overlap: String(Math.floor(chunkSize / 10)),
    }
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', file)
    const response = await fetchService('converter', '/v1/document/convert', {
      method: 'POST',
      body: form,
      signal,
    })
    if (response.status === 429) {
      await response.body?.cancel()
      await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS))
      signal.throwIfAborted()
      continue
    }
    const body: unknown = await response.json().catch(() => null)
    if (response.ok) return ConversionResult.parse(body)
    throw new Error(refusal(response, body))
  }
}

function refusal(response: Response, body: unknown): string {
  if (response.headers.has(CONTROL_REFUSAL_HEADER)) {
    const error = ControlError.safeParse(body)
    if (error.success) return error.data.message
  }
  const detail = (body as { detail?: unknown } | null)?.detail
  if (typeof detail === 'string') return detail
  return `the converter answered HTTP ${response.status}`
}
