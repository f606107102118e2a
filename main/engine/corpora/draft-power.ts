import type { DraftedQuestion, DraftPower } from '../../../contract/control/drafted-questions.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import { DatasetEditError } from '../../manifests/datasets/own-datasets.ts'
import { plannedDecision } from '../../runner/prepare/planned-decision.ts'

/**
 * Returns which difference between two approaches the questions of a dataset decide on its primary metric when these drafts are questions too; by the same simulation as
 * plan and check. Throws `DatasetEditError` for a draft that is not there.
 */
export async function draftPower(
  questions: readonly Question[],
  drafts: readonly DraftedQuestion[],
  ids: readonly string[],
  earlier: AsyncIterable<Aggregate> | Iterable<Aggregate>,
): Promise<DraftPower> {
  const missing = ids.find((id) => !drafts.some((each) => each.id === id))
  if (missing !== undefined)
    throw new DatasetEditError('draft_ids', `there is no draft ${missing}: it was accepted or rejected meanwhile`)
  const chosen = drafts.filter(({ id }) => ids.includes(id))
  const all = [...questions, ...chosen.map(({ id, question }) => ({ id, ...question }))]
  return {
    questions: questions.length,
    drafts: chosen.length,
    planned_difference: await plannedDecision({ questions: all, approaches: 2, judges: [], earlier }),
  }
}
