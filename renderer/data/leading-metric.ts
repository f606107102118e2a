import { useQuery } from '@tanstack/react-query'
import type { IndexMetric } from '../../contract/control/run-index/metrics.ts'
import { FIRST_METRIC, metricNamed } from '../../contract/metrics/metrics.ts'
import { api } from './client.ts'

/**
 * The metric that pages show first: the primary one of the run, and `FIRST_METRIC` where the run has none or is not summed up yet.
 * Null while it is not known.
 */
export function useLeadingMetric(run: string | undefined): IndexMetric | null {
  const { data, isError } = useQuery({
    ...api.compare.result.queryOptions({ input: { run_id: run ?? '' } }),
    enabled: run !== undefined,
  })
  if (data === undefined) return isError ? FIRST_METRIC : null
  const primary = data.verdicts.find(({ metric }) => metric !== null)?.metric ?? ''
  return (metricNamed(primary)?.id as IndexMetric | undefined) ?? FIRST_METRIC
}
