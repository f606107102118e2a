/**
 * judge_models_missing: an enabled panel without judges. judge_models_too_few: below two. judge_families_not_distinct: two judges of one
 * family. judge_is_approach: a judge that would grade its own answers. judge_unknown: a built-in name that does not exist.
 * judge_endpoint_untrusted: a manifest's endpoint would get the person's key. nothing_to_judge, mixed_answers: the stored answers.
 * panel_failed: no judge gave a single verdict. journal_*: the file of verdicts. human_*: a round of human votes.
 */
export type JudgePanelErrorCode =
  | 'judge_models_missing'
  | 'judge_models_too_few'
  | 'judge_families_not_distinct'
  | 'judge_is_approach'
  | 'judge_unknown'
  | 'judge_endpoint_untrusted'
  | 'nothing_to_judge'
  | 'mixed_answers'
  | 'panel_failed'
  | 'journal_in_use'
  | 'journal_damaged'
  | 'human_file_invalid'
  | 'human_round_differs'
  | 'human_seal_broken'
  | 'human_already_opened'
  | 'human_round_exists'

/** Why a judge panel or a human round cannot go on. What a single judge does wrong is a recorded failure, not this. */
export class JudgePanelError extends Error {
  override readonly name = 'JudgePanelError'
  readonly code: JudgePanelErrorCode
  readonly data: Readonly<Record<string, unknown>>

  constructor(
    code: JudgePanelErrorCode,
    message: string,
    data: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.data = data
  }
}

/** The panel was stopped by its caller; verdicts so far are kept and not asked for again. */
export class JudgePanelStoppedError extends Error {
  override readonly name = 'AbortError'
  readonly code = 'judge_panel_stopped'
  readonly kept: number
  readonly left: number

  constructor(kept: number, left: number) {
    super(
      `the judge panel was stopped: ${kept} of ${kept + left} verdicts had been given and are kept; run again to ask for the others only`,
    )
    this.kept = kept
    this.left = left
  }
}
