interface AnsweredRow {
  metrics: { operational: { is_cut?: boolean | undefined } }
  reproducibility: { runtime: { excludes_cut_answers?: boolean | undefined } }
}

/** Returns true for an answer that a limit of tokens cut, in a run that leaves those out: it is neither scored nor judged. */
export const isExcludedAnswer = ({ metrics, reproducibility }: AnsweredRow): boolean =>
  metrics.operational.is_cut === true && reproducibility.runtime.excludes_cut_answers === true
