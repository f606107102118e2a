import { useQuery } from '@tanstack/react-query'
import type { JudgeResults } from '../../../contract/control/judging.ts'
import { lookOf } from '../../../charts/look.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { whyNoInterval } from '../../components/estimate.tsx'
import { count, score } from '../../components/format.ts'
import { IntervalBar, IntervalScale } from '../../components/interval-bar.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import styles from './judges.module.css'
import type { Round } from './use-ballot.ts'
import { intervalWords } from '../../../contract/words.ts'

const GRADES = [1, 5] as const

/** Each approach's mean grade with its interval, wins and votes; a person's beside the judges'. */
export function ApproachScores({ round, results }: { round: Round; results: JudgeResults }) {
  const { approaches, human, panel } = results
  const pairs = useQuery({
    ...api.statistics.pairs.queryOptions({
      input: { run_id: round.run, dataset_id: round.dataset, metric: 'judge_mean' },
    }),
    enabled: approaches.length > 1,
  })
  const models =
    approaches.length > 0 ? approaches.map(({ model }) => model) : (human?.approaches ?? []).map(({ model }) => model)
  const rows = models.map((model) => {
    const own = approaches.find((approach) => approach.model === model)
    return {
      ...{ model, own, person: human?.approaches.find((approach) => approach.model === model) },
      estimate: pairs.data?.comparison.approaches.find((approach) => approach.model === model)?.mean ?? null,
      rank: panel?.leave_one_out.approaches.find((approach) => approach.model === model)?.rank ?? null,
    }
  })
  const order = rows.toSorted((a, b) => (b.own?.mean ?? b.person?.mean ?? 0) - (a.own?.mean ?? a.person?.mean ?? 0))
  const reasons = [
    ...new Set(rows.flatMap(({ estimate }) => (estimate === null ? [] : whyNoInterval(estimate)))),
  ].filter((why) => why !== '')
  const decided = pairs.data?.comparison.decided
  return (
    <>
      <div className={table.scroll} tabIndex={0} role="region" aria-label="Scores by approach">
        <table className={table.table}>
          <thead>
            <tr>
              <th className={table.num}>Rank</th>
              <th>Approach</th>
              <th className={table.num}>Mean grade</th>
              <th className={table.num}>95 % interval</th>
              <th className={styles.barColumn}>
                mean grade, 1 to 5
                <IntervalScale domain={GRADES} marks={[1, 2, 3, 4, 5]} />
              </th>
              <th className={table.num}>Questions</th>
              <th className={table.num}>Won</th>
              <th className={table.num}>Best votes</th>
              {human !== null && <th className={table.num}>Your mean grade</th>}
              {human !== null && <th className={table.num}>Your best votes</th>}
            </tr>
          </thead>
          <tbody>
            {order.map(({ model, own, person, estimate, rank }) => (
              <tr key={model}>
                <td className={table.num}>{rank ?? '–'}</td>
                <th scope="row">
                  <ApproachName alias={model} short />
                </th>
                <td className={table.num}>{score(own?.mean)}</td>
                <td className={table.num}>
                  {estimate === null || estimate.interval === null ? '–' : intervalWords(estimate.interval)}
                </td>
                <td>
                  <IntervalBar
                    value={own?.mean ?? null}
                    interval={estimate?.interval ?? null}
                    domain={GRADES}
                    colour={lookOf(model).colour}
                  />
                </td>
                <td className={table.num}>{count(own?.questions ?? 0)}</td>
                <td className={table.num}>{count(own?.wins ?? 0)}</td>
                <td className={table.num}>{count(own?.votes ?? 0)}</td>
                {human !== null && (
                  <td className={table.num}>
                    {score(person?.mean)} <span className="dim">n {count(person?.questions ?? 0)}</span>
                  </td>
                )}
                {human !== null && <td className={table.num}>{count(person?.votes ?? 0)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {decided !== undefined && (
        <p className={styles.below}>
          {count(decided.decided)} of {count(decided.comparable)} pairs of approaches are decided at 95 % (Holm).
          Approaches whose difference is not decided cannot be ranked by these grades.
        </p>
      )}
      {reasons.map((why) => (
        <p key={why} className="dim">
          {why}
        </p>
      ))}
    </>
  )
}
