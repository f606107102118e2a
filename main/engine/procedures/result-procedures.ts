import type { ExportChunk, ExportInput } from '../../../contract/control/stored-runs.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { PricesFile } from '../../../contract/manifests/prices.ts'
import { loadPrices } from '../../manifests/models/own-prices.ts'
import { answerCost } from '../../report/tables/answer-cost.ts'
import { bundledDatasets } from '../../report/run-bundle.ts'
import type { EngineParts } from '../engine-parts.ts'
import { orNull, type RunIndexApi } from '../index-gateway.ts'
import {
  checkedResult,
  NO_GRADES,
  othersWithoutGrades,
  pageWithoutGrades,
  refuseExport,
  refuseGrades,
  withheldBy,
} from '../judging/withheld-grades.ts'
import { bundlePieces } from '../bundle-transfer.ts'
import { exportCells, exportCsv, exportJson, exportReport, exportRows } from '../export-run.ts'
import { coverageOf } from '../queries/coverage.ts'
import { goldPathsOf } from '../queries/gold-paths.ts'
import { goldRanksOf } from '../queries/gold-ranks.ts'
import { otherCells } from '../queries/other-cells.ts'
import {
  testingIn,
  changesOfRuns,
  goldOf,
  pairsOfAliases,
  type StatisticsSource,
} from '../queries/paired-statistics.ts'
import { traceText } from '../queries/trace-text.ts'
import { provenanceDiff } from '../queries/provenance-diff.ts'
import { frontierOf, resultOf } from '../queries/run-result.ts'
import { control, untilEither, withControlErrors } from './control-api.ts'
import { judgeRun } from './run-procedures.ts'

export function matrixProcedures({ index, judging }: EngineParts) {
  const isWithheld = withheldBy(judging)
  const refuse = ({
    metric,
    run_id: run,
    dataset_id: dataset,
  }: {
    metric: string
    run_id: string
    dataset_id: string
  }) => refuseGrades(isWithheld, metric, [run], [dataset])
  return {
    page: control.matrix.page.handler(async ({ input }) => {
      await refuse(input)
      const { page } = await index.query('matrixPage', input)
      return (await isWithheld(input.run_id, input.dataset_id)) ? pageWithoutGrades(page) : page
    }),
    heads: control.matrix.heads.handler(async ({ input }) => {
      await refuse(input)
      return (await index.query('columnHeads', input)).heads
    }),
    search: control.matrix.search.handler(({ input }) => index.query('search', input)),
  }
}

export function cellProcedures({ index, preparation, notes, judging, artifacts, config }: EngineParts) {
  const isWithheld = withheldBy(judging)
  return {
    notes: control.cells.notes.handler(({ input }) => ({ cells: notes.ofCells(input.run_id) })),
    annotate: control.cells.annotate.handler(({ input: { run_id: runId, row_id: rowId, ...note } }) =>
      notes.annotateCell(runId, rowId, note),
    ),
    get: control.cells.get.handler(async ({ input }) => {
      const { ok: _ok, ...cell } = await index.query('cell', input)
      if (cell.kind !== 'canonical') return cell
      const gold_ranks = goldRanksOf(cell)
      const isWhole = !cell.cuts.some(({ path }) => path[0] === 'trace')
      // An unusable file of prices is reported by the page of the verdict.
      const prices = await loadPrices(config.root).catch(() => PricesFile.parse({ version: 1 }))
      const figures = {
        cost: answerCost(cell.row, prices),
        gold_ranks,
        gold_paths: isWhole ? await goldPathsOf(artifacts, cell.row, gold_ranks) : null,
      }
      const withheld = await isWithheld(input.run_id, cell.row.dataset.id)
      return withheld
        ? { ...cell, ...NO_GRADES, ...figures }
        : { ...cell, judging: await preparation.of(cell.row), ...figures }
    }),
    answerSlice: control.cells.answerSlice.handler(async ({ input }) => {
      const { ok: _ok, ...slice } = await index.query('answerSlice', input)
      return slice
    }),
    answerStarts: control.cells.answerStarts.handler(({ input }) => index.query('answerStarts', input)),
    traceText: control.cells.traceText.handler(async ({ input }) => ({
      text: await traceText(index, artifacts, input),
    })),
    others: control.cells.others.handler(async ({ input }) => {
      const found = await otherCells(index, input)
      const withheld = await isWithheld(input.run_id, found.dataset_id)
      return withheld ? { ...found, cells: othersWithoutGrades(found.cells) } : found
    }),
  }
}

/** The datasets of a run; none for a run that the index does not have. */
async function datasetsOf(index: RunIndexApi, runId: string): Promise<string[]> {
  const found = await orNull(index.query('runSummary', { run_id: runId }), 'not_found')
  return found?.summary.datasets.map(({ dataset_id: id }) => id) ?? []
}

