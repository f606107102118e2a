import type { Aggregate } from '../../contract/evidence/aggregate.ts'
import { aggregateRun } from './aggregate-run.ts'
import { ALIASES, comparedContext, fixtureRow, REQUESTED, streamOf, wideDataset } from './report-rows.ts'
import type { CellFixture } from './report-rows.ts'

export interface DecidedRunOptions {
  /** The dataset's id; its label is the id with a capital. */
  id?: string
  rung?: number
  /** The metric that the run declared. */
  primary?: string
  /** The ledger of tunings has this of approaches. */
  tuned?: NonNullable<Aggregate['tuned']>
  /** Replaces parts of single cells. */
  cell?: (approach: string, index: number) => CellFixture
}

/** A run over 24 questions in 12 groups, in which each approach names the required point in the first `hits` questions. */
export function decidedRun(
  hits: Partial<Record<keyof typeof ALIASES, number>>,
  { id = 'wide', rung = 1, primary, tuned, cell }: DecidedRunOptions = {},
): Promise<Aggregate> {
  const dataset = wideDataset(id, id.charAt(0).toUpperCase() + id.slice(1), rung)
  const aliases = Object.keys(hits).map((name) => ALIASES[name as keyof typeof ALIASES])
  const rows = Object.entries(hits).flatMap(([name, count], place) =>
    dataset.questions.map((_, index) =>
      fixtureRow(dataset, aliases[place]!, index, {
        answer: index < count ? 'The answer.' : 'Nothing.',
        ...cell?.(name, index),
      }),
    ),
  )
  if (primary !== undefined) for (const row of rows) row.reproducibility.runtime.primary_metric = primary
  return aggregateRun(streamOf(rows), {
    ...comparedContext(dataset),
    aliases,
    metrics: REQUESTED,
    judge: { state: 'disabled' },
    tuned,
  })
}
