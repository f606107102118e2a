import { useQuery } from '@tanstack/react-query'
import { cloudWords } from '../../../contract/evidence/cloud-use.ts'
import { api } from '../../data/client.ts'
import styles from './result.module.css'
import { SampleMark, useSamples } from '../../components/run-marks.tsx'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { RESULT_WORDS as WORDS } from './result-words.ts'

/** What a run decides, a paragraph per dataset or that of one: the same sentences as in the terminal and in reports. */
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
          {isSample && <p role="note">{WORDS.sample}</p>}
          {verdicts.map((verdict) => (
            <div key={verdict.dataset} className={styles.verdict} data-kind={verdict.kind}>
              <strong>
                {verdict.label} · {WORDS.kinds[verdict.kind]}
              </strong>
              <p>{verdict.sentences.join(' ')}</p>
            </div>
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
