import { useQuery } from '@tanstack/react-query'
import { METRICS } from '../../../contract/metrics/metrics.ts'
import type { Metric } from '../../../contract/metrics/metric.ts'
import type { ApproachBehaviour } from '../../../contract/evidence/verdict.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { DataTable, num } from '../../components/tables.tsx'
import { count, duration, meanWords, metricHeading, metricValue } from '../../components/format.ts'
import { Panel } from '../../components/states.tsx'
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
      <DataTable
        label={title}
        rows={verdict.behaviour}
        keyOf={({ model }) => model}
        columns={[
          [RESULT_WORDS.approach, ({ model }) => <ApproachName alias={model} short />],
          metric !== undefined && [num(metricHeading(metric)), ({ mean }) => metricValue(metric, mean)],
          [
            num(WORDS.unanswerable),
            ({ unanswerable: asked }) => (asked === null ? '–' : `${count(asked.answered)}/${count(asked.scored)}`),
          ],
          [num(WORDS.refused), ({ refused }) => countOr(refused)],
          [num(WORDS.failed), failedText],
          [num(WORDS.text), ({ context_tokens: tokens }) => countOr(tokens)],
          [num(WORDS.latency), ({ latency_ms: latency }) => duration(latency)],
          [num(WORDS.calls), ({ llm_calls: calls }) => (calls === null ? '–' : meanWords(calls))],
          [num(WORDS.tokens), ({ total_tokens: tokens }) => countOr(tokens)],
        ]}
      />
    </Panel>
  )
}

const countOr = (value: number | null): string => (value === null ? '–' : count(value))

const failedText = ({ failed, expected, timeouts }: ApproachBehaviour): string =>
  `${count(failed)}/${count(expected)}${timeouts === 0 ? '' : ` ${WORDS.timeouts(timeouts)}`}`
