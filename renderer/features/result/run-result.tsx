import { useQuery } from '@tanstack/react-query'
import type { ReadVerdict } from '../../../contract/evidence/verdict.ts'
import { cloudWords } from '../../../contract/evidence/cloud-use.ts'
import { api } from '../../data/client.ts'
import styles from './result.module.css'
import { SampleMark, useSamples } from '../../components/run-marks.tsx'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { RESULT_WORDS as WORDS } from './result-words.ts'

/** The first statement large, and beside it, or below in a narrow panel, what it rests on and what else is decided or open. */
function VerdictView({ verdict }: { verdict: ReadVerdict }) {
  const { sign, name } = WORDS.kinds[verdict.kind]
  return (
    <article className={styles.verdict} data-kind={verdict.kind} aria-label={verdict.label}>
      <div className={styles.statement}>
        <h3>
          {verdict.label}
          <span className={styles.state}>
            <span aria-hidden="true">{sign}</span> {name}
          </span>
          {verdict.questions !== null && <span className={styles.questions}>{verdict.questions}</span>}
        </h3>
        <p className={styles.headline}>{verdict.headline}</p>
      </div>
      <ul className={styles.details}>
        {verdict.details.map((detail) => (
          <li key={detail}>{detail}</li>
        ))}
      </ul>
    </article>
  )
}

/** What a run decides, a verdict per dataset or that of one: the same statements as in the terminal and in reports. */
export function RunResultPanel({ run, dataset }: { run: string; dataset?: string }) {
  const isSample = useSamples().has(run)
  const { data, isError, error, refetch } = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const verdicts = data?.verdicts.filter((verdict) => dataset === undefined || verdict.dataset === dataset) ?? []
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
          {verdicts.map((verdict) => (
            <VerdictView key={verdict.dataset} verdict={verdict} />
          ))}
          {verdicts.length === 0 && <p className="dim">{WORDS.noSummary}</p>}
          {verdicts.length > 0 && data.pending.length > 0 && <p className="dim">{WORDS.pending(data.pending)}</p>}
          {data.cloud.length > 0 && <p>{cloudWords(data.cloud)}</p>}
          {data.caution !== null && <p className="dim">{data.caution}</p>}
        </div>
      )}
    </Panel>
  )
}
