import type { JudgeResults } from '../../../contract/control/judging.ts'
import type { JudgePanelRuntime, PanelStatistics } from '../../../contract/evidence/judgments.ts'
import type { LeaveOneJudgeOut } from '../../../contract/evidence/statistics.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { EstimateCell } from '../../components/estimate.tsx'
import { count, score } from '../../components/format.ts'
import { IntervalBar, scaleColumn } from '../../components/interval-bar.tsx'
import { ScrollTable } from '../../components/scroll-table.tsx'
import table from '../../components/table.module.css'
import { num, TableHead } from '../../components/table-head.tsx'
import { kappaSentence, positionSentence } from './agreement-words.ts'
import { JUDGES_WORDS as WORDS } from './judges-words.ts'
import styles from './judges.module.css'

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

/** Shows how each judge behaves whatever it prefers: position, contradictions of itself, length. */
export function JudgeProfiles({ panel, runtime }: { panel: PanelStatistics; runtime: JudgePanelRuntime | null }) {
  const domain = slopeDomain(panel)
  return (
    <div className={table.scroll} tabIndex={0} role="region" aria-label={WORDS.behaviour}>
      <table className={table.table}>
        <TableHead
          columns={[
            WORDS.columns.judge,
            num(WORDS.columns.verdicts),
            num(WORDS.columns.mean),
            num(WORDS.columns.position),
            scaleColumn(WORDS.columns.positionBar, domain, [domain[0], 0, domain[1]]),
            num(WORDS.columns.bestFlips),
            num(WORDS.columns.orderFlips),
            num(WORDS.columns.lengthInQuestion),
            num(WORDS.columns.lengthInApproach),
          ]}
        />
        <tbody>
          {panel.judges.map((profile) => {
            const { judge, verdicts, failures, position_effect: place, flip_rates: flips } = profile
            const known = runtime?.judges.find(({ name }) => name === judge)
            return (
              <tr key={judge}>
                <th scope="row" className={styles.judgeColumn}>
                  {judge}
                  {known !== undefined && known.family !== judge && (
                    <div className="dim">{known.kind === 'builtin' ? WORDS.ruleBased : known.family}</div>
                  )}
                </th>
                <td className={table.num}>
                  {count(verdicts)}
                  <div className="dim">{WORDS.columns.failed(count(failures))}</div>
                </td>
                <td className={table.num}>{score(profile.mean_score)}</td>
                <td className={table.num} title={WORDS.positionBasis[place.basis]}>
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
      <p className={styles.below}>{WORDS.profileNote}</p>
    </div>
  )
}

/** Ranks with all judges, and with each of them left out. */
export function LeftOutRanks({ ranks }: { ranks: LeaveOneJudgeOut }) {
  const { approaches, judges, unstable, inconclusive } = ranks
  const order = approaches.toSorted((a, b) => (a.rank ?? 99) - (b.rank ?? 99))
  return (
    <>
      <p className={styles.above}>
        {inconclusive ? WORDS.firstPlaceOpen : WORDS.firstPlaceStable}
        {unstable.length > 0 && WORDS.changedRanks}
      </p>
      <ScrollTable label={WORDS.ranksWithout}>
        <TableHead
          columns={[
            WORDS.columns.approach,
            num(WORDS.columns.mean),
            num(WORDS.columns.rankOfAll),
            ...judges.map((judge) => ({
              head: WORDS.columns.without(judge),
              className: `${table.num ?? ''} ${styles.judgeHead ?? ''}`,
            })),
          ]}
        />
        <tbody>
          {order.map(({ model, mean, rank, ranks_without: without }) => (
            <tr key={model}>
              <th scope="row">
                <ApproachName alias={model} short />
              </th>
              <td className={table.num}>{score(mean)}</td>
              <td className={table.num}>{rank ?? '–'}</td>
              {without.map((each, place) => (
                <td key={judges[place]} className={table.num}>
                  {each === rank ? (each ?? '–') : <strong>{each ?? '–'}</strong>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </>
  )
}

/** A person against each judge, on the answers that both graded. */
export function PersonAgreement({ human }: { human: NonNullable<JudgeResults['human']> }) {
  if (human.agreement.length === 0) return <p className="dim">{WORDS.noJudges}</p>
  return (
    <>
      <p className={styles.above}>{WORDS.kappa(human.rater, count(human.sets.voted), count(human.sets.offered))}</p>
      <table className={table.table}>
        <TableHead
          columns={[
            WORDS.columns.judge,
            num(WORDS.columns.kappa),
            WORDS.columns.agreement,
            num(WORDS.columns.sameBest),
          ]}
        />
        <tbody>
          {human.agreement.map(({ judge, kappa, best }) => (
            <tr key={judge}>
              <th scope="row">{judge}</th>
              <td className={table.num}>
                <EstimateCell estimate={kappa.estimate} withSign of="answers" />
              </td>
              <td>{kappaSentence(kappa.estimate)}</td>
              <td className={table.num}>{best.compared === 0 ? '–' : `${count(best.same)}/${count(best.compared)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
