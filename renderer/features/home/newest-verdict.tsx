import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { PartialMark } from '../../components/run-marks.tsx'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { MissingNote } from '../ladder/missing-columns.tsx'
import { NextStepLine } from '../../components/next-step.tsx'
import { RESULT_WORDS } from '../result/result-words.ts'
import styles from './home.module.css'
import { HOME_WORDS } from './home-words.ts'

const WORDS = HOME_WORDS.newestVerdict

/** The verdict of the newest run in one sentence, with its next step: of a run of several datasets, the first on which approaches differ. */
export function NewestVerdict({ run }: { run: string }) {
  const { data, isError, error, refetch } = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const verdicts = data?.verdicts ?? []
  const shown = verdicts.find(({ kind }) => kind === 'winner' || kind === 'tied') ?? verdicts[0]
  return (
    <Panel
      title={
        <>
          {RESULT_WORDS.result(run)} <PartialMark run={run} />
        </>
      }
      aside={
        <Link to="/runs/$run/verdict" params={{ run }} search={shown === undefined ? {} : { dataset: shown.dataset }}>
          {WORDS.open}
        </Link>
      }
    >
      {isError && <ErrorPanel error={error} what={RESULT_WORDS.what} retry={() => void refetch()} />}
      {data === undefined && !isError && <LoadingRows rows={2} height={36} />}
      {data !== undefined && <MissingNote run={run} />}
      {data !== undefined && shown === undefined && <p className="dim">{RESULT_WORDS.noSummary}</p>}
      {shown !== undefined && (
        <article className={styles.verdict} aria-label={shown.label}>
          <p>
            <span className={styles.headline}>{shown.headline}</span>{' '}
            <span className="dim">{WORDS.of(shown.label, shown.questions, verdicts.length - 1)}</span>
          </p>
          <NextStepLine next={shown.next} />
        </article>
      )}
    </Panel>
  )
}
