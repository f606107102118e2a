import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { FactTable } from '../../components/tables.tsx'
import { CELL_WORDS as WORDS } from './cell-words.ts'

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

function flat(value: Json, path: string): [string, string][] {
  if (value === null || typeof value !== 'object') return [[path, value === null ? '–' : String(value)]]
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return [[path, value.join(', ') || '–']]
  return Object.entries(value).flatMap(([key, item]) => flat(item, path === '' ? key : `${path}.${key}`))
}

/** The conditions that a row was made under, one line per field. */
export function ProvenanceTable({ row }: { row: CanonicalRow }) {
  const lines = flat(
    { row_id: row.row_id, derived_from: row.derived_from ?? null, approach: row.approach, ...row.reproducibility },
    '',
  )
  return <FactTable facts={lines} />
}

const SHOWN_CHARACTERS = 400_000

/** A value as indented JSON text, at most 400,000 characters of it. */
export function RawJson({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2)
  return (
    <pre className="plain" tabIndex={0} aria-label={WORDS.json}>
      {text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}\n${WORDS.cutHere}` : text}
    </pre>
  )
}
