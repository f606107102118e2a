import type {
  ColumnHeads,
  IndexMetric,
  MatrixPage,
  MatrixPageInput,
  RunSummary,
} from '../../../contract/control/index.ts'
import type { MetricComparison } from '../../../contract/evidence/statistics.ts'
import { comparePairs } from '../../../main/statistics/compare-pairs.ts'
import { rowIdOf } from './cells.ts'
import { cellOf, type FakeDataset, RUN_METRICS, type World } from './world.ts'

type Row = { question: FakeDataset['questions'][number]; values: (number | null)[]; states: string[] }

const lower = (metric: IndexMetric): boolean => metric === 'latency_ms'

function rowsOf(world: World, run: string, dataset: FakeDataset, aliases: string[], metric: IndexMetric): Row[] {
  return dataset.questions.map((question) => {
    const cells = aliases.map((alias) => cellOf(world, run, dataset.view.id, question.id, alias, metric))
    return { question, values: cells.map(({ value }) => value), states: cells.map(({ state }) => state) }
  })
}

const cache = new Map<string, Row[]>()
function cachedRows(world: World, run: string, dataset: FakeDataset, aliases: string[], metric: IndexMetric): Row[] {
  const key = [run, dataset.view.id, metric, ...aliases].join('|')
  if (!cache.has(key)) cache.set(key, rowsOf(world, run, dataset, aliases, metric))
  return cache.get(key)!
}

const present = (values: (number | null)[]): number[] => values.filter((value) => value !== null)
const mean = (values: number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
const spread = (values: number[]): number => (values.length === 0 ? 0 : Math.max(...values) - Math.min(...values))

/** `matrix.page` over generated cells. */
export function matrixPage(world: World, dataset: FakeDataset, aliases: string[], input: MatrixPageInput): MatrixPage {
  const { run_id: run, metric, filters = {}, sort = { by: 'position' }, offset = 0, limit = 100 } = input
  let rows = cachedRows(world, run, dataset, aliases, metric).filter((row) => {
    if (filters.hops !== undefined && !filters.hops.includes(row.question.hops)) return false
    if (filters.text !== undefined && !row.question.query.toLowerCase().includes(filters.text.toLowerCase()))
      return false
    if (filters.states !== undefined && !row.states.some((state) => filters.states!.includes(state as never)))
      return false
    if (filters.min_spread !== undefined && spread(present(row.values)) < filters.min_spread) return false
    if (filters.winner !== undefined) {
      const best = Math.max(...present(row.values))
      const first =
        row.values.filter((value) => value === best).length === 1 ? aliases[row.values.indexOf(best)]! : null
      if (first !== filters.winner) return false
    }
    return true
  })
  const keyOf = (row: Row): number | string => {
    if (sort.by === 'value') return row.values[aliases.indexOf(sort.alias)] ?? Infinity
    if (sort.by === 'mean') return mean(present(row.values)) ?? Infinity
    if (sort.by === 'spread') return spread(present(row.values))
    if (sort.by === 'hops') return row.question.hops ?? 0
    return row.question.id
  }
  if (sort.by !== 'position') {
    const keyed = rows.map((row) => ({ row, key: keyOf(row) }))
    const sign = (sort.descending ?? sort.by === 'spread') ? -1 : 1
    keyed.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : 0))
    rows = keyed.map(({ row }) => row)
  } else if (sort.descending === true) rows = rows.toReversed()
  return {
    ...{ revision: 1, aliases, matching: rows.length, questions: dataset.questions.length, offset },
    rows: rows.slice(offset, offset + limit).map(({ question }) => ({
      question_id: question.id,
      repeat: 1,
      query: question.query.slice(0, 400),
      hops: question.hops,
      answerable: question.answerable,
      expect_winner: question.expect_winner,
      observed_winner: null,
      cells: aliases.map((alias) => {
        const cell = cellOf(world, run, dataset.view.id, question.id, alias, metric)
        return {
          row_id: rowIdOf(run, dataset.view.id, question.id, alias),
          status: cell.status,
          error_type: cell.status === 'ok' ? null : cell.reason,
          evaluation: cell.status === 'ok' ? ('ok' as const) : ('not_run' as const),
          ...{ state: cell.state, value: cell.value, reason: cell.reason },
          ...{ latency_ms: cell.latency, judge_mean: null, answer_chars: 240 },
        }
      }),
    })),
  }
}

