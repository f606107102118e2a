import type { Aggregate } from '../../contract/evidence/aggregate.ts'
import type { ArtifactFiles } from '../evidence/files/artifact-files.ts'
import type { Prices } from '../../contract/manifests/prices.ts'
import { durationWords, plural, scoreWords } from '../../contract/words.ts'
import { judgeMean } from '../../contract/metrics/judge-mean.ts'
import { latencyMs } from '../../contract/metrics/latency-ms.ts'
import { sanitizeForTerminal } from '../lib/text/sanitize-for-terminal.ts'
import { costLines } from '../report/tables/answer-cost.ts'
import { runUseLines } from '../report/tables/run-use.ts'
import { historicalRows, snapshotIdentity, type HistoricalSnapshot } from '../report/publication/historical.ts'
import { renderMatrixTable } from '../report/terminal/matrix-table.ts'
import { STATE_SIGNS } from '../report/words.ts'
import { differencesOf, isParaphrased, paraphraseText } from '../report/tables/paraphrase-differences.ts'
import { readAggregate } from '../report/publication/write-artifacts.ts'
import { filesOf, type PreparedRun } from '../runner/prepare/prepare-run.ts'
import { outputColumns } from './progress/render-line.ts'

const wantsColor = (out: NodeJS.WriteStream): boolean => out.isTTY && process.env['NO_COLOR'] === undefined

/** Narrower than this the figures go; wider than this the eye loses the row. */
const [NARROWEST, WIDEST] = [60, 160]

/** Prints aggregates as the matrix, and what they cost where paid models were asked; nothing for none. */
export function printAggregates(aggregates: readonly Aggregate[], prices: Prices, out: NodeJS.WriteStream): void {
  const originals = aggregates.filter((aggregate) => !isParaphrased(aggregate))
  if (originals.length === 0) return
  const columns = Math.min(Math.max(outputColumns(out, process.env), NARROWEST), WIDEST)
  out.write(`\n${renderMatrixTable(originals, { color: wantsColor(out), columns })}\n`)
  for (const lines of [runUseLines(aggregates, prices), costLines(aggregates, prices)])
    if (lines.length > 0) out.write(`${sanitizeForTerminal(lines.join('\n'))}\n\n`)
}

/** Prints what other words change for each approach, where a run asked its questions in both. */
export async function printParaphrases(
  runs: readonly { datasetId: string; files: Pick<ArtifactFiles, 'evidence'> }[],
  out: NodeJS.WriteStream,
): Promise<void> {
  out.write(sanitizeForTerminal(paraphraseText(await differencesOf(runs))))
}

/** Prints the matrix of these datasets of a run, as far as they have been summed up. */
export async function printMatrix(
  run: Pick<PreparedRun, 'files' | 'prices'>,
  datasetIds: readonly string[],
  out: NodeJS.WriteStream,
): Promise<void> {
  const all = await Promise.all(datasetIds.map((id) => readAggregate(filesOf(run, id).evaluation)))
  const aggregates = all.filter((aggregate) => aggregate !== null)
  printAggregates(aggregates, run.prices, out)
  const runs = aggregates.map(({ dataset: { id } }) => ({ datasetId: id, files: filesOf(run, id) }))
  await printParaphrases(runs, out)
}

/** Prints what historical snapshots have, a line per approach; nothing for none. */
export function printSnapshots(snapshots: readonly HistoricalSnapshot[], out: NodeJS.WriteStream): void {
  for (const snapshot of snapshots) {
    const rows = [...historicalRows(snapshot)]
    const { runId, datasetId } = snapshotIdentity(snapshot)
    const { judge } = snapshot
    const lines = [
      `historical snapshot ${runId}, dataset ${datasetId}: no evidence, so scores other than the judges' are unknown`,
      ...(judge.state === 'unusable' ? [`  ${STATE_SIGNS.error} no judge figures: ${judge.message}`] : []),
      ...[...Map.groupBy(rows, ({ model }) => model)].map(([model, own]) => {
        const figure = (metric: string, column: 'n' | 'expected' | 'median' | 'mean'): number | null => {
          const value = own.find((row) => row.metric === metric)?.[column]
          return typeof value === 'number' ? value : null
        }
        const [median, grade] = [figure(latencyMs.id, 'median'), figure(judgeMean.artifactName, 'mean')]
        return [
          `  ${model}: ${figure('cells', 'n') ?? 0} of ${plural(figure('cells', 'expected') ?? 0, 'answer')}`,
          ...(median === null ? [] : [`median ${durationWords(median)}`]),
          ...(grade === null ? [] : [`judges ${scoreWords(grade)} (${figure(judgeMean.artifactName, 'n')})`]),
        ].join(', ')
      }),
    ]
    out.write(`\n${sanitizeForTerminal(lines.map((line) => line.replace(/[\r\n]+/g, ' ')).join('\n'))}\n`)
  }
}
