import type { GitState, Reproducibility } from '../../contract/evidence/provenance.ts'
import type { EvaluationManifest, JudgePanelSettings } from '../../contract/manifests/evaluation.ts'
import { hashOf } from './load-manifest.ts'

// Judges read stored answers, so which judges a run has is not a condition of its rows: a finished run can be judged later, or by others. Rows
// written before this was decided hash the judge settings together with the evaluation's; their hash is recognized by making it again from
// the judges that the row names and every value of the settings that it does not name.

/** Returns what the cells of a run depend on, but the budget of context, which has a field of its own: judges read the answers afterwards, and neither concurrency nor the trace changes an answer. */
export function evaluationHash({ metrics, run, ...evaluation }: EvaluationManifest): string {
  const { concurrency: _concurrency, context_budget: _budget, trace: _trace, ...settings } = run
  return hashOf({ ...evaluation, metrics: { ragas: metrics.ragas }, run: settings })
}

/** Without a key that is undefined, which a manifest that does not name it has not either. */
const withOptional = <Value>(key: string, value: Value | undefined): Record<string, Value> =>
  value === undefined ? {} : { [key]: value }

const MAX_ROTATIONS = 64
const OPTIONAL_ROTATIONS = [undefined, ...Array.from({ length: MAX_ROTATIONS }, (_, index) => index + 1)]

/** Judge settings that a row of the old form may have been written with, the likeliest first. */
function* possibleJudges(now: JudgePanelSettings, stored: Reproducibility): Generator<JudgePanelSettings> {
  yield now
  const { enabled, endpoint, models } = stored.runtime.judge_panel
  const { rotations: _rotations, reference: _reference, ...rest } = now
  for (const reference of [undefined, false, true])
    for (const thinking of new Set([now.thinking, false, null, true]))
      for (const rotations of OPTIONAL_ROTATIONS)
        yield {
          ...rest,
          ...withOptional('rotations', rotations),
          ...withOptional('reference', reference),
          enabled,
          endpoint,
          models,
          thinking,
        }
}

function isOldHash(
  hash: string,
  stored: Reproducibility,
  { metrics, run, ...evaluation }: EvaluationManifest,
): boolean {
  const { concurrency: _concurrency, context_budget: _budget, trace: _trace, ...settings } = run
  for (const judges of possibleJudges(metrics.judge_panel, stored))
    if (hash === hashOf({ ...evaluation, metrics: { ragas: metrics.ragas, judge_panel: judges }, run: settings }))
      return true
  return false
}

/** As rows record it that were stored before the program's own commit was recorded. */
const isOutsideGit = ({ revision, dirty }: GitState): boolean => revision === null && dirty === false

/**
 * The conditions of a run as its stored rows spell them: equal to `stored` when nothing differs that rows of one file must share. New rows
 * are written in that form too, so that all rows of a file agree.
 */
export function inStoredForm(
  current: Reproducibility,
  stored: Reproducibility,
  evaluation: EvaluationManifest,
): Reproducibility {
  const { context_budget: budget, ...runtime } = current.runtime
  // Unless a budget is asked for, the run goes on with its own.
  const kept = evaluation.run.context_budget === undefined ? stored.runtime.context_budget : budget
  const { providers, runtime_files, repository, platform } = stored.runtime
  const [now, then] = [current.config_hashes['evaluation'], stored.config_hashes['evaluation']]
  const isSame = then !== undefined && then !== now && isOldHash(then, stored, evaluation)
  return {
    ...current,
    config_hashes: isSame ? { ...current.config_hashes, evaluation: then } : current.config_hashes,
    runtime: {
      ...runtime,
      judge_panel: stored.runtime.judge_panel,
      // Recorded only since: what the rows do not record cannot differ from them.
      providers: Object.fromEntries(Object.entries(runtime.providers).filter(([part]) => part in providers)),
      runtime_files: runtime.runtime_files.length === 0 ? runtime_files : runtime.runtime_files,
      repository: isOutsideGit(repository) && runtime.repository.dirty === null ? repository : runtime.repository,
      platform: platform.revision === null ? { ...runtime.platform, revision: null } : runtime.platform,
      base_port: stored.runtime.base_port === null ? null : runtime.base_port,
      // A run keeps what it declared; one that declared nothing cannot choose afterwards.
      ...withOptional('context_budget', kept),
      ...withOptional('excludes_cut_answers', runtime.excludes_cut_answers ?? stored.runtime.excludes_cut_answers),
      ...withOptional('primary_metric', runtime.primary_metric ?? stored.runtime.primary_metric),
    },
  }
}
