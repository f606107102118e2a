import { useQuery } from '@tanstack/react-query'
import type { Verdict } from '../../contract/evidence/verdict.ts'
import { api } from '../data/client.ts'
import styles from './run-result.module.css'
import { ErrorPanel, LoadingRows, Panel } from './states.tsx'

const WORDS = {
  result: (run: string) => `Result of ${run}`,
  what: 'The result',
  pending: (labels: readonly string[]) =>
    `Not summed up yet: ${labels.join(', ')}. A run is summed up when its cells are done.`,
  none: 'This run has no summary yet: its result appears here when a dataset is done.',
  kinds: {
    winner: 'Decided',
    ahead: 'Partly decided',
    others: 'Partly decided',
    undecided: 'Nothing decided',
    not_comparable: 'Not comparable',
  } satisfies Record<Verdict['kind'], string>,
}

/** What a run decides, a paragraph per dataset: the same sentences as in the terminal and in reports. */
export function RunResultPanel({ run }: { run: string }) {
  const { data, isError, error, refetch } = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  return (
    <Panel title={WORDS.result(run)}>
      {isError && <ErrorPanel error={error} what={WORDS.what} retry={() => void refetch()} />}
      {data === undefined && !isError && <LoadingRows rows={3} />}
      {data !== undefined && (
        <div className={styles.result}>
          {data.verdicts.map((verdict) => (
            <div key={verdict.dataset} className={styles.verdict} data-kind={verdict.kind}>
              <strong>
                {verdict.label} · {WORDS.kinds[verdict.kind]}
              </strong>
              <p>{verdict.sentences.join(' ')}</p>
            </div>
          ))}
          {data.verdicts.length === 0 && <p className="dim">{WORDS.none}</p>}
          {data.verdicts.length > 0 && data.pending.length > 0 && <p className="dim">{WORDS.pending(data.pending)}</p>}
          {data.caution !== null && <p className="dim">{data.caution}</p>}
        </div>
      )}
    </Panel>
  )
}
