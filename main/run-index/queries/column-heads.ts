import type Database from 'better-sqlite3'
import type {
  ColumnHead,
  ColumnHeadsInput,
  ColumnHeadsOutcome,
} from '../../../contract/control/run-index/matrix-page.ts'
import { CellMetricState } from '../../../contract/control/run-index/metrics.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { latencyMs } from '../../../contract/metrics/latency-ms.ts'
import { share } from '../../lib/text/numbers.ts'
import { commonQuestions, meanOver, spreadOf } from '../../report/aggregate/column.ts'
import { stateCode } from '../schema.ts'
import { columnCounts, NO_CELLS } from '../apply/tallies.ts'
import { findDatasetRun, notFound, shownAliases, type ShownAlias } from './dataset-run.ts'
import { ColumnCache, type ScoreColumns } from './score-columns.ts'

/** Mean, count and coverage of one metric for each alias, and whether the means compare. */
export function columnHeads(
  db: Database.Database,
  input: ColumnHeadsInput,
  cache: ColumnCache = new ColumnCache(),
): ColumnHeadsOutcome {
  const scope = findDatasetRun(db, input.run_id, input.dataset_id)
  if (scope === null) return notFound(`dataset ${input.dataset_id} in a run ${input.run_id}`)
  const aliases = shownAliases(db, scope.id, input.aliases)
  const { metric } = input
  const counts = columnCounts(db, scope.id, metric)
  const [scores, latencies] = cache.of(db, scope.id, [metric, latencyMs.id]) as [ScoreColumns, ScoreColumns]
  const { order } = scores
  const { indexes, unequal } = commonQuestions(
    aliases.map(({ id }) => scores.of(id)),
    order,
  )
  const heads = aliases.map((alias): ColumnHead => {
    const { n, cells, states } = counts.get(alias.id) ?? NO_CELLS
    const column = scores.of(alias.id)
    return {
      ...named(alias),
      mean: meanOver(column, order),
      n,
      expected: scope.questions,
      coverage: share(n, scope.questions),
      states: { ...byState(states), missing: scope.questions - cells },
      common: n === 0 ? null : { n: indexes.length, mean: meanOver(column, indexes) },
      median_latency_ms: spreadOf(latencies.of(alias.id), order).median,
    }
  })
  return {
    ok: true,
    heads: { metric, better: metricOfId(metric).better, questions: scope.questions, unequal_coverage: unequal, heads },
  }
}

const named = ({ id: _, ...alias }: ShownAlias): Omit<ShownAlias, 'id'> => alias

const byState = (counts: readonly number[]): ColumnHead['states'] =>
  Object.fromEntries(CellMetricState.options.map((state) => [state, counts[stateCode(state)]!])) as ColumnHead['states']
