import { EVALUATE_LIMITS, type EvaluateRequest } from '../../../contract/index.ts'

const bytes = (text: string): number => Buffer.byteLength(text)

/** Which of the limits that no schema can state a request breaks, naming the record; null when none. */
export function brokenLimit(request: EvaluateRequest): string | null {
  let evidence = 0
  for (const [index, record] of request.records.entries()) {
    if (bytes(JSON.stringify(record.metadata)) > EVALUATE_LIMITS.metadataBytes)
      return `records[${index}].metadata exceeds ${EVALUATE_LIMITS.metadataBytes} bytes`
    const texts = [record.question, record.answer, ...record.contexts, record.ground_truth ?? '']
    evidence += texts.reduce((sum, text) => sum + bytes(text), 0)
    if (evidence > EVALUATE_LIMITS.evidenceBytes)
      return `records[${index}]: the evidence of the request exceeds ${EVALUATE_LIMITS.evidenceBytes} bytes`
  }
  return null
}
