import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Coverage, CoverageAlias, CoverageMetric } from '../../../contract/control/cells.ts'
import type { ColumnHead, ColumnHeads } from '../../../contract/control/run-index/matrix-page.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { RunDatasetSummary } from '../../../contract/control/run-index/runs.ts'
import type { Aggregate, ApproachSummary, MetricState } from '../../../contract/evidence/aggregate.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { metricOf, metricsOf } from '../../report/aggregate/aggregate-access.ts'
import { coverageNotes } from '../../report/tables/coverage-notes.ts'
import { isScoreOfCells, METRICS_OF, type ScoreMetric } from '../../report/aggregate/metric-outcome.ts'
import { parseAggregate } from '../../report/aggregate/stored-aggregate.ts'
import { orIfMissing } from '../../lib/files/missing-file.ts'
import { ControlFailure } from '../control-failure.ts'
import type { RunIndexApi } from '../index-gateway.ts'

type Group = CoverageMetric['group']
const GROUPS: readonly Group[] = ['ragas', 'retrieval', 'answer']
const groupOf = (metric: string): Group =>
  GROUPS.find((group) => (METRICS_OF[group] as readonly string[]).includes(metric))!

/** A page asks for the summary of its run four times: what was parsed last is kept, by the digest of its file, and changed by none of its readers. */
const KEPT_SUMMARIES = 8
const parsed = new Map<string, Aggregate>()

/** The summary in a file; null when there is none. */
async function summaryAt(file: string): Promise<Aggregate | null> {
  const text = await orIfMissing(readFile(file, 'utf8'), null)
  if (text === null) return null
  const digest = createHash('sha256').update(text).digest('base64')
  let summary = parsed.get(digest)
  if (summary === undefined) {
    const read = parseAggregate(text)
    if (!read.ok) return null
    summary = read.aggregate
  }
  // The one that was asked for last is the last to go.
  parsed.delete(digest)
  parsed.set(digest, summary)
  if (parsed.size > KEPT_SUMMARIES) parsed.delete(parsed.keys().next().value!)
  return summary
}

/** The summary on disk; null when there is none, or when rows were added after it. */
export async function currentAggregate(dataset: RunDatasetSummary): Promise<Aggregate | null> {
  const artifact = dataset.artifacts.find(({ kind, state }) => kind === 'evaluation' && state === 'applied')
  const aggregate = artifact === undefined ? null : await summaryAt(artifact.path)
  if (aggregate === null) return null
  const { ok, error, timeout } = dataset.cells
  const same = aggregate.cells.ok === ok && aggregate.cells.error === error && aggregate.cells.timeout === timeout
  return same ? aggregate : null
}

function fromSummary(approach: ApproachSummary, metric: ScoreMetric): CoverageMetric | null {
  const summary = metricOf(approach, metric)
  if (summary === undefined) return null
  const { median: _median, stdev: _stdev, eligible: _eligible, ...kept } = summary
  return { group: groupOf(metric), metric, ...kept }
}

function aliasesOfSummary(aggregate: Aggregate): CoverageAlias[] {
  const metrics = metricsOf(aggregate)
  const callable = aggregate.approaches.map((approach): CoverageAlias => {
    const { failures_by_type, ...cells } = approach.cells
    const { model, base_model, flavor, evidence_capability } = approach
    const head = { model, base_model, flavor, evidence_capability, unavailable: null }
    return {
      ...head,
      cells,
      failures_by_type,
      refusals: approach.refusals ?? null,
      metrics: metrics.flatMap((metric) => fromSummary(approach, metric) ?? []),
    }
  })
  const none = { ok: 0, error: 0, timeout: 0, missing: 0, expected: 0 }
  const unavailable = aggregate.unavailable.map(({ reason, ...head }): CoverageAlias => ({
    ...head,
    cells: none,
    failures_by_type: {},
    unavailable: reason,
    refusals: null,
    metrics: [],
  }))
  return [...callable, ...unavailable]
}

/** The same rule as in a summary: scored cells decide first, then the order of the states. */
function stateOf({ n, expected, states }: ColumnHead): MetricState {
  if (n > 0) return n === expected ? 'ok' : 'partial'
  const first = (['error', 'timeout', 'not_evaluable', 'disabled', 'not_run'] as const).find(
    (state) => states[state] > 0,
  )
  return first ?? 'not_run'
}

function fromHead(metric: string, head: ColumnHead, isUnequal: boolean): CoverageMetric {
  const { states } = head
  const of = (state: keyof typeof states): number => states[state]
  return {
    group: groupOf(metric),
    metric,
    state: stateOf(head),
    mean: head.mean,
    scored: head.n,
    expected: head.expected,
    coverage: head.coverage,
    errors: of('error'),
    timeouts: of('timeout'),
    unevaluable: of('not_evaluable'),
    disabled: of('disabled'),
    not_run: of('not_run'),
    missing: of('missing'),
    errors_by_reason: null,
    unevaluable_by_reason: null,
    unequal_coverage: isUnequal,
    common: isUnequal ? head.common : null,
  }
}

async function aliasesOfIndex(index: RunIndexApi, runId: string, dataset: RunDatasetSummary): Promise<CoverageAlias[]> {
  const scored = dataset.metrics.filter((metric) => isScoreOfCells(metricOfId(metric)))
  const of = { run_id: runId, dataset_id: dataset.dataset_id }
  const heads = new Map<IndexMetric, ColumnHeads>()
  for (const metric of scored) heads.set(metric, (await index.query('columnHeads', { ...of, metric })).heads)
  return dataset.aliases.map((alias): CoverageAlias => {
    const { model, base_model, flavor, evidence_capability, unavailable, cells } = alias
    const made = cells.ok + cells.error + cells.timeout
    const metrics = [...heads].flatMap(([metric, columns]) => {
      const head = columns.heads.find((each) => each.model === model)
      return head === undefined ? [] : fromHead(metric, head, columns.unequal_coverage)
    })
    const expected = Math.max(made, ...metrics.map((metric) => metric.expected))
    const counts = { ...cells, missing: expected - made, expected }
    const head = { model, base_model, flavor, evidence_capability, unavailable }
    return { ...head, cells: counts, failures_by_type: {}, refusals: null, metrics }
  })
}

/** Returns where every expected cell of a dataset run went, by alias and metric. */
export async function coverageOf(index: RunIndexApi, runId: string, datasetId: string): Promise<Coverage> {
  const { datasets } = (await index.query('runSummary', { run_id: runId })).summary
  const dataset = datasets.find(({ dataset_id }) => dataset_id === datasetId)
  if (dataset === undefined)
    throw new ControlFailure('not_found', `the index has no dataset ${datasetId} in a run ${runId}`)
  const head = { run_id: runId, dataset_id: datasetId }
  const aggregate = await currentAggregate(dataset)
  if (aggregate === null)
    return { ...head, basis: 'live', aliases: await aliasesOfIndex(index, runId, dataset), notes: [] }
  const notes = coverageNotes(aggregate, metricsOf(aggregate)).map(({ sign, text }) => `${sign} ${text}`)
  return { ...head, basis: 'summary', aliases: aliasesOfSummary(aggregate), notes }
}
