import { useQuery } from '@tanstack/react-query'
import { lookOf } from '../../../charts/look.ts'
import type { JudgeResults as Results } from '../../../contract/control/judging.ts'
import { pairCounts } from '../../../core/evidence/pair-state.ts'
import { judgeMean } from '../../../contract/metrics/judge-mean.ts'
import { SHOWN_NOT_VALIDATED, unvalidatedJudges } from '../../../contract/validated-grades.ts'
import { testedPairsWords } from '../../../contract/words.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { intervalText, whyNoInterval } from '../../components/estimate.tsx'
import { count, plural, score } from '../../components/format.ts'
import { IntervalBar, scaleColumn } from '../../components/interval-bar.tsx'
import { EmptyPanel, ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { DataTable, num } from '../../components/tables.tsx'
import { api } from '../../data/client.ts'
import { alphaSentence, alphaText, panelWords } from './agreement-words.ts'
import { JudgeRunDialog } from './dialogs.tsx'
import { JudgeProfiles, LeftOutRanks, PersonAgreement } from './judge-behaviour.tsx'
import { JUDGES_WORDS as WORDS } from './judges-words.ts'
import styles from './judges.module.css'
import { ReasonList } from './reason-list.tsx'
import type { Round } from './use-ballot.ts'

/** Questions with the texts that name an approach. */
const LeakItems = ({ questions }: { questions: Results['blocked'] }) =>
  questions.map(({ query_id: id, leaks }) => (
    <li key={id}>
      {id}: {leaks.map(({ text, found_in: place }) => WORDS.results.leak(text, place)).join(', ')}
    </li>
  ))

/** Questions that were judged, with what was left out of their answers. */
function Withheld({ withheld }: Pick<Results, 'withheld'>) {
  if (withheld.length === 0) return null
  return (
    <details className={styles.reasons}>
      <summary>
        <span>{WORDS.results.withheld(plural(withheld.length, 'question'))}</span>
      </summary>
      <ul className={styles.problems}>
        <LeakItems questions={withheld} />
      </ul>
    </details>
  )
}

function Problems({ results: { status, message, errors, blocked } }: { results: Results }) {
  if (status === 'unusable') return <p role="alert">{WORDS.results.unusable(message ?? '')}</p>
  if (errors.length === 0 && blocked.length === 0) return null
  return (
    <details className={styles.reasons}>
      <summary>
        <span>{WORDS.results.problems(errors.length, blocked.length)}</span>
      </summary>
      <ul className={styles.problems}>
        {errors.map(({ query_id: id, judge, rotation, code, message: text }) => (
          <li key={`${id} ${judge} ${rotation}`}>
            {WORDS.results.problem(id, judge, rotation, code.replaceAll('_', ' '), text)}
          </li>
        ))}
        <LeakItems questions={blocked} />
      </ul>
    </details>
  )
}

interface JudgeResultsProps {
  round: Round
  isClosed: boolean
  /** The run still makes its answers. */
  isUnderWay: boolean
}

/** While no round is open: the judges' verdicts, how far they can be trusted, and a person's votes beside them. */
export function JudgeResults({ round, isClosed, isUnderWay }: JudgeResultsProps) {
  const { data, isError, error, refetch } = useQuery(
    api.judges.results.queryOptions({ input: { run_id: round.run, dataset_id: round.dataset, limit: 1 } }),
  )
  if (isError) return <ErrorPanel error={error} what={WORDS.theJudges} retry={() => void refetch()} />
  if (data === undefined) return <LoadingRows rows={14} height={40} />
  const { panel, human, runtime, judges } = data
  const head = panelWords(judges.length, runtime, isClosed)
  return (
    <>
      {head !== null && <p className="dim">{head}</p>}
      <Problems results={data} />
      <Withheld withheld={data.withheld} />
      {data.status === 'none' && !isUnderWay && (
        <EmptyPanel title={WORDS.results.noPanel}>
          <p>{WORDS.results.noPanelText}</p>
          <JudgeRunDialog run={round.run} dataset={round.dataset} />
        </EmptyPanel>
      )}
      {(data.approaches.length > 0 || human !== null) && (
        <Panel title={WORDS.results.scores}>
          <ApproachScores round={round} results={data} />
        </Panel>
      )}
      {panel !== null && (
        <>
          <Panel title={WORDS.results.agreement} aside={WORDS.results.agreementKind}>
            <p className={styles.figure}>{alphaText(panel.alpha.estimate)}</p>
            <p>{alphaSentence(panel.alpha.estimate, panel.alpha.raters)}</p>
            <p className="dim">
              {WORDS.results.agreementBasis(
                plural(panel.alpha.raters, 'judge'),
                count(panel.alpha.estimate.n),
                plural(panel.alpha.estimate.clusters, 'independent group'),
              )}
              {whyNoInterval(panel.alpha.estimate)}
            </p>
          </Panel>
          <Panel title={WORDS.results.profiles} aside={WORDS.results.profilesNote}>
            <JudgeProfiles panel={panel} runtime={runtime} />
          </Panel>
          {unvalidatedJudges(judges) === null && (
            <Panel title={WORDS.results.leftOut}>
              <LeftOutRanks ranks={panel.leave_one_out} />
            </Panel>
          )}
        </>
      )}
      {human !== null && (
        <Panel title={WORDS.results.person}>
          <PersonAgreement human={human} />
        </Panel>
      )}
      {data.total > 0 && (
        <Panel title={WORDS.results.reasons} aside={plural(data.total, 'question')}>
          <ReasonList round={round} total={data.total} />
        </Panel>
      )}
    </>
  )
}

const GRADES = [1, 5] as const

/** Each approach's mean grade with its interval, wins and votes; a person's beside the judges'. */
function ApproachScores({ round, results }: { round: Round; results: Results }) {
  const { approaches, human, judges, panel } = results
  const pairs = useQuery({
    ...api.statistics.pairs.queryOptions({
      input: { run_id: round.run, dataset_id: round.dataset, metric: judgeMean.id },
    }),
    enabled: approaches.length > 1,
  })
  const models =
    approaches.length > 0 ? approaches.map(({ model }) => model) : (human?.approaches ?? []).map(({ model }) => model)
  const rows = models.map((model) => {
    const own = approaches.find((approach) => approach.model === model)
    return {
      model,
      own,
      person: human?.approaches.find((approach) => approach.model === model),
      estimate: pairs.data?.comparison.approaches.find((approach) => approach.model === model)?.mean ?? null,
      rank: panel?.leave_one_out.approaches.find((approach) => approach.model === model)?.rank ?? null,
    }
  })
  const order = rows.toSorted((a, b) => (b.own?.mean ?? b.person?.mean ?? 0) - (a.own?.mean ?? a.person?.mean ?? 0))
  const reasons = [
    ...new Set(rows.flatMap(({ estimate }) => (estimate === null ? [] : whyNoInterval(estimate)))),
  ].filter((why) => why !== '')
  const comparison = pairs.data?.comparison
  const counts = comparison === undefined ? undefined : pairCounts(comparison)
  const unranked = judges.length === 0 ? null : unvalidatedJudges(judges)
  const hasRanks = unranked === null && (counts?.decided ?? 0) > 0
  return (
    <>
      <DataTable
        label={WORDS.results.scores}
        rows={order}
        keyOf={({ model }) => model}
        nameAt={1}
        columns={[
          // Without a decided pair, an order would say what these grades do not.
          [num(WORDS.columns.rank), ({ rank }) => (hasRanks ? (rank ?? '–') : '–')],
          [WORDS.columns.approach, ({ model }) => <ApproachName alias={model} short />],
          [num(WORDS.columns.mean), ({ own }) => score(own?.mean)],
          [
            num(WORDS.columns.interval),
            ({ estimate }) => intervalText(pairs.isLoading ? undefined : (estimate?.interval ?? null)),
          ],
          [
            scaleColumn(WORDS.columns.bar, GRADES, [1, 2, 3, 4, 5]),
            ({ model, own, estimate }) => (
              <IntervalBar
                value={own?.mean ?? null}
                interval={estimate?.interval ?? null}
                domain={GRADES}
                colour={lookOf(model).colour}
              />
            ),
          ],
          [num(WORDS.columns.questions), ({ own }) => count(own?.questions ?? 0)],
          [num(WORDS.columns.won), ({ own }) => count(own?.wins ?? 0)],
          [num(WORDS.columns.votes), ({ own }) => count(own?.votes ?? 0)],
          human !== null && [
            num(WORDS.columns.yourMean),
            ({ person }) => (
              <>
                {score(person?.mean)} <span className="dim">n {count(person?.questions ?? 0)}</span>
              </>
            ),
          ],
          human !== null && [num(WORDS.columns.yourVotes), ({ person }) => count(person?.votes ?? 0)],
        ]}
      />
      {comparison !== undefined && counts !== undefined && (
        <p className={styles.below}>{WORDS.tested(testedPairsWords(counts, comparison.settings.level), hasRanks)}</p>
      )}
      {unranked !== null && <p>{WORDS.notValidated(`${unranked}: ${SHOWN_NOT_VALIDATED}`)}</p>}
      {reasons.map((why) => (
        <p key={why} className="dim">
          {why}
        </p>
      ))}
    </>
  )
}
