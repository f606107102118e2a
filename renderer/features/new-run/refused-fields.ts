import { controlErrorOf, InputProblem } from '../../../contract/control/control-error.ts'

/** Returns what a refusal of a request itself finds wrong, by path; empty for any other failure. */
export function refusedFields(error: unknown): InputProblem[] {
  const { code, details } = controlErrorOf(error)
  return InputProblem.array().safeParse(code === 'input_invalid' ? details?.['problems'] : []).data ?? []
}
