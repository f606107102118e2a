import { hash } from 'node:crypto'
import { SCHEMA_VERSION, type CanonicalRow } from '../../contract/index.ts'

/** What makes a cell one and the same across runs of the program. */
export interface RowKey {
  run_id: string
  dataset_id: string
  question_id: string
  /** The alias that is called. */
  model: string
  /** Which repetition of the cell; the first when not given. */
  repeat?: number | undefined
}

/**
 * Stable identifier of a cell: SHA-256, lower-case hex, of the compact sorted JSON of its key and the schema version. The first repetition is
 * not part of it: a run that is repeated later keeps its rows.
 */
export function rowId({ run_id, dataset_id, question_id, model, repeat = 1 }: RowKey): string {
  // The keys are written in sorted order, because this runs for every row of a log.
  const counted = repeat > 1 ? repeat : undefined
  return hash(
    'sha256',
    JSON.stringify({ dataset_id, model, question_id, repeat: counted, run_id, schema_version: SCHEMA_VERSION }),
  )
}

/** The key of a stored row. */
export const rowKeyOf = ({
  run_id,
  dataset,
  question,
  approach,
  repeat,
}: Pick<CanonicalRow, 'run_id' | 'dataset' | 'question' | 'approach' | 'repeat'>): RowKey => ({
  run_id,
  dataset_id: dataset.id,
  question_id: question.id,
  model: approach.model,
  repeat,
})
