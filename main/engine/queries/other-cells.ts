import type { BaseApproach } from '../../../contract/approaches.ts'
import type { CellInput, CellOutcome } from '../../../contract/control/run-index/cell.ts'
import type { MatrixPageCell } from '../../../contract/control/run-index/matrix-page.ts'
import type { OtherCell } from '../../../contract/control/cells.ts'
import { latencyMs } from '../../../contract/metrics/latency-ms.ts'
import { ControlFailure } from '../control-failure.ts'
import { orNull, type RunIndexApi } from '../index-gateway.ts'
import { mean } from '../../lib/text/numbers.ts'
import { rowId } from '../../evidence/rows/row-id.ts'
import { wholeMatrix } from './whole-matrix.ts'

interface OtherCells {
  dataset_id: string
  question_id: string
  cells: OtherCell[]
}

type Found = Extract<CellOutcome, { ok: true }>
interface Named {
  model: string
  base_model: BaseApproach | null
}

const nothing = ({ model, base_model }: Named): OtherCell => ({
  model,
  base_model,
  row_id: null,
  status: null,
  error_type: null,
  evaluation: null,
  latency_ms: null,
  scores: {},
  judge_mean: null,
  found: null,
})

const judgeMean = ({ verdicts }: Found): number | null => mean(verdicts.flatMap(({ score }) => score ?? []))

function fromRow(alias: Named, found: Extract<Found, { kind: 'canonical' }>): OtherCell {
  const { row } = found
  const { ragas, retrieval, answer, operational } = row.metrics
  return {
    ...nothing(alias),
    row_id: row.row_id,
    status: row.status,
    error_type: row.error?.type ?? null,
    evaluation: ragas.status,
    latency_ms: operational.latency_ms,
    scores: { ...ragas.scores, ...retrieval.scores, ...answer?.scores },
    judge_mean: judgeMean(found),
    found: retrieval.all_contexts?.recall ?? null,
  }
}

const fromPage = (alias: Named, cell: MatrixPageCell | null): OtherCell => ({
  ...nothing(alias),
  ...(cell === null
    ? {}
    : {
        row_id: cell.row_id,
        status: cell.status,
        error_type: cell.error_type,
        evaluation: cell.evaluation,
        latency_ms: cell.latency_ms,
        judge_mean: cell.judge_mean,
      }),
})

async function aliasesOf(index: RunIndexApi, runId: string, datasetId: string): Promise<Named[]> {
  const { datasets } = (await index.query('runSummary', { run_id: runId })).summary
  return datasets.find(({ dataset_id }) => dataset_id === datasetId)?.aliases ?? []
}

async function ofHistorical(index: RunIndexApi, { run_id, row_id }: CellInput): Promise<OtherCells> {
  const { datasets } = (await index.query('runSummary', { run_id })).summary
  for (const { dataset_id, aliases } of datasets) {
    const { rows, aliases: columns } = await wholeMatrix(index, { run_id, dataset_id, metric: latencyMs.id })
    const row = rows.find(({ cells }) => cells.some((cell) => cell?.row_id === row_id))
    if (row === undefined) continue
    const named = columns.map((model) => aliases.find((alias) => alias.model === model) ?? { model, base_model: null })
    const cells = row.cells.map((cell, place) => fromPage(named[place]!, cell))
    return { dataset_id, question_id: row.question_id, cells }
  }
  throw new ControlFailure('not_found', `the index has no answer ${row_id} in ${run_id}`)
}

/** The question of a cell in every alias of its run, the same repetition of it. */
export async function otherCells(index: RunIndexApi, input: CellInput): Promise<OtherCells> {
  const asked = await index.query('cell', input)
  if (asked.kind === 'historical') return ofHistorical(index, input)
  const { dataset, question, repeat } = asked.row
  const key = { run_id: input.run_id, dataset_id: dataset.id, question_id: question.id, repeat }
  const cells = await Promise.all(
    (await aliasesOf(index, input.run_id, dataset.id)).map(async (alias) => {
      const row_id = rowId({ ...key, model: alias.model })
      // Rows that are not there yet, and rows whose file just changed, count as not made.
      const found = await orNull(index.query('cell', { run_id: input.run_id, row_id }), 'not_found', 'file_changed')
      return found?.kind === 'canonical' ? fromRow(alias, found) : nothing(alias)
    }),
  )
  return { dataset_id: dataset.id, question_id: question.id, cells }
}
