import type Database from 'better-sqlite3'
import {
  CellMetricState,
  metricOfId,
  type ColumnHead,
  type ColumnHeadsInput,
  type ColumnHeadsOutcome,
  type IndexMetric,
} from '../../../contract/index.ts'
import { latencyMs } from '../../../contract/metrics/latency-ms.ts'
import { stateCode, valueColumn } from '../schema.ts'
import { columnFigures, NO_FIGURES, type ColumnFigures } from '../tallies.ts'
import { findDatasetRun, notFound, shownAliases, type DatasetRun, type ShownAlias } from './dataset-run.ts'

/** The number of questions that all aliases with values have a value for, and the sum of each alias over them. */
interface Common {
  questions: number
  sums: Map<number, number>
}

/** Mean, count and coverage of one metric for each alias, and whether the means compare. */
export function columnHeads(db: Database.Database, input: ColumnHeadsInput): ColumnHeadsOutcome {
  const scope = findDatasetRun(db, input.run_id, input.dataset_id)
  if (scope === null) return notFound(`dataset ${input.dataset_id} in a run ${input.run_id}`)
  const aliases = shownAliases(db, scope.id, input.aliases)
  const { metric } = input
  const figures = columnFigures(db, scope.id, metric)
  const latencies = columnFigures(db, scope.id, latencyMs.id)
  const scored = new Map(
    aliases.flatMap(({ id }) => {
      const own = figures.get(id)
      return own !== undefined && own.n > 0 ? [[id, own]] : []
    }),
  )
  const common = commonOf(db, scope, scored, metric)
  const heads = aliases.map((alias): ColumnHead => {
    const { n, mean, cells, states } = figures.get(alias.id) ?? NO_FIGURES
    return {
      ...named(alias),
      mean,
      n,
      expected: scope.questions,
      coverage: scope.questions === 0 ? null : n / scope.questions,
      states: { ...byState(states), missing: scope.questions - cells },
      common: n === 0 ? null : { n: common.questions, mean: meanOf(common.sums.get(alias.id) ?? 0, common.questions) },
      mean_latency_ms: latencies.get(alias.id)?.mean ?? null,
    }
  })
  const unequal = heads.some(({ n, common: both }) => n > 0 && n !== (both?.n ?? 0))
  return {
    ok: true,
    heads: { metric, better: metricOfId(metric).better, questions: scope.questions, unequal_coverage: unequal, heads },
  }
}

const named = ({ id: _, ...alias }: ShownAlias): Omit<ShownAlias, 'id'> => alias

const byState = (counts: readonly number[]): ColumnHead['states'] =>
  Object.fromEntries(CellMetricState.options.map((state) => [state, counts[stateCode(state)]!])) as ColumnHead['states']

const meanOf = (sum: number, n: number): number | null => (n === 0 ? null : sum / n)

function commonOf(
  db: Database.Database,
  scope: DatasetRun,
  scored: ReadonlyMap<number, ColumnFigures>,
  metric: IndexMetric,
): Common {
  const isWhole = [...scored.values()].every(({ n }) => n === scope.questions)
  if (!isWhole) return sumOverCommon(db, scope.id, [...scored.keys()], metric)
  return { questions: scope.questions, sums: new Map([...scored].map(([alias, { sum }]) => [alias, sum])) }
}

/** Summed by SQLite, one column per alias: passing a hundred thousand values to JavaScript takes longer than all the rest. */
function sumOverCommon(db: Database.Database, scope: number, scored: readonly number[], metric: IndexMetric): Common {
  const value = `c.${valueColumn(metric)}`
  const sums = scored.map((_alias, index) => `total(${value}) FILTER (WHERE c.alias = @a${index})`)
  const [questions, ...totals] = db
    .prepare<Record<string, number | string>, number[]>(
      `WITH shared AS MATERIALIZED (
         SELECT c.question FROM cells c INDEXED BY cells_by_question
         WHERE c.scope = @scope AND c.alias IN (SELECT value FROM json_each(@scored)) AND ${value} IS NOT NULL
         GROUP BY c.question HAVING count(*) = ${scored.length})
       SELECT (SELECT count(*) FROM shared), ${sums.join(', ')}
       FROM shared CROSS JOIN cells c INDEXED BY cells_by_question ON c.scope = @scope AND c.question = shared.question`,
    )
    .raw()
    .get({
      scope,
      scored: JSON.stringify(scored),
      ...Object.fromEntries(scored.map((alias, index) => [`a${index}`, alias])),
    })!
  return { questions: questions!, sums: new Map(scored.map((alias, index) => [alias, totals[index]!])) }
}