/** `matrix.heads` over generated cells. */
export function columnHeads(
  world: World,
  run: string,
  dataset: FakeDataset,
  aliases: string[],
  metric: IndexMetric,
): ColumnHeads {
  const rows = cachedRows(world, run, dataset, aliases, metric)
  const scored = aliases.map((_, column) => present(rows.map(({ values }) => values[column]!)))
  return {
    metric,
    better: lower(metric) ? 'lower' : 'higher',
    questions: rows.length,
    unequal_coverage: new Set(scored.map(({ length }) => length)).size > 1,
    heads: aliases.map((model, column) => {
      const view = world.aliases.get(model)!
      const states = { missing: 0, ok: 0, not_evaluable: 0, error: 0, timeout: 0, disabled: 0, not_run: 0 }
      for (const row of rows) states[row.states[column] as keyof typeof states] += 1
      return {
        ...{ model, base_model: view.base, flavor: view.flavor, evidence_capability: view.evidence },
        ...{ mean: mean(scored[column]!), n: scored[column]!.length, expected: rows.length },
        coverage: rows.length === 0 ? null : scored[column]!.length / rows.length,
        ...{ states, common: null, mean_latency_ms: 1400, unavailable: null },
      }
    }),
  }
}

/** `statistics.pairs` over generated cells, by the project's own statistics without resampling. */
export function pairs(
  world: World,
  run: string,
  dataset: FakeDataset,
  aliases: string[],
  metric: IndexMetric,
): MetricComparison {
  const rows = cachedRows(world, run, dataset, aliases, metric)
  return comparePairs(
    {
      metric,
      questions: rows.map(({ question }) => ({ id: question.id, cluster: question.id })),
      approaches: aliases,
      scores: Float64Array.from(rows.flatMap(({ values }) => values.map((value) => value ?? NaN))),
      lowerIsBetter: lower(metric),
    },
    { seed: 'fake', method: 'student' },
  )
}

/** `statistics.runs` over generated cells. */
export function runPairs(
  world: World,
  runs: string[],
  dataset: FakeDataset,
  alias: string,
  metric: IndexMetric,
): MetricComparison {
  const values = dataset.questions.flatMap(({ id }) =>
    runs.map((run) => cellOf(world, run, dataset.view.id, id, alias, metric).value ?? NaN),
  )
  return comparePairs(
    {
      metric,
      questions: dataset.questions.map(({ id }) => ({ id, cluster: id })),
      approaches: runs,
      scores: Float64Array.from(values),
      lowerIsBetter: lower(metric),
    },
    { seed: 'fake', method: 'student' },
  )
}

/** `runs.summary` over generated cells. */
export function runSummary(world: World, run: string, datasets: FakeDataset[], aliases: string[]): RunSummary {
  return {
    run_id: run,
    kind: 'canonical',
    datasets: datasets.map((dataset) => {
      const head = columnHeads(world, run, dataset, aliases, 'latency_ms')
      const ok = head.heads.reduce((sum, { n }) => sum + n, 0)
      const failed = head.questions * aliases.length - ok
      return {
        ...{ dataset_id: dataset.view.id, label: dataset.view.label, complexity_level: dataset.view.complexity_level },
        ...{ questions: head.questions, cells: { ok, error: failed, timeout: 0 }, damaged: false },
        expected_cells: head.questions * aliases.length,
        ...{ first_finished_at: '2026-11-20T09:12:00.000Z', last_finished_at: '2026-11-20T09:14:02.000Z' },
        evaluation: { ok, partial: 0, not_evaluable: 0, error: 0, disabled: 0, not_run: failed },
        failures_by_type: { http_error: failed },
        aliases: aliases.map((model, column) => {
          const view = world.aliases.get(model)!
          return {
            ...{ model, base_model: view.base, flavor: view.flavor, evidence_capability: view.evidence },
            cells: { ok: head.heads[column]!.n, error: head.questions - head.heads[column]!.n, timeout: 0 },
            ...{ mean_latency_ms: head.heads[column]!.mean, unavailable: null },
          }
        }),
        ...{ metrics: RUN_METRICS, judge_panel: null, provenance: [], artifacts: [] },
      }
    }),
  }
}
