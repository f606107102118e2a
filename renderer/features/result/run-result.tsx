import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { NextStep, Verdict } from '../../../contract/evidence/verdict.ts'
import { cloudWords } from '../../../core/evidence/cloud-use.ts'
import { api } from '../../data/client.ts'
import styles from './result.module.css'
import { SampleMark, useSamples } from '../../components/run-marks.tsx'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { MissingNote } from '../ladder/missing-columns.tsx'
import { RESULT_WORDS as WORDS } from './result-words.ts'

/** The headline large with why and what to take; beside it, or below in a narrow panel, behaviour and what else to know; then the next step. */
function VerdictView({ verdict }: { verdict: Verdict }) {
  const { sign, name } = WORDS.kinds[verdict.kind]
  return (
    <article className={styles.verdict} data-kind={verdict.kind} aria-label={verdict.label}>
      <div className={styles.statement}>
        <h3>
          {verdict.label}
          <span className={styles.state}>
            <span aria-hidden="true">{sign}</span> {name}
          </span>
          {verdict.questions !== null && <span className={styles.questions}>{WORDS.scored(verdict.questions)}</span>}
        </h3>
        <p className={styles.headline}>{verdict.headline}</p>
        <p>{verdict.why}</p>
        {verdict.recommendation !== null && <p className={styles.take}>{verdict.recommendation}</p>}
      </div>
      <div className={styles.details}>
        {verdict.notes.length > 0 && (
          <ul>
            {verdict.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
        <p className={styles.next}>
          <NextButton next={verdict.next} /> <span>{verdict.next.text}</span>
        </p>
      </div>
    </article>
  )
}

/** Leads to where the panel does the next step. */
function NextButton({ next: { page, label, run_id: run, dataset_id: dataset } }: { next: NextStep }) {
  const target =
    page === '/datasets'
      ? ({ to: page, search: { dataset } } as const)
      : page === '/launch'
        ? ({ to: page } as const)
        : ({ to: RUN_PARTS[page], params: { run }, search: page === '/ladder' ? {} : { dataset } } as const)
  return (
    <Button size="compact-sm" renderRoot={(props) => <Link {...target} {...props} />}>
      {label}
    </Button>
  )
}

/** Stored verdicts name the parts of a run as they were once called. */
const RUN_PARTS = {
  '/matrix': '/runs/$run/matrix',
  '/coverage': '/runs/$run/coverage',
  '/ladder': '/runs/$run/progress',
} as const

/** Shows the verdict of each dataset of a run: the same statements as in the terminal and in reports. */
export function RunResultPanel({ run }: { run: string }) {
  const isSample = useSamples().has(run)
  const { data, isError, error, refetch } = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const verdicts = data?.verdicts ?? []
  return (
    <Panel title={WORDS.result(run)} aside={<SampleMark run={run} />}>
      {isError && <ErrorPanel error={error} what={WORDS.what} retry={() => void refetch()} />}
      {data === undefined && !isError && <LoadingRows rows={3} />}
      {data !== undefined && (
        <div className={styles.result}>
          {isSample && (
            <p role="note" className="dim">
              {WORDS.sample}
            </p>
          )}
          {data.age !== null && <p role="note">{data.age}</p>}
          <MissingNote run={run} />
          {verdicts.map((verdict) => (
            <VerdictView key={verdict.dataset} verdict={verdict} />
          ))}
          {verdicts.length === 0 && <p className="dim">{WORDS.noSummary}</p>}
          {verdicts.length > 0 && data.pending.length > 0 && <p className="dim">{WORDS.pending(data.pending)}</p>}
          {data.levels.length > 0 && (
            <details className="dim">
              <summary>{WORDS.levels}</summary>
              <ul>
                {data.levels.map((level) => (
                  <li key={level}>{level}</li>
                ))}
              </ul>
            </details>
          )}
          {data.cloud.length > 0 && <p>{cloudWords(data.cloud)}</p>}
          {data.caution !== null && <p className="dim">{data.caution}</p>}
        </div>
      )}
    </Panel>
  )
}
