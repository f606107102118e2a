import { loadPrices } from '../../manifests/own-prices.ts'
import type { EngineParts } from '../engine-parts.ts'
import { bundlePieces } from '../bundle-transfer.ts'
import { exportCells, exportCsv, exportJson, exportReport, exportRows } from '../export-run.ts'
import { coverageOf } from '../queries/coverage.ts'
import { frontierOf } from '../queries/frontier.ts'
import { otherCells } from '../queries/other-cells.ts'
import { goldDocumentsOf, pairsOfAliases, pairsOfRuns, type StatisticsSource } from '../queries/paired-statistics.ts'
import { provenanceDiff } from '../queries/provenance-diff.ts'
import { resultOf } from '../queries/run-result.ts'
import { control, untilEither, withControlErrors } from './control-api.ts'
import { judgeRun } from './run-procedures.ts'

export function matrixProcedures({ index }: EngineParts) {
  return {
    page: control.matrix.page.handler(async ({ input }) => (await index.query('matrixPage', input)).page),
    heads: control.matrix.heads.handler(async ({ input }) => (await index.query('columnHeads', input)).heads),
    search: control.matrix.search.handler(({ input }) => index.query('search', input)),
  }
}

export function cellProcedures({ index, preparation, notes }: EngineParts) {
  return {
    notes: control.cells.notes.handler(({ input }) => ({ cells: notes.ofCells(input.run_id) })),
    annotate: control.cells.annotate.handler(({ input: { run_id: runId, row_id: rowId, ...note } }) =>
      notes.annotateCell(runId, rowId, note),
    ),
    get: control.cells.get.handler(async ({ input }) => {
      const { ok: _ok, ...cell } = await index.query('cell', input)
      return cell.kind === 'canonical' ? { ...cell, judging: await preparation.of(cell.row) } : cell
    }),
    answerSlice: control.cells.answerSlice.handler(async ({ input }) => {
      const { ok: _ok, ...slice } = await index.query('answerSlice', input)
      return slice
    }),
    others: control.cells.others.handler(({ input }) => otherCells(index, input)),
  }
}

export function comparisonProcedures({ index, experiment, stopping, config }: EngineParts) {
  const source = (signal: AbortSignal | undefined): StatisticsSource => ({
    index,
    signal: untilEither(signal, stopping),
    // Without usable manifests every question counts as a cluster of its own.
    goldDocuments: async (datasetId) => {
      const loaded = await experiment.current().catch(() => null)
      return loaded === null ? new Map() : goldDocumentsOf(loaded, datasetId)
    },
  })
  return {
    coverage: { get: control.coverage.get.handler(({ input }) => coverageOf(index, input.run_id, input.dataset_id)) },
    compare: {
      runs: control.compare.runs.handler(({ input }) => index.query('compareRuns', input)),
      provenance: control.compare.provenance.handler(({ input }) =>
        provenanceDiff(index, input.run_ids, input.dataset_id),
      ),
      frontier: control.compare.frontier.handler(({ input }) => frontierOf(index, input)),
      result: control.compare.result.handler(async ({ input }) =>
        resultOf(index, input.run_id, await loadPrices(config.root)),
      ),
      trend: control.compare.trend.handler(async ({ input }) => (await index.query('runTrend', input)).trend),
    },
    statistics: {
      pairs: control.statistics.pairs.handler(({ input, signal }) => pairsOfAliases(source(signal), input)),
      runs: control.statistics.runs.handler(({ input, signal }) => pairsOfRuns(source(signal), input)),
    },
  }
}

export function judgeProcedures(parts: EngineParts) {
  const { judging } = parts
  return {
    blindSets: control.judges.blindSets.handler(({ input }) => judging.sets(input)),
    vote: control.judges.vote.handler(({ input }) => judging.vote(input)),
    reveal: control.judges.reveal.handler(({ input }) => judging.reveal(input)),
    judgeRun: control.judges.judgeRun.handler(({ input }) => judgeRun(parts, input)),
    results: control.judges.results.handler(({ input }) => judging.results(input)),
  }
}

export function exportProcedures({ index, report, config, artifacts }: EngineParts) {
  return {
    bundle: control.exports.bundle.handler(({ input }) =>
      withControlErrors(bundlePieces({ ...artifacts, root: config.root }, input.run_id), report),
    ),
    csv: control.exports.csv.handler(({ input }) => withControlErrors(exportCsv(index, input), report)),
    json: control.exports.json.handler(({ input }) => withControlErrors(exportJson(index, input), report)),
    cells: control.exports.cells.handler(({ input }) => withControlErrors(exportCells(index, input), report)),
    rows: control.exports.rows.handler(({ input }) => withControlErrors(exportRows(index, input), report)),
    report: control.exports.report.handler(({ input }) => withControlErrors(exportReport(index, input), report)),
  }
}
