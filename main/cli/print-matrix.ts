import type { Aggregate } from '../../contract/index.ts'
import { artifactFiles } from '../report/artifact-files.ts'
import { renderMatrixTable } from '../report/matrix-table.ts'
import { readAggregate } from '../report/write-artifacts.ts'
import { outputColumns } from './progress/output-columns.ts'
import type { RunSetup } from './run-setup.ts'

const wantsColor = (out: NodeJS.WriteStream): boolean => out.isTTY && process.env['NO_COLOR'] === undefined

/** Narrower than this the figures go; wider than this the eye loses the row. */
const [NARROWEST, WIDEST] = [60, 160]

/** Prints aggregates as the matrix; nothing for none. */
export function printAggregates(aggregates: readonly Aggregate[], out: NodeJS.WriteStream): void {
  if (aggregates.length === 0) return
  const columns = Math.min(Math.max(outputColumns(out, process.env), NARROWEST), WIDEST)
  out.write(`\n${renderMatrixTable(aggregates, { color: wantsColor(out), columns })}\n`)
}

/** Prints the matrix of these datasets of a run, as far as they have been summed up. */
export async function printMatrix(
  { resultsDir, runId }: Pick<RunSetup, 'resultsDir' | 'runId'>,
  datasetIds: readonly string[],
  out: NodeJS.WriteStream,
): Promise<void> {
  const all = await Promise.all(datasetIds.map((id) => readAggregate(artifactFiles(resultsDir, runId, id).evaluation)))
  printAggregates(
    all.filter((aggregate) => aggregate !== null),
    out,
  )
}
