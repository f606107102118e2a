import type { HumanAgreement, HumanJudgments, JudgedQuery } from '../../../contract/index.ts'
import { roundedDeep } from '../rounded-deep.ts'
import { cohenKappa } from '../../statistics/kappa.ts'

const GRADES = [1, 2, 3, 4, 5]

/** A person's grades beside one judge's, over the answers that both graded; clusters are the questions. */
export function agreementWith(
  judge: string,
  votes: readonly HumanJudgments['queries'][number][],
  judged: ReadonlyMap<string, JudgedQuery>,
): HumanAgreement {
  const clusters: string[] = []
  const person: number[] = []
  const other: number[] = []
  const best = { same: 0, compared: 0 }
  for (const { query_id, scores, best: own } of votes) {
    const verdict = judged.get(query_id)?.per_judge[judge]
    if (verdict === undefined) continue
    for (const [model, grade] of Object.entries(scores)) {
      const given = verdict.scores[model]
      if (given === undefined) continue
      clusters.push(query_id)
      person.push(grade)
      other.push(Math.floor(given + 0.5))
    }
    if (own === null || verdict.best === null) continue
    best.compared += 1
    if (own === verdict.best) best.same += 1
  }
  const ratings = { clusters, a: Float64Array.from(person), b: Float64Array.from(other), levels: GRADES }
  return { judge, kappa: roundedDeep(cohenKappa(ratings, 'quadratic', { seed: `human/${judge}` })), best }
}
