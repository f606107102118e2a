import { isCloudModel } from '../../../contract/manifests/model-backends.ts'
import type { Cost } from '../../../contract/manifests/prices.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { costWords, durationWords, plural } from '../../../contract/words.ts'
import { editedHoldoutWords } from '../../report/tuning/edited-words.ts'
import { qualityWords, settingWords } from '../../report/tuning/tuning-result.ts'
import { expectedCost, summariesIn } from '../prepare/expected-cost.ts'
import type { PreparedRun } from '../prepare/prepare-run.ts'
import type { PlannedTuning } from './plan-tuning.ts'
import type { TrialNews } from './run-tuning.ts'

/** States the plan of the tuning. */
export async function planWords(planned: PlannedTuning, setup: PreparedRun): Promise<string[]> {
  const { name, draft, wish, asked, openings, edited, chunkings, leftOut, holdoutGroups } = planned
  const { label } = metricOfId(draft.metric)
  const development = draft.rounds.flat().length
  const { models } = setup.experiment
  const set = models.sets[setup.modelSet ?? models.default_set]
  const paid = (['embed', 'rerank', ...(wish.answers ? (['light_gen'] as const) : [])] as const).filter(
    (role) => set !== undefined && isCloudModel(set.roles[role]),
  )
  const rerank = draft.parameters['rerank'] === true || draft.settings.some((setting) => setting['rerank'] === true)
  const cost = wish.answers ? await costOfAnswers(setup, draft.dataset, asked.development + asked.holdout) : null
  return [
    `${name}: ${plural(draft.settings.length - 1, 'setting')} of ${draft.tuned.join(', ')} against ${draft.alias} as it is, by ${label}, ${draft.context_budget} tokens handed over in every trial`,
    `${plural(development, 'question')} of development${draft.rounds.length > 1 ? ` in ${draft.rounds.length} rounds` : ''}, ${draft.holdout.length} held out in ${plural(holdoutGroups, 'group')}${leftOut > 0 ? `; ${plural(leftOut, 'question')} cannot be scored by ${label}` : ''}`,
    `Up to ${asked.development} + ${asked.holdout} questions asked; ${wish.answers ? 'each is answered' : 'no answer is written'}; each question is embedded once${chunkings > 1 ? ` for each of ${chunkings} chunkings, which are ingested by themselves` : ''}${rerank ? '; a setting with a reranker reranks each question' : ''}`,
    `${paid.length === 0 ? 'No model of these calls is paid for' : `Paid for: ${paid.map((role) => `${role} (${set!.roles[role].model})`).join(', ')}`}${cost === null ? '' : `; expected cost ${costWords(cost)}, by what such answers used in earlier runs`}`,
    ...(openings === 0
      ? []
      : [`This holdout was opened ${plural(openings, 'time')} before: the next confirmation is corrected for it`]),
    ...editedHoldoutWords(edited),
  ]
}

/** Estimates the cost of so many answers on a dataset. */
async function costOfAnswers(setup: PreparedRun, datasetId: string, answers: number): Promise<Cost | null> {
  const dataset = setup.datasets.find(({ dataset: { id } }) => id === datasetId)!
  const summaries = await summariesIn(setup.resultsDir, {})
  return expectedCost(
    setup,
    dataset,
    answers,
    summaries.filter((summary) => summary.dataset.id === datasetId),
  )
}

/** Sums up a trial in one line. */
export function trialWords(
  { setting, values, round, mean, figures, isReused }: TrialNews,
  { draft }: PlannedTuning,
): string {
  const place = draft.rounds.length > 1 ? `round ${round + 1}, ` : ''
  const state = isReused ? 'kept' : durationWords(figures.wall_ms)
  const failures = figures.failed === 0 ? '' : `; ${figures.failed} failed, the first: ${figures.failure}`
  return `${place}${setting + 1} of ${draft.settings.length}  ${settingWords(values)}  ${mean === null ? 'no score' : qualityWords({ metric: draft.metric }, mean)}  (${state})${failures}`
}
