import { z } from 'zod'

/**
 * Describes what can go wrong at the control API, for programs. input_invalid: the call itself; `details.problems` names paths. manifest_invalid: a file
 * of the project; `details.file` and `details.problems`. run_conflict: stored rows were made under other conditions. run_state: the run is in
 * a state that does not allow it. confirmation_required: it would delete or replace what was not confirmed; `details` lists it. not_revealed: a
 * blind round is open. revealed: it is closed and takes no more votes. unreachable: made by the client, when no answer came.
 */
export const ControlErrorCode = z.enum([
  'input_invalid',
  'manifest_invalid',
  'not_found',
  'run_active',
  'run_state',
  'run_conflict',
  'evidence_refused',
  'file_changed',
  'not_a_text',
  'judges_refused',
  'not_revealed',
  'revealed',
  'index_busy',
  'index_failed',
  'service_failed',
  'service_state',
  'not_supported',
  'answer_too_large',
  'request_too_large',
  'unauthorized',
  'forbidden',
  'confirmation_required',
  'journal_not_written',
  'stopping',
  'unreachable',
  'unexpected',
])
export type ControlErrorCode = z.infer<typeof ControlErrorCode>

/** A place in an input or a file and what is wrong there; the path as people write it: `dataset_ids[1]`. */
export const InputProblem = z.strictObject({ path: z.string(), message: z.string() })
export type InputProblem = z.infer<typeof InputProblem>

/** The only form in which a failure crosses: what to show, what to switch on, and whether the same call may work later. */
export const ControlError = z.strictObject({
  code: ControlErrorCode,
  message: z.string(),
  retryable: z.boolean(),
  details: z.record(z.string(), z.json()).optional(),
})
export type ControlError = z.infer<typeof ControlError>

/** Any value that a client of the control API caught → its control error; `unreachable` when nothing came back. */
export function controlErrorOf(caught: unknown): ControlError {
  const { data, message } = caught !== null && typeof caught === 'object' ? (caught as Record<string, unknown>) : {}
  const parsed = ControlError.safeParse(data)
  if (parsed.success) return parsed.data
  const text = typeof message === 'string' && message !== '' ? message : 'the engine gave no answer'
  return { code: 'unreachable', message: text, retryable: true }
}
