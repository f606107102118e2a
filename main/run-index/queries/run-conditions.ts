import type Database from 'better-sqlite3'
import type { RunDatasetSummary } from '../../../contract/control/run-index/runs.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import { SharedConditions } from '../../evidence/rows/conditions.ts'
import { evaluationOfCode } from '../apply/cell-record.ts'
import { STATUS_CODES } from '../schema.ts'
import { aliasesOf } from './dataset-run.ts'

/** Describes cells of a dataset run that are equal in all of these fields, and when the last of them was made. */
interface AlikeCells {
  alias: number
  status: number
  evaluation: number | null
  provenance: number
  last_ms: number
}

const MAX_BYTES = 64_000

/** The conditions that the rows of a dataset run share, by the same rule as in its summary. Null where none are stored, or where they are too large for an answer. */
export function conditionsOf(db: Database.Database, scope: number): RunDatasetSummary['conditions'] {
  const cells = db
    .prepare<[number], AlikeCells>(
      `SELECT alias, status, evaluation, provenance, max(coalesce(finished_ms, 0)) AS last_ms FROM cells
       WHERE scope = ? AND provenance IS NOT NULL GROUP BY alias, status, evaluation, provenance`,
    )
    .all(scope)
  const textOf = db.prepare<[number], string>('SELECT json FROM provenance WHERE id = ?').pluck()
  const texts = new Map([...new Set(cells.map(({ provenance }) => provenance))].map((id) => [id, textOf.get(id)!]))
  if ([...texts.values()].some((text) => text.length > MAX_BYTES)) return null
  const parsed = new Map([...texts].map(([id, text]) => [id, JSON.parse(text) as Reproducibility]))
  const bases = new Map(aliasesOf(db, scope).map(({ id, base_model: base }) => [id, base ?? '']))
  const shared = new SharedConditions()
  for (const { alias, status, evaluation, provenance, last_ms } of cells)
    shared.addAndCompare({
      status: status === STATUS_CODES.ok ? 'ok' : 'error',
      // A row without a grade does not bind the evaluator.
      ...(evaluationOfCode(evaluation) === 'error' ? { grading_refused: true as const } : {}),
      approach: { base_model: bases.get(alias)!, parameters: {} },
      reproducibility: parsed.get(provenance)!,
      finished_at: new Date(last_ms).toISOString(),
    })
  return shared.value
}
