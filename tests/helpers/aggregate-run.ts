import type { Aggregate, MetricSummary } from '../../contract/evidence/aggregate.ts'
import type { FigureRow } from '../../main/evidence/rows/interned-rows.ts'
import { createAggregator } from '../../main/report/aggregate/aggregate-run.ts'
import type { RunSummaryContext } from '../../main/report/aggregate/run-summary.ts'

/** Sums up all rows of one dataset run. Rejects with `ReportError`. */
export async function aggregateRun(rows: AsyncIterable<FigureRow>, context: RunSummaryContext): Promise<Aggregate> {
  const aggregator = createAggregator(context)
  for await (const row of rows) aggregator.add(row)
  return aggregator.finish()
}

/** Every metric of every approach of an aggregate. */
export const allMetrics = (result: Aggregate): MetricSummary[] =>
  result.approaches.flatMap((each) =>
    Object.values<MetricSummary | undefined>({ ...each.ragas, ...each.retrieval, ...each.answer }).filter(
      (metric) => metric !== undefined,
    ),
  )
