import type Database from 'better-sqlite3'
import {
  CellMetricState,
  type ColumnHead,
  type ColumnHeadsInput,
  type ColumnHeadsOutcome,
  type IndexMetric,
} from '../../../contract/index.ts'
import { betterOf, stateCode, stateSql, valueColumn } from '../metric-columns.ts'
import { findDatasetRun, notFound, shownAliases, type ShownAlias } from './dataset-run.ts'

interface Tally {
  cells: number
  /** Cells with a value. */
  n: number
  sum: number
  answered: number
  answeredMs: number
  /** Cells by state code. */
  states: number[]
}

/** Questions that as many aliases as in no other question have a value for, and each alias's sum over them. */
interface Common {
  aliases: number
  questions: number
  sums: Map<number, number>
}

/** Mean, count and coverage of one metric for each alias, and whether the means compare. */
export function columnHeads(db: Database.Database, input: ColumnHeadsInput): ColumnHeadsOutcome {
  const scope = findDatasetRun(db, input.run_id, input.dataset_id)
  if (scope === null) return notFound(`dataset ${input.dataset_id} in a run ${input.run_id}`)
  const aliases = shownAliases(db, scope.id, input.aliases)
  const { metric } = input
  const { tallies, common } = tallyCells(db, scope.id, aliases, metric)
  const scored = aliases.filter(({ id }) => (tallies.get(id)?.n ?? 0) > 0)
  const shared = common.aliases === scored.length ? common : null
  const heads = aliases.map((alias) => head(alias, tallies.get(alias.id), shared, scope.questions))
  const unequal = heads.some(({ n, common: both }) => n > 0 && n !== (both?.n ?? 0))
  return {
    ok: true,
    heads: { metric, better: betterOf(metric), questions: scope.questions, unequal_coverage: unequal, heads },
  }
}

/** One look at the cells in the order of their index, question by question: grouping them in SQL took three. */
function tallyCells(
  db: Database.Database,
  scope: number,
  aliases: readonly ShownAlias[],
  metric: IndexMetric,
): { tallies: Map<number, Tally>; common: Common } {
  const cells = db
    .prepare<
      [number, string],
      [question: number, alias: number, value: number | null, ms: number | null, state: number]
    >(
      `SELECT c.question, c.alias, c.${valueColumn(metric)}, c.answered_ms, ${stateSql(metric)}
       FROM cells c INDEXED BY cells_by_place
       WHERE c.scope = ? AND c.alias IN (SELECT value FROM json_each(?)) ORDER BY c.question`,
    )
    .raw()
    .iterate(scope, JSON.stringify(aliases.map(({ id }) => id)))
  const tallies = new Map(aliases.map(({ id }) => [id, emptyTally()]))
  const common: Common = { aliases: 0, questions: 0, sums: new Map() }
  let question: number | null = null
  let values: [alias: number, value: number][] = []
  const endQuestion = (): void => {
    if (values.length > common.aliases) Object.assign(common, { aliases: values.length, questions: 0, sums: new Map() })
    if (values.length < common.aliases || values.length === 0) return
    common.questions += 1
    for (const [alias, value] of values) common.sums.set(alias, (common.sums.get(alias) ?? 0) + value)
  }
  for (const [place, alias, value, ms, state] of cells) {
    if (place !== question) {
      endQuestion()
      question = place
      values = []
    }
    const tally = tallies.get(alias)!
    tally.cells += 1
    tally.states[state]! += 1
    if (ms !== null) {
      tally.answered += 1
      tally.answeredMs += ms
    }
    if (value === null) continue
    tally.n += 1
    tally.sum += value
    values.push([alias, value])
  }
  endQuestion()
  return { tallies, common }
}

const emptyTally = (): Tally => ({
  ...{ cells: 0, n: 0, sum: 0, answered: 0, answeredMs: 0 },
  states: CellMetricState.options.map(() => 0),
})

const meanOf = (sum: number, n: number): number | null => (n === 0 ? null : sum / n)

function head(
  { id, ...alias }: ShownAlias,
  tally: Tally | undefined,
  common: Common | null,
  expected: number,
): ColumnHead {
  const { n, cells, sum, answered, answeredMs, states: counts } = tally ?? emptyTally()
  const states = Object.fromEntries(
    CellMetricState.options.map((state) => [state, counts[stateCode(state)]!]),
  ) as ColumnHead['states']
  const shared = common?.questions ?? 0
  return {
    ...alias,
    mean: meanOf(sum, n),
    n,
    expected,
    coverage: expected === 0 ? null : n / expected,
    states: { ...states, missing: expected - cells },
    common: n === 0 ? null : { n: shared, mean: meanOf(common?.sums.get(id) ?? 0, shared) },
    mean_latency_ms: meanOf(answeredMs, answered),
  }
}
