import type Database from 'better-sqlite3'
import {
  CellMetricState,
  type ColumnHead,
  type ColumnHeadsInput,
  type ColumnHeadsOutcome,
} from '../../../contract/index.ts'
import { betterOf, stateCode, stateSql, valueColumn } from '../metric-columns.ts'
import { findDatasetRun, notFound, shownAliases, type ShownAlias } from './dataset-run.ts'

interface Tally {
  alias: number
  cells: number
  n: number
  mean: number | null
  mean_latency_ms: number | null
  [state: `s${number}`]: number
}

interface CommonTally {
  alias: number
  n: number
  mean: number | null
}

/** Mean, count and coverage of one metric for each alias, and whether the means compare. */
export function columnHeads(db: Database.Database, input: ColumnHeadsInput): ColumnHeadsOutcome {
  const scope = findDatasetRun(db, input.run_id, input.dataset_id)
  if (scope === null) return notFound(`dataset ${input.dataset_id} in a run ${input.run_id}`)
  const aliases = shownAliases(db, scope.id, input.aliases)
  const { metric } = input
  const value = `c.${valueColumn(metric)}`
  const states = CellMetricState.options.map((state) => `sum(state = ${stateCode(state)}) AS s${stateCode(state)}`)
  const tallies = new Map(
    db
      .prepare<[number, string], Tally>(
        `SELECT alias, count(*) AS cells, count(value) AS n, avg(value) AS mean, avg(answered_ms) AS mean_latency_ms,
           ${states.join(', ')}
         FROM (SELECT c.alias, ${value} AS value, c.answered_ms, ${stateSql(metric)} AS state FROM cells c
           WHERE c.scope = ? AND c.alias IN (SELECT value FROM json_each(?)))
         GROUP BY alias`,
      )
      .all(scope.id, JSON.stringify(aliases.map(({ id }) => id)))
      .map((tally) => [tally.alias, tally]),
  )
  const scored = aliases.filter(({ id }) => (tallies.get(id)?.n ?? 0) > 0).map(({ id }) => id)
  const common = commonTallies(db, scope.id, scored, value)
  const heads = aliases.map((alias) => head(alias, tallies.get(alias.id), common.get(alias.id), scope.questions))
  const unequal = heads.some(({ n, common }) => n > 0 && n !== (common?.n ?? 0))
  return {
    ok: true,
    heads: { metric, better: betterOf(metric), questions: scope.questions, unequal_coverage: unequal, heads },
  }
}

/** Counts and means over the questions that all of these aliases have a value for. */
function commonTallies(
  db: Database.Database,
  scope: number,
  aliases: readonly number[],
  value: string,
): Map<number, CommonTally> {
  const shown = JSON.stringify(aliases)
  const rows = db
    .prepare<[{ scope: number; shown: string; count: number }], CommonTally>(
      `SELECT c.alias, count(*) AS n, avg(${value}) AS mean FROM cells c
       WHERE c.scope = @scope AND ${value} IS NOT NULL AND c.alias IN (SELECT value FROM json_each(@shown))
         AND c.question IN (
           SELECT c.question FROM cells c INDEXED BY cells_by_place
           WHERE c.scope = @scope AND ${value} IS NOT NULL AND c.alias IN (SELECT value FROM json_each(@shown))
           GROUP BY c.question HAVING count(*) = @count)
       GROUP BY c.alias`,
    )
    .all({ scope, shown, count: aliases.length })
  return new Map(rows.map((row) => [row.alias, row]))
}

function head(
  { id: _, ...alias }: ShownAlias,
  tally: Tally | undefined,
  common: CommonTally | undefined,
  expected: number,
): ColumnHead {
  const n = tally?.n ?? 0
  const states = Object.fromEntries(
    CellMetricState.options.map((state) => [state, tally?.[`s${stateCode(state)}`] ?? 0]),
  ) as ColumnHead['states']
  return {
    ...alias,
    mean: tally?.mean ?? null,
    n,
    expected,
    coverage: expected === 0 ? null : n / expected,
    states: { ...states, missing: expected - (tally?.cells ?? 0) },
    common: n === 0 ? null : { n: common?.n ?? 0, mean: common?.mean ?? null },
    mean_latency_ms: tally?.mean_latency_ms ?? null,
  }
}
