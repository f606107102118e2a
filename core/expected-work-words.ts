import type { ExpectedWork, WorkOfApproach } from '../contract/control/expected-work.ts'
import { countWords, plural } from '../contract/words.ts'

const perAnswer = (calls: number): string => (Number.isInteger(calls) ? countWords(calls) : calls.toFixed(1))

const callsWords = ({ alias, answer_calls: answer, grading_calls: grading }: WorkOfApproach): string =>
  answer === null || grading === null
    ? `${alias} unknown`
    : `${alias} ${perAnswer(answer)}${grading === 0 ? '' : ` + ${perAnswer(grading)} for grading`}`

const CALIBRATE = 'rag-ladder plan --calibrate asks each model three times and estimates from that'

/** Returns true where three calls of each model would give an estimate that rows do not give. */
export const needsCalibration = ({ approaches, can_calibrate: can }: ExpectedWork): boolean =>
  can && approaches.some(({ rows, calibrated }) => rows === 0 && !calibrated)

/**
 * Returns where an estimate of time and calls comes from: `from 84 rows of this model set`, `from three calls of each model`, or why there is none. `remedy` says how
 * to get one; null where a button says it.
 */
export function sourceWords(
  { rows, approaches, can_calibrate: canCalibrate }: Pick<ExpectedWork, 'rows' | 'approaches' | 'can_calibrate'>,
  remedy: string | null = CALIBRATE,
): string {
  const unknown = approaches.filter((work) => work.rows === 0 && !work.calibrated).map(({ alias }) => alias)
  const calibrated = approaches.filter((work) => work.calibrated).map(({ alias }) => alias)
  if (unknown.length === 0) {
    const ofRows = `from ${plural(rows, 'row')} of this model set`
    if (calibrated.length === 0) return ofRows
    const ofCalls = 'from three calls of each model on this machine and the calls that an answer usually takes'
    return calibrated.length === approaches.length ? ofCalls : `${ofRows}, of ${calibrated.join(', ')} ${ofCalls}`
  }
  const of = unknown.length === approaches.length ? 'this model set' : `${unknown.join(', ')} with this model set`
  return `no estimate: this machine has no row of ${of} on this dataset${canCalibrate && remedy !== null ? `; ${remedy}` : ''}`
}

/** Model calls of an answer, approach by approach; null where no model is called or nothing is known. */
export function callsPerApproach({ model_calls: calls, approaches }: ExpectedWork): string | null {
  if (calls === 0 || approaches.every(({ answer_calls: answer }) => answer === null)) return null
  return `model calls per answer: ${approaches.map(callsWords).join(', ')}`
}
