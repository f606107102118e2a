import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { FactTable } from '../../components/fact-table.tsx'
import { count, duration } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import table from '../../components/table.module.css'
import { TimeBar } from './time-bar.tsx'

/** Where the time went, and each attempt. */
export function TimingTable({ operational }: { operational: CanonicalRow['metrics']['operational'] }) {
  const { latency_ms: latency, queue_ms: queue, attempts, token_usage: tokens, server } = operational
  const lines: [string, string][] = [
    ['Queue', duration(queue)],
    ['Gateway, last attempt', duration(latency)],
    ...(server === null
      ? []
      : ([
          ['Server', duration(server.seconds * 1000)],
          ['Chunks in the prompt', count(server.chunks)],
          ['Model calls', `${count(server.llm_calls)}, of them cloud ${count(server.cloud_calls)}`],
        ] as [string, string][])),
    ...(tokens === null
      ? []
      : ([['Tokens', `${count(tokens.prompt_tokens)} in, ${count(tokens.completion_tokens)} out`]] as [
          string,
          string,
        ][])),
  ]
  return (
    <>
      <TimeBar operational={operational} />
      <FactTable facts={lines} />
      <h3>Attempts</h3>
      <table className={table.table}>
        <thead>
          <tr>
            <th className={table.num}>No.</th>
            <th>Outcome</th>
            <th className={table.num}>Waited</th>
            <th className={table.num}>Took</th>
            <th className={table.num}>HTTP</th>
            <th>Message</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt, index) => (
            <tr key={index}>
              <td className={table.num}>{index + 1}</td>
              <td>{attempt.outcome.replaceAll('_', ' ')}</td>
              <td className={table.num}>{duration(attempt.waited_ms)}</td>
              <td className={table.num}>{duration(attempt.latency_ms)}</td>
              <td className={table.num}>{attempt.http_status ?? '–'}</td>
              <td className={table.wrap}>
                <MarkedText text={attempt.message ?? ''} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
