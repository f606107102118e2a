import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { JudgeResults as Results } from '../../../contract/control/judging.ts'
import { whyNoInterval } from '../../components/estimate.tsx'
import { count, plural } from '../../components/format.ts'
import { EmptyPanel, ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { alphaSentence, alphaText } from './agreement-words.ts'
import { ApproachScores } from './approach-scores.tsx'
import { JudgeProfiles } from './judge-profiles.tsx'
import styles from './judges.module.css'
import { LeftOutRanks } from './left-out-ranks.tsx'
import { PersonAgreement } from './person-agreement.tsx'
import { ReasonList } from './reason-list.tsx'
import type { Round } from './use-ballot.ts'

const leakWords = (leaks: Results['blocked'][number]['leaks']): string =>
  leaks.map(({ text, found_in: place }) => `“${text}” in ${place}`).join(', ')

/** Questions that were judged, with what was left out of their answers. */
function Withheld({ withheld }: Pick<Results, 'withheld'>) {
  if (withheld.length === 0) return null
  return (
    <details className={styles.reasons}>
      <summary>
        <span>{plural(withheld.length, 'question')} judged with texts withheld that name an approach</span>
      </summary>
      <ul className={styles.problems}>
        {withheld.map(({ query_id: id, leaks }) => (
          <li key={id}>
            {id}: {leakWords(leaks)}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Problems({ results: { status, message, errors, blocked } }: { results: Results }) {
  if (status === 'unusable') return <p role="alert">▲ The judgments cannot be used: {message}</p>
  if (errors.length === 0 && blocked.length === 0) return null
  return (
    <details className={styles.reasons}>
      <summary>
        <span>
          ▲ {plural(errors.length, 'verdict')} failed, {plural(blocked.length, 'question')} not shown to judges
        </span>
      </summary>
      <ul className={styles.problems}>
        {errors.map(({ query_id: id, judge, rotation, code, message: text }) => (
          <li key={`${id} ${judge} ${rotation}`}>
            {id} · {judge} · rotation {rotation}: {code.replaceAll('_', ' ')}, {text}
          </li>
        ))}
        {blocked.map(({ query_id: id, leaks }) => (
          <li key={id}>
            {id}: {leakWords(leaks)}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** After the reveal: what the judges said, how far they can be trusted, and a person beside them. */
export function JudgeResults({ round }: { round: Round }) {
  const { data, isError, error, refetch } = useQuery(
    api.judges.results.queryOptions({ input: { run_id: round.run, dataset_id: round.dataset, limit: 1 } }),
  )
  if (isError) return <ErrorPanel error={error} what="The judges" retry={() => void refetch()} />
  if (data === undefined) return <LoadingRows rows={14} height={40} />
  const { panel, human, runtime, judges } = data
  return (
    <>
      <p className="dim">
        Revealed: this round takes no more votes. {plural(judges.length, 'judge')}
        {runtime !== null && `, ${plural(runtime.rotations, 'rotation')} of each question`}
        {runtime !== null && (runtime.reference ? ', shown the ground truth' : ', not shown the ground truth')}.
      </p>
      <Problems results={data} />
      <Withheld withheld={data.withheld} />
      {data.status === 'none' && (
        <EmptyPanel title="No judge has graded this run">
          <p>
            Choose judges when you <Link to="/launch">launch a run</Link>; they then stand here beside you.
          </p>
        </EmptyPanel>
      )}
      {(data.approaches.length > 0 || human !== null) && (
        <Panel title="Scores by approach">
          <ApproachScores round={round} results={data} />
        </Panel>
      )}
      {panel !== null && (
        <>
          <Panel title="Agreement of the judges" aside="Krippendorff’s alpha, ordinal">
            <p className={styles.figure}>{alphaText(panel.alpha.estimate)}</p>
            <p>{alphaSentence(panel.alpha.estimate, panel.alpha.raters)}</p>
            <p className="dim">
              {plural(panel.alpha.raters, 'judge')}, {count(panel.alpha.estimate.n)} grades in{' '}
              {plural(panel.alpha.estimate.clusters, 'independent group')} of questions.{' '}
              {whyNoInterval(panel.alpha.estimate)}
            </p>
          </Panel>
          <Panel title="Each judge" aside="* without interval: hover for the reason">
            <JudgeProfiles panel={panel} runtime={runtime} />
          </Panel>
          <Panel title="Ranks when a judge is left out">
            <LeftOutRanks ranks={panel.leave_one_out} />
          </Panel>
        </>
      )}
      {human !== null && (
        <Panel title="You against each judge">
          <PersonAgreement human={human} />
        </Panel>
      )}
      {data.total > 0 && (
        <Panel title="Reasons" aside={plural(data.total, 'question')}>
          <ReasonList round={round} total={data.total} />
        </Panel>
      )}
    </>
  )
}
