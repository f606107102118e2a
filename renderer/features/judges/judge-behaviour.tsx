import type { JudgeResults } from '../../../contract/control/judging.ts'
import type { JudgePanelRuntime, PanelStatistics } from '../../../contract/evidence/judgments.ts'
import type { LeaveOneJudgeOut } from '../../../contract/evidence/statistics.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { EstimateCell } from '../../components/estimate.tsx'
import { count, score } from '../../components/format.ts'
import { IntervalBar, scaleColumn } from '../../components/interval-bar.tsx'
import { type DataColumn, DataTable, num } from '../../components/tables.tsx'
import table from '../../components/table.module.css'
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
    <>
      <DataTable
        stacks="early"
        label={WORDS.behaviour}
        rows={panel.judges}
        keyOf={({ judge }) => judge}
        columns={[
          [
            { head: WORDS.columns.judge, className: styles.judgeHead },
            ({ judge }) => <JudgeName {...{ judge, runtime }} />,
          ],
          [
            num(WORDS.columns.verdicts),
            ({ verdicts, failures }) => (
              <>
                {count(verdicts)}
                <div className="dim">{WORDS.columns.failed(count(failures))}</div>
              </>
            ),
          ],
          [num(WORDS.columns.mean), ({ mean_score: mean }) => score(mean)],
          [
            num(WORDS.columns.position),
            ({ position_effect: { slope, basis } }) => (
              <div title={WORDS.positionBasis[basis]}>
                <EstimateCell estimate={slope} withSign of="grades" />
                <div className="dim">{positionSentence(slope)}</div>
              </div>
            ),
          ],
          [
            scaleColumn(WORDS.columns.positionBar, domain, [domain[0], 0, domain[1]]),
            ({ position_effect: { slope } }) => <IntervalBar {...slope} domain={domain} zero={0} />,
          ],
          [num(WORDS.columns.bestFlips), ({ flip_rates: { best } }) => <EstimateCell estimate={best} of="pairs" />],
          [num(WORDS.columns.orderFlips), ({ flip_rates: { order } }) => <EstimateCell estimate={order} of="pairs" />],
          [
            num(WORDS.columns.lengthInQuestion),
            ({ length_correlation: { within_question: length } }) => (
              <EstimateCell estimate={length} withSign of="grades" />
            ),
          ],
          [
            num(WORDS.columns.lengthInApproach),
            ({ length_correlation: { within_approach: length } }) => (
              <EstimateCell estimate={length} withSign of="grades" />
            ),
          ],
        ]}
      />
      <p className={styles.below}>{WORDS.profileNote}</p>
    </>
  )
}

/** A judge and, where its name does not say it, what kind of model it is. */
function JudgeName({ judge, runtime }: { judge: string; runtime: JudgePanelRuntime | null }) {
  const known = runtime?.judges.find(({ name }) => name === judge)
  return (
    <>
      {judge}
      {known !== undefined && known.family !== judge && (
        <div className="dim">{known.kind === 'builtin' ? WORDS.ruleBased : known.family}</div>
      )}
    </>
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
      <DataTable
        label={WORDS.ranksWithout}
        rows={order}
        keyOf={({ model }) => model}
        columns={[
          [WORDS.columns.approach, ({ model }) => <ApproachName alias={model} short />],
          [num(WORDS.columns.mean), ({ mean }) => score(mean)],
          [num(WORDS.columns.rankOfAll), ({ rank }) => rank ?? '–'],
          ...judges.map((judge, place): DataColumn<(typeof order)[number]> => [
            { head: WORDS.columns.without(judge), className: `${table.num} ${styles.judgeHead}` },
            ({ rank, ranks_without: without }) =>
              without[place] === rank ? (rank ?? '–') : <strong>{without[place] ?? '–'}</strong>,
          ]),
        ]}
      />
    </>
  )
}

/** A person against each judge, on the answers that both graded. */
export function PersonAgreement({ human }: { human: NonNullable<JudgeResults['human']> }) {
  if (human.agreement.length === 0) return <p className="dim">{WORDS.noJudges}</p>
  return (
    <>
      <p className={styles.above}>{WORDS.kappa(human.rater, count(human.sets.voted), count(human.sets.offered))}</p>
      <DataTable
        label={WORDS.agreementOf(human.rater)}
        rows={human.agreement}
        keyOf={({ judge }) => judge}
        columns={[
          [WORDS.columns.judge, ({ judge }) => judge],
          [num(WORDS.columns.kappa), ({ kappa }) => <EstimateCell estimate={kappa.estimate} withSign of="answers" />],
          [WORDS.columns.agreement, ({ kappa }) => kappaSentence(kappa.estimate)],
          [
            num(WORDS.columns.sameBest),
            ({ best }) => (best.compared === 0 ? '–' : `${count(best.same)}/${count(best.compared)}`),
          ],
        ]}
      />
    </>
  )
}
