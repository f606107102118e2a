import { hash } from 'node:crypto'
import { SCHEMA_VERSION } from '../../../contract/common.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'

/** Describes what makes a cell one and the same across runs of the program. */
export interface RowKey {
  run_id: string
  dataset_id: string
  question_id: string
  /** The alias that is called. */
  model: string
  /** Which repetition of the cell; the first when not given. */
  repeat?: number | undefined
  /** States how often the cell was tried again after a failure; 0 when not given. */
  retry?: number | undefined
}

/**
 * Stable identifier of a cell: SHA-256, lower-case hex, of the compact sorted JSON of its key and the schema version. The first repetition is
 * not part of it: a run that is repeated later keeps its rows. Neither is the first row of a cell: only those that try it again are numbered.
 */
export function rowId({ run_id, dataset_id, question_id, model, repeat = 1, retry = 0 }: RowKey): string {
  // The keys are written in sorted order, because this runs for every row of a log.
  const numbers = { repeat: repeat > 1 ? repeat : undefined, retry: retry > 0 ? retry : undefined }
  return hash(
    'sha256',
    JSON.stringify({ dataset_id, model, question_id, ...numbers, run_id, schema_version: SCHEMA_VERSION }),
  )
}

/** Id of the first row of a cell, which names the cell whatever was tried again. */
export const cellId = (key: RowKey): string => rowId({ ...key, retry: 0 })

/** The key of a stored row. */
export const rowKeyOf = ({
  run_id,
  dataset,
  question,
  approach,
  repeat,
  retry,
}: Pick<CanonicalRow, 'run_id' | 'dataset' | 'question' | 'approach' | 'repeat' | 'retry'>): RowKey => ({
  run_id,
  dataset_id: dataset.id,
  question_id: question.id,
  model: approach.model,
  repeat,
  retry,
})
