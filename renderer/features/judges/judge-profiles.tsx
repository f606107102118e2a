import type { JudgePanelRuntime, PanelStatistics } from '../../../contract/evidence/judgments.ts'
import { EstimateCell } from '../../components/estimate.tsx'
import { count, score } from '../../components/format.ts'
import { IntervalBar, IntervalScale } from '../../components/interval-bar.tsx'
import table from '../../components/table.module.css'
import { positionSentence } from './agreement-words.ts'
import styles from './judges.module.css'

const BASES = {
  within_answer: 'the same answer in several places',
  within_question: 'answers of one question, each approach’s level removed',
  none: 'cannot be measured',
}

/** The widest slope on screen, in whole steps of 0.1 and at least 0.2, so that all judges share one scale. */
function slopeDomain({ judges }: PanelStatistics): [number, number] {
  const ends = judges.flatMap(({ position_effect: { slope } }) => [
    Math.abs(slope.value ?? 0),
    Math.abs(slope.interval?.low ?? 0),
    Math.abs(slope.interval?.high ?? 0),
  ])
  const widest = Math.max(0.2, Math.ceil(Math.max(...ends, 0) * 10) / 10)
  return [-widest, widest]
}

/** How each judge behaves whatever it prefers: place, contradictions of itself, length. */
export function JudgeProfiles({ panel, runtime }: { panel: PanelStatistics; runtime: JudgePanelRuntime | null }) {
  const domain = slopeDomain(panel)
  return (
    <div className={table.scroll} tabIndex={0} role="region" aria-label="Behaviour of each judge">
      <table className={table.table}>
        <thead>
          <tr>
            <th>Judge</th>
            <th className={table.num}>Verdicts</th>
            <th className={table.num}>Mean grade</th>
            <th className={table.num}>Position effect, grade per place</th>
            <th className={styles.barColumn}>
              earlier ← favours → later
              <IntervalScale domain={domain} marks={[domain[0], 0, domain[1]]} />
            </th>
            <th className={table.num}>Best flips</th>
            <th className={table.num}>Order flips</th>
            <th className={table.num}>Length, within question</th>
            <th className={table.num}>Length, within approach</th>
          </tr>
        </thead>
        <tbody>
          {panel.judges.map((profile) => {
            const { judge, verdicts, failures, position_effect: place, flip_rates: flips } = profile
            const known = runtime?.judges.find(({ name }) => name === judge)
            return (
              <tr key={judge}>
                <th scope="row" className={styles.judgeColumn}>
                  {judge}
                  {known !== undefined && known.family !== judge && (
                    <div className="dim">{known.kind === 'builtin' ? 'rule-based' : known.family}</div>
                  )}
                </th>
                <td className={table.num}>
                  {count(verdicts)}
                  <div className="dim">{count(failures)} failed</div>
                </td>
                <td className={table.num}>{score(profile.mean_score)}</td>
                <td className={table.num} title={BASES[place.basis]}>
                  <EstimateCell estimate={place.slope} withSign of="grades" />
                  <div className="dim">{positionSentence(place.slope)}</div>
                </td>
                <td>
                  <IntervalBar value={place.slope.value} interval={place.slope.interval} domain={domain} zero={0} />
                </td>
                <td className={table.num}>
                  <EstimateCell estimate={flips.best} of="pairs" />
                </td>
                <td className={table.num}>
                  <EstimateCell estimate={flips.order} of="pairs" />
                </td>
                <td className={table.num}>
                  <EstimateCell estimate={profile.length_correlation.within_question} withSign of="grades" />
                </td>
                <td className={table.num}>
                  <EstimateCell estimate={profile.length_correlation.within_approach} withSign of="grades" />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <p className={styles.below}>
        Flips: the share of pairs of orders in which a judge contradicts itself. Length: correlation of grade and length
        of the answer, −1 to 1, among the answers to one question, and with the level of each approach removed.
      </p>
    </div>
  )
}
