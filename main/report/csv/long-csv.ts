import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { writeAtomic, type WrittenFile } from '../../lib/files/write-atomic.ts'
import { aggregateRows } from './aggregate-rows.ts'
import { csvText } from './csv-text.ts'
import { historicalRows, type HistoricalSnapshot } from '../publication/historical.ts'
import { LONG_COLUMNS, longFields, type LongRow } from './long-row.ts'

/** Describes what a folder of results can hold. */
export interface Summaries {
  aggregates: readonly Aggregate[]
  snapshots: readonly HistoricalSnapshot[]
  /** Figures that were asked for, after all others. */
  asked?: readonly LongRow[]
}

function* rowsOf({ aggregates, snapshots, asked = [] }: Summaries): Generator<LongRow> {
  for (const aggregate of inLadderOrder(aggregates)) yield* aggregateRows(aggregate)
  for (const snapshot of snapshots) yield* historicalRows(snapshot)
  yield* asked
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Aggregates by rung, then dataset, then run. */
export function inLadderOrder(aggregates: readonly Aggregate[]): Aggregate[] {
  return aggregates.toSorted(
    (a, b) =>
      a.dataset.complexity_level - b.dataset.complexity_level ||
      compare(a.dataset.id, b.dataset.id) ||
      compare(a.run_id, b.run_id),
  )
}

/** All figures in long form, RFC 4180 with `\n`; equal summaries give equal bytes. */
export function* longCsv(summaries: Summaries): Generator<string> {
  const fields = function* () {
    for (const row of rowsOf(summaries)) yield longFields(row)
  }
  yield* csvText(LONG_COLUMNS, fields())
}

/** Writes the long form, whole or not at all. */
export const writeLongCsv = (path: string, summaries: Summaries): Promise<WrittenFile> =>
  writeAtomic(path, longCsv(summaries))