interface AskedRuns {
  metric: IndexMetric
  run_ids: readonly string[]
  /** All that the runs have when absent. */
  dataset_id?: string | undefined
}

export function comparisonProcedures({ index, experiment, stopping, config, judging }: EngineParts) {
  const isWithheld = withheldBy(judging)
  const refuse = ({ metric, run_ids: runs, dataset_id: dataset }: AskedRuns) =>
    refuseGrades(isWithheld, metric, runs, dataset === undefined ? (run) => datasetsOf(index, run) : [dataset])
  const source = (signal: AbortSignal | undefined): StatisticsSource => ({
    index,
    signal: untilEither(signal, stopping),
    testing: (run) => testingIn(index, run),
    // Without usable manifests every question counts as a cluster of its own.
    gold: async (datasetId) => {
      const loaded = await experiment.current().catch(() => null)
      return loaded === null ? new Map() : goldOf(loaded, datasetId)
    },
  })
  return {
    coverage: { get: control.coverage.get.handler(({ input }) => coverageOf(index, input.run_id, input.dataset_id)) },
    compare: {
      runs: control.compare.runs.handler(async ({ input }) => {
        await refuse(input)
        return index.query('compareRuns', input)
      }),
      provenance: control.compare.provenance.handler(({ input }) =>
        provenanceDiff(index, input.run_ids, input.dataset_id),
      ),
      frontier: control.compare.frontier.handler(async ({ input }) => {
        await refuse(input)
        return frontierOf(index, input)
      }),
      result: control.compare.result.handler(async ({ input }) => {
        const [prices, loaded] = await Promise.all([loadPrices(config.root), experiment.current().catch(() => null)])
        return checkedResult(input.run_id, await resultOf(index, input.run_id, prices, loaded), isWithheld)
      }),
      trend: control.compare.trend.handler(async ({ input }) => (await index.query('runTrend', input)).trend),
    },
    statistics: {
      pairs: control.statistics.pairs.handler(async ({ input, signal }) => {
        await refuse({ ...input, run_ids: [input.run_id] })
        return pairsOfAliases(source(signal), input)
      }),
      runs: control.statistics.runs.handler(async ({ input, signal }) => {
        await refuse(input)
        return changesOfRuns(source(signal), input)
      }),
    },
  }
}

export function judgeProcedures(parts: EngineParts) {
  const { judging } = parts
  return {
    state: control.judges.state.handler(({ input }) => judging.state(input)),
    begin: control.judges.begin.handler(({ input }) => judging.begin(input)),
    blindSets: control.judges.blindSets.handler(({ input }) => judging.sets(input)),
    vote: control.judges.vote.handler(({ input }) => judging.vote(input)),
    reveal: control.judges.reveal.handler(({ input }) => judging.reveal(input)),
    judgeRun: control.judges.judgeRun.handler(({ input }) => judgeRun(parts, input)),
    results: control.judges.results.handler(({ input }) => judging.results(input)),
  }
}

export function exportProcedures({ index, report, config, artifacts, judging, notes }: EngineParts) {
  const isWithheld = withheldBy(judging)
  /** Nothing of the file is made where the grades of one of these datasets are withheld. */
  async function* unlessWithheld<Piece>(
    runId: string,
    datasets: () => Promise<string[]>,
    pieces: AsyncIterable<Piece>,
  ): AsyncGenerator<Piece> {
    await refuseExport(isWithheld, runId, await datasets())
    yield* pieces
  }
  /** For files that contain the grades of the judges. */
  const withGrades = ({ run_id: run, dataset_id: dataset }: ExportInput, pieces: AsyncIterable<ExportChunk>) =>
    unlessWithheld(run, async () => (dataset === undefined ? datasetsOf(index, run) : [dataset]), pieces)
  return {
    bundle: control.exports.bundle.handler(({ input: { run_id: run } }) => {
      const pieces = bundlePieces({ ...artifacts, root: config.root }, run)
      return withControlErrors(
        unlessWithheld(run, () => bundledDatasets(artifacts, run), pieces),
        report,
      )
    }),
    csv: control.exports.csv.handler(({ input }) =>
      withControlErrors(withGrades(input, exportCsv(index, input)), report),
    ),
    json: control.exports.json.handler(({ input }) =>
      withControlErrors(withGrades(input, exportJson(index, input)), report),
    ),
    cells: control.exports.cells.handler(({ input }) =>
      withControlErrors(exportCells(index, input, config.root), report),
    ),
    rows: control.exports.rows.handler(({ input }) => withControlErrors(exportRows(index, input), report)),
    report: control.exports.report.handler(({ input }) =>
      withControlErrors(withGrades(input, exportReport(index, input, notes.ofRun(input.run_id).label)), report),
    ),
  }
}
