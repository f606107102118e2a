import { useQuery } from '@tanstack/react-query'
import type { IndexMetric } from '../../contract/control/run-index/metrics.ts'
import { FIRST_METRIC, metricNamed } from '../../contract/metrics/metrics.ts'
import { api } from './client.ts'

/**
 * The metric that pages show first: the primary one of the run's summaries; before it has one, that which it declares or is the first it has.
 * Null while it is not known.
 */
export function useLeadingMetric(run: string | undefined): IndexMetric | null {
  const input = { run_id: run ?? '' }
  const { data, isError } = useQuery({ ...api.compare.result.queryOptions({ input }), enabled: run !== undefined })
  const summed = data?.verdicts.find(({ metric }) => metric !== null)?.metric ?? null
  const listed = useQuery({
    ...api.runs.overview.queryOptions({ input }),
    enabled: data !== undefined && summed === null,
  })
  if (data === undefined) return isError ? FIRST_METRIC : null
  if (summed === null && listed.isPending) return null
  const primary = summed ?? listed.data?.runs[0]?.primary_metric ?? ''
  return (metricNamed(primary)?.id as IndexMetric | undefined) ?? FIRST_METRIC
}
