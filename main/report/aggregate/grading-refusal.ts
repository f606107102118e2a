import type { EvaluationResult } from '../../../contract/evidence/evaluation-result.ts'
import type { CellTrace } from '../../../contract/evidence/trace.ts'
import { isUsedUp } from '../../../core/used-up-credit.ts'

const SAID = /^The model service of role evaluator\w* at (\S+) answered HTTP (\d{3})(.*)$/s

/** Words of an evaluator that leave open whether its service refuses for want of credit or of a valid key, or how. */
const OPEN_WORDS: readonly unknown[] = ['RateLimitError', 'BadRequestError', 'AuthenticationError', 'http_error']

/** True where the trace of a row may say more of its failed grading than the word of the evaluator. */
export const isOpenGrading = ({ metric_errors: words, error_type: whole }: EvaluationResult): boolean =>
  OPEN_WORDS.includes(whole) || Object.values(words).some((word) => OPEN_WORDS.includes(word))

/** Matches what a row keeps of a refused grading: status and words of the evaluator, or of the service of its model. */
const REFUSED = /^HTTP (\d{3})(?:: RAG evaluation failed: .*? \(HTTP (\d{3})\))?(.*)$/s

/** The word of a grading that was refused, followed by the status and the words of the refusal. */
function refusedWord(error: string): string {
  const [, own, status = own, said = ''] = REFUSED.exec(error) ?? []
  return `${status === '402' || isUsedUp(error) ? 'QuotaError' : 'AuthenticationError'}: HTTP ${status}${said.replaceAll(/\s+/g, ' ')}`
}

/** The word of a failed grading; where the trace of the cell holds that the service of its model refused the key or has no credit, followed by its status, address and words. */
export function gradingWord(word: string | undefined, trace: CellTrace | undefined, error = ''): string | undefined {
  if (word === 'access_refused') return refusedWord(error)
  if (!OPEN_WORDS.includes(word)) return word
  for (const { error = '' } of trace?.steps ?? []) {
    const [, address, status, said = ''] = SAID.exec(error) ?? []
    const words = `HTTP ${status} at ${address}${said.replaceAll(/\s+/g, ' ')}`
    if (status === '402' || (status !== undefined && isUsedUp(said))) return `QuotaError: ${words}`
    if (status === '401' || status === '403') return `AuthenticationError: ${words}`
  }
  return word
}
