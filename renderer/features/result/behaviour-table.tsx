import { useQuery } from '@tanstack/react-query'
import { METRICS } from '../../../contract/metrics/metrics.ts'
import type { Metric } from '../../../contract/metrics/metric.ts'
import type { ApproachBehaviour } from '../../../contract/evidence/verdict.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { count, duration, meanWords, metricHeading, metricValue } from '../../components/format.ts'
import { Panel } from '../../components/states.tsx'
import { ScrollTable } from '../../components/scroll-table.tsx'
import table from '../../components/table.module.css'
import { num, TableHead } from '../../components/table-head.tsx'
import { api } from '../../data/client.ts'
import { RESULT_WORDS } from './result-words.ts'

const WORDS = RESULT_WORDS.behaviour

/** Unanswerable questions, refusals, failures, time, calls and tokens of each approach beside its score on the primary metric. */
export function BehaviourTable({ run, dataset }: { run: string; dataset: string }) {
  const { data } = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const verdict = data?.verdicts.find((each) => each.dataset === dataset)
  if (verdict === undefined || verdict.behaviour.length === 0) return null
  const metric = METRICS.find(
    ({ id, artifactName }: Metric) => id === verdict.metric || artifactName === verdict.metric,
  )?.id
  const title = WORDS.title(verdict.label)
  return (
    <Panel title={title}>
      <ScrollTable label={title}>
        <TableHead
          columns={[
            RESULT_WORDS.approach,
            metric !== undefined && num(metricHeading(metric)),
            num(WORDS.unanswerable),
            num(WORDS.refused),
            num(WORDS.failed),
            num(WORDS.text),
            num(WORDS.latency),
            num(WORDS.calls),
            num(WORDS.tokens),
          ]}
        />
        <tbody>
          {verdict.behaviour.map((each) => (
            <tr key={each.model}>
              <th scope="row">
                <ApproachName alias={each.model} short />
              </th>
              {metric !== undefined && <td className={table.num}>{metricValue(metric, each.mean)}</td>}
              <td className={table.num}>
                {each.unanswerable === null
                  ? '–'
                  : `${count(each.unanswerable.answered)}/${count(each.unanswerable.scored)}`}
              </td>
              <td className={table.num}>{each.refused === null ? '–' : count(each.refused)}</td>
              <td className={table.num}>{failedText(each)}</td>
              <td className={table.num}>{each.context_tokens === null ? '–' : count(each.context_tokens)}</td>
              <td className={table.num}>{duration(each.latency_ms)}</td>
              <td className={table.num}>{each.llm_calls === null ? '–' : meanWords(each.llm_calls)}</td>
              <td className={table.num}>{each.total_tokens === null ? '–' : count(each.total_tokens)}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </Panel>
  )
}

const failedText = ({ failed, expected, timeouts }: ApproachBehaviour): string =>
  `${count(failed)}/${count(expected)}${timeouts === 0 ? '' : ` ${WORDS.timeouts(timeouts)}`}`
