import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import type { Verdict } from '../../../contract/evidence/verdict.ts'
import { RUN_TABS } from '../../../core/pages.ts'
import { PartialMark } from '../../components/run-marks.tsx'
import { Loaded, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { MissingNote, useCanBeScored } from '../ladder/missing-columns.tsx'
import { Happening } from '../run/happening.tsx'
import { ShareMenu } from '../run/share-menu.tsx'
import { RunAgain } from '../runs/run-again-button.tsx'
import { NextStepLine } from '../../components/next-step.tsx'
import { RESULT_WORDS } from '../result/result-words.ts'
import { WhereTheyDiffer } from '../result/where-they-differ.tsx'
import styles from './home.module.css'
import { HOME_WORDS } from './home-words.ts'

const WORDS = HOME_WORDS.newestVerdict

/** The verdicts of a run; of several datasets, one on which approaches differ comes first. */
export function useShownVerdict(run: string) {
  const result = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const differs = ({ kind }: Verdict): boolean => kind === 'winner' || kind === 'tied'
  const verdicts = (result.data?.verdicts ?? []).toSorted((one, other) => Number(differs(other)) - Number(differs(one)))
  return { result, verdicts }
}

const SHOWN_QUESTIONS = 3

/** The verdict of the newest run in one sentence, with its next step, the questions on which approaches differ most, and what else is done with a result. */
export function NewestVerdict({ head, isPrimary }: { head: RunHead; isPrimary: boolean }) {
  const run = head.run_id
  const lacksScores = useCanBeScored(run)
  const { result, verdicts } = useShownVerdict(run)
  const listed = useQuery(api.runs.overview.queryOptions({ input: { run_id: run } })).data?.runs[0]
  const { data } = result
  const [shown] = verdicts
  const dataset = shown?.dataset ?? head.datasets[0]?.dataset_id
  return (
    <Panel
      title={
        <>
          {RESULT_WORDS.result(listed?.note.label || run)} <PartialMark run={run} />
        </>
      }
      aside={
        <>
          {RUN_TABS.filter(({ tab }) => tab !== 'progress').map(({ tab, label }) => (
            <Link
              key={tab}
              to={`/runs/$run/${tab}`}
              params={{ run }}
              search={shown === undefined ? {} : { dataset: shown.dataset }}
            >
              {tab === 'verdict' ? WORDS.open : label}
            </Link>
          ))}
          {dataset !== undefined && <ShareMenu {...{ run, dataset, listed }} />}
          {listed !== undefined && <RunAgain run={listed} />}
        </>
      }
    >
      <Loaded query={result} what={RESULT_WORDS.what} rows={2} height={36} />
      {data !== undefined && <MissingNote {...{ run, isPrimary }} />}
      {data !== undefined && shown === undefined && (
        <Happening run={run}>
          <p className="dim">{RESULT_WORDS.noSummary}</p>
        </Happening>
      )}
      {shown !== undefined && (
        <article className={styles.verdict} aria-label={shown.label}>
          <p>
            <span className={styles.headline}>{shown.headline}</span>{' '}
            <span className="dim">{WORDS.of(shown.label, shown.questions, verdicts.length - 1)}</span>
          </p>
          <NextStepLine next={shown.next} isPrimary={isPrimary && !lacksScores} />
          <WhereTheyDiffer run={run} verdict={shown} most={SHOWN_QUESTIONS} />
        </article>
      )}
    </Panel>
  )
}
